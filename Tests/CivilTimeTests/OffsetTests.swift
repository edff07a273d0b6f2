import CivilTime
import Testing

@Suite("T1, offsets of zones with odd rules")
struct OffsetTests {
    private static let changes: [(String, String, Int32, Int32)] = [
        ("America/Sao_Paulo", "2018-11-04T03:00:00Z", -10_800, -7200),
        ("America/Sao_Paulo", "2018-02-18T02:00:00Z", -7200, -10_800),
        ("Africa/Cairo", "2026-04-23T22:00:00Z", 7200, 10_800),
        ("Asia/Beirut", "2026-03-28T22:00:00Z", 7200, 10_800),
        ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 39_600, 37_800),
        ("Pacific/Apia", "2011-12-30T10:00:00Z", -36_000, 50_400),
        ("America/St_Johns", "2010-11-07T02:31:00Z", -9000, -12_600),
        ("Asia/Kathmandu", "1985-12-31T18:30:00Z", 19_800, 20_700),
        ("Africa/Casablanca", "2026-02-15T02:00:00Z", 3600, 0),
        ("Europe/Dublin", "2026-10-25T01:00:00Z", 3600, 0),
        ("Antarctica/Troll", "2026-03-29T01:00:00Z", 0, 7200),
        ("Pacific/Kwajalein", "1993-08-21T12:00:00Z", -43_200, 43_200),
    ]

    @Test(arguments: changes)
    func `change at the instant and not a millisecond off`(
        name: String, at: String, before: Int32, after: Int32
    ) throws {
        let zone = try zone(name)
        let instant = try Instant(rfc3339: at)
        #expect(zone.offsetSeconds(at: instant.advanced(byMilliseconds: -1)) == before)
        #expect(zone.offsetSeconds(at: instant) == after)
        #expect(zone.offsetSeconds(at: instant.advanced(byMilliseconds: 1)) == after)
        let next = zone.nextTransition(after: instant.advanced(byMilliseconds: -1))
        #expect(next == ZoneTransition(instant: instant, offsetBefore: before, offsetAfter: after))
        #expect(zone.nextTransition(after: instant) != next)
        // A range of instants holds its lower bound and not its upper one.
        #expect(Array(zone.transitions(in: instant.advanced(byDays: -1)..<instant)) == [])
        #expect(Array(zone.transitions(in: instant..<instant.advanced(byMilliseconds: 1))) == [next])
    }

    @Test func `the rule after the last transition holds for ever`() throws {
        let dublin = try zone("Europe/Dublin")
        #expect(dublin.offsetSeconds(at: "2400-01-15T12:00:00Z") == 0)
        #expect(dublin.offsetSeconds(at: "2400-07-15T12:00:00Z") == 3600)
        #expect(dublin.offsetSeconds(at: "9999-07-15T12:00:00Z") == 3600)
        // 400 years later the calendar, weekdays included, is the same again.
        let transitions = dublin.transitions(in: "2100-01-01T00:00:00Z"..<"2103-01-01T00:00:00Z").map(\.instant)
        let later = dublin.transitions(in: "8900-01-01T00:00:00Z"..<"8903-01-01T00:00:00Z").map(\.instant)
        #expect(transitions.count == 6)
        #expect(later == transitions.map { $0.advanced(byDays: 17 * 146_097) })
    }

    @Test func `before the first transition there is local mean time`() throws {
        let paris = try zone("Europe/Paris")
        #expect(paris.offsetSeconds(at: "1800-01-01T00:00:00Z") == 561)
        #expect(paris.offsetSeconds(at: .distantPast) == 561)
        #expect(paris.local(at: "1800-01-01T00:00:00Z") == "1800-01-01T00:09")
    }

    @Test func `what the wall shows is cut to the minute, before 1970 too`() throws {
        let utc = ZoneRules.utc
        #expect(utc.local(at: "2026-03-02T14:00:59.999Z") == "2026-03-02T14:00")
        #expect(utc.local(at: "1969-12-31T23:59:59.999Z") == "1969-12-31T23:59")
        #expect(try zone("Asia/Kathmandu").local(at: "2026-03-02T18:15:00Z") == "2026-03-03T00:00")
        #expect(utc.nextTransition(after: .distantPast) == nil)
    }

    @Test func `no instant is too far away`() throws {
        for name in ["Europe/Paris", "Pacific/Apia", "Asia/Tokyo", "America/Scoresbysund"] {
            let zone = try zone(name)
            for instant in [Instant.distantPast, .distantFuture, Instant(milliseconds: .max / 2)] {
                #expect(abs(zone.offsetSeconds(at: instant)) < 90_000)
                _ = zone.local(at: instant)
                _ = zone.localDate(at: instant)
                _ = zone.day(containing: instant)
                _ = zone.nextSlot(time: "09:00", days: .all, strictlyAfter: instant)
                _ = zone.nextTransition(after: instant)
                let night = DailyWindow(start: "22:00", end: "08:00", days: .all)
                _ = night.interval(containing: instant, in: zone)
                _ = night.next(after: instant, in: zone)
            }
            for date in [LocalDate(daysSince1970: .min), LocalDate(daysSince1970: .max)] {
                _ = zone.instant(of: LocalDateTime(date: date, time: "23:59"), occurrence: .second)
                _ = zone.dayBounds(date)
            }
        }
    }
}
