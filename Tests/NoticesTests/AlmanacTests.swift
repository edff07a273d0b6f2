import CivilTime
import Simulation
import Testing

@testable import Notices

@Suite("The almanac")
struct AlmanacTests {
    private static let zones = [
        "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia", "Asia/Kathmandu",
        "America/Havana", "Antarctica/Troll",
    ]

    /// Whatever was asked before, it says what the zone says: of slots, of when quiet hours end and when they begin.
    @Test(arguments: 0..<200) func `it says what the zone itself would say`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let zones = try ZoneDatabase()
        let some = try Self.zones.shuffled(using: &random).prefix(3).map { try zones.zone(named: $0) }
        let almanac = Almanac()
        // A few times and windows, so that most questions were asked before.
        let times = (0..<3).map { _ in time(&random) }
        let windows = (0..<3).map { _ in DailyWindow(start: time(&random), end: time(&random), days: days(&random)) }
        let sets = [days(&random), WeekdaySet.all]
        let start = Int64.random(in: 1_300_000_000_000...1_900_000_000_000, using: &random)
        // Questions at answers of before: what is remembered begins and ends there.
        var edges: [(Instant, ZoneRules, LocalTime, WeekdaySet, DailyWindow)] = []
        for _ in 0..<400 {
            let after = Int64.random(in: 0...30 * 86_400_000, using: &random)
            var instant = Instant(milliseconds: start + (Bool.random(using: &random) ? after : after / 60_000 * 60_000))
            var zone = some.randomElement(using: &random) ?? .utc
            var (time, days) = (
                times.randomElement(using: &random) ?? .midnight, sets.randomElement(using: &random) ?? []
            )
            var window = windows.randomElement(using: &random) ?? windows[0]
            if Bool.random(using: &random), let edge = edges.suffix(8).randomElement(using: &random) {
                (instant, zone, time, days, window) = edge
                instant = instant.advanced(byMilliseconds: Int64.random(in: -1...1, using: &random))
            }
            let slot = zone.nextSlot(time: time, days: days, strictlyAfter: instant)
            #expect(almanac.nextSlot(zone, time: time, days: days, strictlyAfter: instant) == slot, "seed \(seed)")
            #expect(
                almanac.end(of: window, containing: instant, in: zone)
                    == window.interval(containing: instant, in: zone)?.upperBound, "seed \(seed)")
            let next = window.next(after: instant, in: zone)
            #expect(almanac.start(of: window, after: instant, in: zone) == next?.lowerBound, "seed \(seed)")
            for edge in [slot?.instant, next?.lowerBound, next?.upperBound].compactMap(\.self) {
                edges.append((edge, zone, time, days, window))
            }
            #expect(almanac.text(of: zone.local(at: instant)) == zone.local(at: instant).description)
        }
    }

    private func time(_ random: inout SeededRandom) -> LocalTime {
        LocalTime(minuteOfDay: Int.random(in: 0..<48, using: &random) * 30) ?? .midnight
    }

    private func days(_ random: inout SeededRandom) -> WeekdaySet {
        WeekdaySet(rawValue: UInt8.random(in: 1...127, using: &random))
    }
}
