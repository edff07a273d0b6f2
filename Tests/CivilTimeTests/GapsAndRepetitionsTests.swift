import CivilTime
import Testing

@Suite("T4 and T5, local times that exist never or twice")
struct GapsAndRepetitionsTests {
    @Test(arguments: [
        // The clocks skip it: the first instant after the gap.
        ("America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00:00Z", "2018-11-04T03:00:00Z"),
        ("America/Sao_Paulo", "2018-11-04T00:59", "2018-11-04T03:00:00Z", "2018-11-04T03:00:00Z"),
        ("America/Sao_Paulo", "2018-11-03T23:59", "2018-11-04T02:59:00Z", "2018-11-04T02:59:00Z"),
        ("America/Sao_Paulo", "2018-11-04T01:00", "2018-11-04T03:00:00Z", "2018-11-04T03:00:00Z"),
        ("America/Sao_Paulo", "2018-11-04T01:01", "2018-11-04T03:01:00Z", "2018-11-04T03:01:00Z"),
        ("Africa/Cairo", "2026-04-24T00:30", "2026-04-23T22:00:00Z", "2026-04-23T22:00:00Z"),
        ("Asia/Beirut", "2026-03-29T00:00", "2026-03-28T22:00:00Z", "2026-03-28T22:00:00Z"),
        ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30:00Z", "2026-10-03T15:30:00Z"),
        ("Asia/Kathmandu", "1986-01-01T00:10", "1985-12-31T18:30:00Z", "1985-12-31T18:30:00Z"),
        ("Antarctica/Troll", "2026-03-29T02:59", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"),
        ("Europe/Dublin", "2026-03-29T01:30", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"),
        ("Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"),
        // They show it twice.
        ("America/Sao_Paulo", "2018-02-17T23:00", "2018-02-18T01:00:00Z", "2018-02-18T02:00:00Z"),
        ("America/Sao_Paulo", "2018-02-17T23:59", "2018-02-18T01:59:00Z", "2018-02-18T02:59:00Z"),
        ("America/Sao_Paulo", "2018-02-17T22:59", "2018-02-18T00:59:00Z", "2018-02-18T00:59:00Z"),
        ("America/Sao_Paulo", "2018-02-18T00:00", "2018-02-18T03:00:00Z", "2018-02-18T03:00:00Z"),
        ("America/St_Johns", "2010-11-07T00:00", "2010-11-07T02:30:00Z", "2010-11-07T03:30:00Z"),
        ("America/St_Johns", "2010-11-06T23:30", "2010-11-07T02:00:00Z", "2010-11-07T03:00:00Z"),
        ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"),
        ("Antarctica/Troll", "2026-10-25T01:30", "2026-10-24T23:30:00Z", "2026-10-25T01:30:00Z"),
        ("Africa/Casablanca", "2026-02-15T02:30", "2026-02-15T01:30:00Z", "2026-02-15T02:30:00Z"),
        ("Europe/Dublin", "2026-10-25T01:00", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"),
        ("America/Juneau", "1867-10-18T20:00", "1867-10-18T04:57:41Z", "1867-10-19T04:57:41Z"),
        // And once, as nearly always.
        ("Asia/Kathmandu", "2026-03-02T09:00", "2026-03-02T03:15:00Z", "2026-03-02T03:15:00Z"),
        ("Europe/Dublin", "2226-07-01T09:00", "2226-07-01T08:00:00Z", "2226-07-01T08:00:00Z"),
    ])
    func `mean the instants of the spec`(name: String, local: String, first: String, second: String) throws {
        let zone = try zone(name)
        let local = try #require(LocalDateTime(local))
        #expect(zone.instant(of: local, occurrence: .first) == (try Instant(rfc3339: first)))
        #expect(zone.instant(of: local, occurrence: .second) == (try Instant(rfc3339: second)))
    }

    /// The search knows nothing of how the zone's table is built: it tries every offset the zone ever had.
    @Test(arguments: 0..<2)
    func `every zone, around every transition, agrees with trying every offset`(part: Int) throws {
        for name in distinctZoneNames.enumerated().filter({ $0.offset % 2 == part }).map(\.element) {
            let zone = try zone(name)
            let search = LocalTimeSearch(zone)
            var dice = Dice(seed: UInt64(part))
            var wrong: [LocalDateTime] = []
            for transition in search.transitions {
                let jump = Int(transition.offsetAfter - transition.offsetBefore) / 60
                let wall = search.wallMinute(transition.instant, transition.offsetBefore)
                let near = [-1, 0, 1, jump - 1, jump, jump + 1, jump / 2, .random(in: -3000...3000, using: &dice)]
                for minute in near.map({ wall + $0 }) {
                    let local = search.local(minute)
                    if zone.instant(of: local, occurrence: .first) != search.first(minute)
                        || zone.instant(of: local, occurrence: .second) != search.second(minute)
                    {
                        wrong.append(local)
                    }
                }
            }
            #expect(wrong == [], "\(name)")
        }
    }
}

/// Finds the instants of a local time by trial: slow, and sure.
private struct LocalTimeSearch {
    let zone: ZoneRules
    let transitions: [ZoneTransition]
    private let offsets: Set<Int32>

    init(_ zone: ZoneRules) {
        self.zone = zone
        transitions = zone.transitions(in: "1840-01-01T00:00:00Z"..<"2045-01-01T00:00:00Z").map(\.self)
        offsets = Set(transitions.flatMap { [$0.offsetBefore, $0.offsetAfter] })
    }

    /// Minutes since 1970-01-01T00:00 on a clock that is `offset` ahead of UTC.
    func wallMinute(_ instant: Instant, _ offset: Int32) -> Int {
        Int((Double(instant.milliseconds / 1000 + Int64(offset)) / 60).rounded(.down))
    }

    func local(_ minute: Int) -> LocalDateTime {
        let day = Int((Double(minute) / 1440).rounded(.down))
        return LocalDateTime(
            date: LocalDate(daysSince1970: Int32(day)), time: LocalTime(minuteOfDay: minute - day * 1440)!)
    }

    func first(_ minute: Int) -> Instant? { occurrences(minute).min() ?? afterGap(minute) }

    func second(_ minute: Int) -> Instant? { occurrences(minute).max() ?? afterGap(minute) }

    private func occurrences(_ minute: Int) -> [Instant] {
        offsets.compactMap { offset in
            let instant = Instant(seconds: Int64(minute * 60) - Int64(offset))
            return zone.offsetSeconds(at: instant) == offset ? instant : nil
        }
    }

    private func afterGap(_ minute: Int) -> Instant? {
        let wall = Int64(minute * 60)
        return transitions.first {
            let second = $0.instant.milliseconds / 1000
            return second + Int64($0.offsetBefore) <= wall && wall < second + Int64($0.offsetAfter)
        }?.instant
    }
}
