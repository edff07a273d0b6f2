import CivilTime
import Testing

@Suite("T6, local days")
struct LocalDaysTests {
    @Test(arguments: [
        // A day of 24 hours, of 23 with midnight in the gap, of 25.
        ("America/Sao_Paulo", "2018-11-03", "2018-11-03T03:00:00Z", "2018-11-04T03:00:00Z"),
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"),
        ("America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"),
        ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"),
        ("Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z", "2026-03-29T21:00:00Z"),
        ("Europe/Paris", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
        ("Europe/Paris", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
        ("Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z"),
        ("Antarctica/Troll", "2026-03-29", "2026-03-29T00:00:00Z", "2026-03-29T22:00:00Z"),
        // The clocks went back from 00:01 to 23:01: the day that had begun does not end again.
        ("America/St_Johns", "2010-11-06", "2010-11-06T02:30:00Z", "2010-11-07T02:30:00Z"),
        ("America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z", "2010-11-08T03:30:00Z"),
        // The day before a skipped date ends where the day after it begins.
        ("Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"),
        ("Pacific/Kwajalein", "1993-08-22", "1993-08-21T12:00:00Z", "1993-08-22T12:00:00Z"),
        ("Asia/Manila", "1844-12-30", "1844-12-30T15:56:08Z", "1844-12-31T15:56:08Z"),
        // With Alaska's purchase the calendar fell back a day, at half past three in the afternoon.
        ("America/Juneau", "1867-10-18", "1867-10-17T08:57:41Z", "1867-10-18T08:57:41Z"),
        ("America/Juneau", "1867-10-19", "1867-10-18T08:57:41Z", "1867-10-20T08:57:41Z"),
    ])
    func `run from their first instant to the next day's`(name: String, date: String, from: String, to: String) throws {
        let zone = try zone(name)
        let date = try #require(LocalDate(date))
        let from = try Instant(rfc3339: from)
        let to = try Instant(rfc3339: to)
        #expect(zone.startOfDay(date) == from)
        #expect(zone.dayBounds(date) == from..<to)
        for inside in [from, from.advanced(byMilliseconds: 1), to.advanced(byMilliseconds: -1)] {
            #expect(zone.day(containing: inside) == from..<to)
            #expect(zone.localDate(at: inside) == date)
        }
        #expect(zone.localDate(at: to) > date)
        #expect(zone.localDate(at: from.advanced(byMilliseconds: -1)) < date)
    }

    @Test(arguments: [
        ("Pacific/Apia", "2011-12-30"), ("Pacific/Fakaofo", "2011-12-30"), ("Pacific/Kwajalein", "1993-08-21"),
        ("Pacific/Kiritimati", "1994-12-31"), ("Pacific/Enderbury", "1994-12-31"), ("Asia/Manila", "1844-12-31"),
    ])
    func `a date skipped altogether has no instant`(name: String, date: String) throws {
        let zone = try zone(name)
        let date = try #require(LocalDate(date))
        #expect(!zone.exists(date))
        #expect(zone.startOfDay(date) == nil)
        #expect(zone.dayBounds(date) == nil)
        #expect(zone.exists(date.advanced(byDays: -1)))
        #expect(zone.exists(date.advanced(byDays: 1)))
    }

    @Test func `an evening repeated over midnight belongs to the new day`() throws {
        let zone = try zone("America/St_Johns")
        let repeated: Instant = "2010-11-07T02:45:00Z"
        #expect(zone.local(at: repeated) == "2010-11-06T23:15")
        #expect(zone.localDate(at: repeated) == "2010-11-07")
    }

    /// The day of an instant is the latest date the wall calendar had shown by then.
    @Test(arguments: 0..<2)
    func `every zone's days divide the time line in order`(part: Int) throws {
        for name in distinctZoneNames.enumerated().filter({ $0.offset % 2 == part }).map(\.element) {
            let zone = try zone(name)
            var dice = Dice(seed: UInt64(part) + 7)
            let transitions = Array(zone.transitions(in: "1840-01-01T00:00:00Z"..<"2040-01-01T00:00:00Z"))
            var latest = LocalDate(daysSince1970: .min)
            var wrong: [Instant] = []
            for transition in transitions {
                let before = transition.instant.advanced(byMilliseconds: -1)
                latest = max(latest, zone.local(at: before).date)
                for minutes in [0, 1, 30, 59, .random(in: 0...3000, using: &dice)] as [Int64] {
                    let instant = transition.instant.advanced(byMinutes: minutes)
                    let date = max(latest, zone.local(at: instant).date)
                    let day = zone.day(containing: instant)
                    if zone.localDate(at: instant) != date || zone.dayBounds(date) != day || !day.contains(instant)
                        || zone.day(containing: day.upperBound).lowerBound != day.upperBound
                        || zone.day(containing: day.lowerBound.advanced(byMilliseconds: -1)).upperBound
                            != day.lowerBound
                    {
                        wrong.append(instant)
                    }
                }
            }
            #expect(wrong == [], "\(name)")
        }
    }
}
