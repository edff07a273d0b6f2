import CivilTime
import Testing

@testable import Audit

/// The judge's clock looks where `CivilTime` computes. Both must come to the same, around every change of a zone's
/// clocks: else one of them is wrong.
@Suite("The judge's clock and CivilTime's")
struct ClockComparison {
    private static let zones = [
        "Europe/Paris", "America/New_York", "America/St_Johns", "America/Havana", "Australia/Lord_Howe", "Pacific/Apia",
        "Pacific/Kwajalein", "Africa/Casablanca", "Asia/Tehran", "America/Sao_Paulo", "Asia/Kathmandu", "Asia/Gaza",
        "America/Scoresbysund", "Antarctica/Troll", "Africa/Cairo", "Asia/Beirut", "America/Asuncion", "UTC",
    ]

    private static let windows: [(start: String, end: String, days: WeekdaySet)] = [
        ("22:00", "08:00", .all), ("22:00", "08:00", .fri), ("00:30", "02:30", .all), ("02:15", "01:45", .sun),
        ("23:30", "00:15", .sat), ("09:00", "17:00", .workdays),
    ]

    /// Instants around each change of the offset between 1968 and 2030, to the millisecond at the change itself.
    private func instants(_ rules: ZoneRules) -> [Instant] {
        let hour: Int64 = 3_600_000
        var changes: [Int64] = []
        var at: Int64 = -63_158_400_000
        while at < 1_893_456_000_000 {
            let next = at + 24 * hour
            if rules.offsetSeconds(at: Instant(milliseconds: at))
                != rules.offsetSeconds(at: Instant(milliseconds: next))
            {
                var (before, after) = (at, next)
                while after - before > 1 {
                    let middle = before + (after - before) / 2
                    let isBefore =
                        rules.offsetSeconds(at: Instant(milliseconds: middle))
                        == rules.offsetSeconds(at: Instant(milliseconds: at))
                    if isBefore { before = middle } else { after = middle }
                }
                changes.append(after)
            }
            at = next
        }
        let steps: [Int64] = [-1, 0] + (-30...30).map { Int64($0) * hour } + [-1800_001, 1799_999, 3599_999]
        // Where the clocks never change, an evening in winter.
        if changes.isEmpty { changes = [1_767_294_000_000] }
        // A few of the many, spread over the years.
        let some = changes.indices.filter { $0 % max(1, changes.count / 6) == 0 }.map { changes[$0] }
        let ends = changes.prefix(2) + changes.suffix(2) + some
        return ends.flatMap { change in steps.map { Instant(milliseconds: change + $0) } }
    }

    @Test(arguments: zones) func `agree about local days`(name: String) throws {
        let rules = try ZoneDatabase().zone(named: name)
        let clock = ZoneClock(rules: rules)
        for instant in instants(rules) {
            let day = clock.localDay(at: instant)
            #expect(day == rules.localDate(at: instant), "\(instant)")
            #expect(clock.start(of: day) == rules.startOfDay(day), "\(instant)")
            let next = day.advanced(byDays: 1)
            #expect(clock.has(next) == rules.exists(next), "\(next)")
        }
    }

    @Test(arguments: zones) func `agree about windows`(name: String) throws {
        let rules = try ZoneDatabase().zone(named: name)
        let clock = ZoneClock(rules: rules)
        let instants = instants(rules)
        for (start, end, days) in Self.windows {
            let (start, end) = (try #require(LocalTime(start)), try #require(LocalTime(end)))
            let window = WallWindow(start: start, end: end, days: days)
            let computed = DailyWindow(start: start, end: end, days: days)
            for instant in instants {
                #expect(
                    window.contains(instant, on: clock) == computed.contains(instant, in: rules),
                    "\(window.shown) on \(days) at \(instant)")
            }
        }
    }
}
