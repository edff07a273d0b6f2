import CivilTime
import Testing

@Suite("T1, zone files (RFC 9636)")
struct TZifTests {
    private func read(_ file: TZifWriter) throws -> ZoneRules {
        try ZoneRules(name: "Test/Zone", tzif: file.bytes)
    }

    @Test func `version 1 has its table and nothing after it`() throws {
        let file = TZifWriter(version: nil, transitions: [(1000, 1), (2000, 0)], types: [(0, false), (3600, true)])
        let zone = try read(file)
        #expect(zone.offsetSeconds(at: Instant(seconds: 999)) == 0)
        #expect(zone.offsetSeconds(at: Instant(seconds: 1000)) == 3600)
        #expect(zone.offsetSeconds(at: Instant(seconds: 2000)) == 0)
        #expect(zone.offsetSeconds(at: .distantFuture) == 0)
        #expect(zone.nextTransition(after: Instant(seconds: 2000)) == nil)
    }

    @Test(arguments: ["2", "3", "4", "5"] as [Character])
    func `later versions are read from their second block`(version: Character) throws {
        let file = TZifWriter(
            version: version, transitions: [(-3_000_000_000, 1)], types: [(-1800, false), (7200, false)],
            oldTypes: [(99, false)])
        let zone = try read(file)
        #expect(zone.offsetSeconds(at: Instant(seconds: -3_000_000_001)) == -1800)
        #expect(zone.offsetSeconds(at: Instant(seconds: -3_000_000_000)) == 7200)
    }

    @Test func `transitions that change no offset are none`() throws {
        let file = TZifWriter(
            transitions: [(1000, 1), (2000, 2), (3000, 0)], types: [(0, false), (3600, true), (3600, false)])
        let zone = try read(file)
        let all = zone.transitions(in: .distantPast..<(.distantFuture))
        #expect(all.map(\.instant.milliseconds) == [1_000_000, 3_000_000])
    }

    @Test func `before the first transition the first standard type holds`() throws {
        let file = TZifWriter(transitions: [(1000, 0)], types: [(3600, true), (7200, true), (1800, false)])
        #expect(try read(file).offsetSeconds(at: .distantPast) == 1800)
        let onlyDaylight = TZifWriter(transitions: [(1000, 1)], types: [(3600, true), (7200, true)])
        #expect(try read(onlyDaylight).offsetSeconds(at: .distantPast) == 3600)
    }

    @Test func `a footer holds from the second after the last transition`() throws {
        let file = TZifWriter(transitions: [(1000, 0)], types: [(3600, false)], footer: "EET-2")
        let zone = try read(file)
        #expect(zone.offsetSeconds(at: Instant(seconds: 1000)) == 3600)
        #expect(zone.offsetSeconds(at: Instant(milliseconds: 1_000_999)) == 3600)
        #expect(zone.offsetSeconds(at: Instant(seconds: 1001)) == 7200)
    }

    @Test func `a zone may be nothing but its footer, in the past too`() throws {
        let zone = try read(TZifWriter(footer: "CET-1CEST,M3.5.0,M10.5.0/3"))
        let paris = try CivilTimeTests.zone("Europe/Paris")
        let range: Range<Instant> = "2000-01-01T00:00:00Z"..<"2500-01-01T00:00:00Z"
        #expect(Array(zone.transitions(in: range)) == Array(paris.transitions(in: range)))
        #expect(zone.offsetSeconds(at: "1026-07-01T00:00:00Z") == 7200)
        #expect(zone.offsetSeconds(at: "1026-01-01T00:00:00Z") == 3600)
    }

    @Test(arguments: ["EST5EDT,0/0,J365/25", "XXX3<-04>4,0/0,J365/23"])
    func `daylight time may last all year`(footer: String) throws {
        for file in [
            TZifWriter(footer: footer), TZifWriter(transitions: [(0, 0)], types: [(-14_400, true)], footer: footer),
        ] {
            let zone = try read(file)
            #expect(Array(zone.transitions(in: "0001-01-01T00:00:00Z"..<"9999-01-01T00:00:00Z")) == [])
            #expect(zone.offsetSeconds(at: "2026-12-31T23:59:59Z") == -14_400)
            #expect(zone.offsetSeconds(at: "1900-01-01T00:00:00Z") == -14_400)
        }
    }

    @Test(arguments: [
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-28T00:00:00Z", "2026-10-23T23:00:00Z"),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-10-25T01:00:00Z", "2027-03-28T01:00:00Z"),
        ("AAA0BBB,J60,J300", "2026-03-01T02:00:00Z", "2026-10-27T01:00:00Z"),
        ("AAA0BBB,J59,J60", "2024-02-28T02:00:00Z", "2024-03-01T01:00:00Z"),
        ("AAA0BBB,59,300", "2024-02-29T02:00:00Z", "2024-10-27T01:00:00Z"),
        ("AAA0BBB,59,300/167:59:59", "2026-03-01T02:00:00Z", "2026-11-03T22:59:59Z"),
        ("AAA0BBB,M1.1.1/-167,J200", "2025-12-29T01:00:00Z", "2026-07-19T01:00:00Z"),
        ("AAA-0:30BBB-1:45:30,M2.1.0/0,M11.1.0/0", "2026-01-31T23:30:00Z", "2026-10-31T22:14:30Z"),
    ])
    func `footers switch when their rule says`(footer: String, start: String, end: String) throws {
        let zone = try read(TZifWriter(version: "3", footer: footer))
        let start = try Instant(rfc3339: start)
        let first = zone.nextTransition(after: start.advanced(byMilliseconds: -1))
        #expect(first?.instant == start)
        #expect(zone.nextTransition(after: start)?.instant == (try Instant(rfc3339: end)))
    }

    @Test(arguments: [
        "CET", "CE-1", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M10.5.0,", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J365",
        "CET-1CEST,J366,J1", "CET-1CEST,366,1", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0/-168,M10.5.0",
        "CET-26", "CET-1:60", "<CET-1", "<CE>-1", "<+03>", "CET-1 ", " CET-1", "CET-1CEST-99,M3.5.0,M10.5.0",
        "CET--1", ":Europe/Paris", "CET-1CEST,M3.5.0/2:5,M10.5.0", "é-1",
    ])
    func `other footers are refused`(footer: String) {
        #expect(throws: TZifError.badFooter(footer)) { try read(TZifWriter(footer: footer)) }
    }

    @Test func `files that contradict themselves are refused with what is wrong`() {
        let cases: [(TZifWriter, TZifError)] = [
            (TZifWriter(types: []), .noLocalTimeTypes),
            (TZifWriter(transitions: [(0, 1)]), .unknownLocalTimeType(transition: 0, type: 1)),
            (TZifWriter(transitions: [(5, 0), (5, 0)]), .unorderedTransitions(index: 1)),
            (TZifWriter(types: [(93_600, false)]), .offsetOutOfRange(seconds: 93_600)),
            (TZifWriter(types: [(.min, false)]), .offsetOutOfRange(seconds: Int(Int32.min))),
            (TZifWriter(leapSeconds: [(78_796_800, 1)]), .leapSeconds(count: 1)),
        ]
        for (file, error) in cases {
            #expect(throws: error) { try read(file) }
            #expect(error.description.hasSuffix("."))
        }
        #expect(throws: TZifError.notTZif) { try ZoneRules(name: "Test", tzif: Array("# tzdb".utf8)) }
        #expect(throws: TZifError.truncated(needed: 1, size: 0)) { try ZoneRules(name: "Test", tzif: []) }
    }

    @Test func `transitions beyond what an instant can be do no harm`() throws {
        let file = TZifWriter(
            transitions: [(.min, 1), (0, 0), (.max, 1)], types: [(0, false), (3600, false)], footer: "AAA0")
        let zone = try read(file)
        #expect(zone.offsetSeconds(at: .distantPast) == 3600)
        #expect(zone.offsetSeconds(at: .distantFuture) == 0)
        let late = TZifWriter(transitions: [(Int64.max / 1000 - 5, 0)], footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        // In August of the year 292278994, and the footer holds.
        #expect(try read(late).offsetSeconds(at: .distantFuture) == 7200)
    }
}
