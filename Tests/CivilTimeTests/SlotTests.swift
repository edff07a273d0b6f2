import CivilTime
import Testing

@Suite("T8, slots")
struct SlotTests {
    @Test func `the next one is strictly after`() throws {
        let paris = try zone("Europe/Paris")
        let today = paris.nextSlot(time: "09:00", days: .all, strictlyAfter: "2026-03-02T07:59:59.999Z")
        #expect(today == SlotMoment(date: "2026-03-02", time: "09:00", instant: "2026-03-02T08:00:00Z"))
        let atIt = paris.nextSlot(time: "09:00", days: .all, strictlyAfter: "2026-03-02T08:00:00Z")
        #expect(atIt == SlotMoment(date: "2026-03-03", time: "09:00", instant: "2026-03-03T08:00:00Z"))
        let after = paris.nextSlot(time: "09:00", days: .all, strictlyAfter: "2026-03-02T08:00:00.001Z")
        #expect(after == atIt)
        let monday = paris.nextSlot(time: "09:00", days: .mon, strictlyAfter: "2026-03-02T08:00:00Z")
        #expect(monday?.local == "2026-03-09T09:00")
        #expect(paris.nextSlot(time: "09:00", days: [], strictlyAfter: "2026-03-02T08:00:00Z") == nil)
    }

    @Test func `one in a gap keeps its nominal time and comes after the gap`() throws {
        let troll = try zone("Antarctica/Troll")
        let slot = troll.nextSlot(time: "02:30", days: .all, strictlyAfter: "2026-03-29T00:59:59.999Z")
        #expect(slot == SlotMoment(date: "2026-03-29", time: "02:30", instant: "2026-03-29T01:00:00Z"))
        let next = troll.nextSlot(time: "02:30", days: .all, strictlyAfter: "2026-03-29T01:00:00Z")
        #expect(next == SlotMoment(date: "2026-03-30", time: "02:30", instant: "2026-03-30T00:30:00Z"))
    }

    @Test func `one at a time that comes twice comes once`() throws {
        let paris = try zone("Europe/Paris")
        let slots = paris.slots(time: "02:30", days: .all, in: "2026-10-24T12:00:00Z"..<"2026-10-26T12:00:00Z")
        #expect(
            Array(slots) == [
                SlotMoment(date: "2026-10-25", time: "02:30", instant: "2026-10-25T00:30:00Z"),
                SlotMoment(date: "2026-10-26", time: "02:30", instant: "2026-10-26T01:30:00Z"),
            ])
    }

    @Test func `a skipped date has none (T6)`() throws {
        let apia = try zone("Pacific/Apia")
        let slots = apia.slots(time: "09:00", days: .all, in: "2011-12-29T10:00:00Z"..<"2012-01-01T10:00:00Z")
        #expect(slots.map(\.date) == ["2011-12-29", "2011-12-31", "2012-01-01"] as [LocalDate])
        let friday = apia.nextSlot(time: "09:00", days: .fri, strictlyAfter: "2011-12-24T00:00:00Z")
        #expect(friday?.date == "2012-01-06")
        let midnight = apia.nextSlot(time: "00:00", days: .all, strictlyAfter: "2011-12-30T09:59:59.999Z")
        #expect(midnight == SlotMoment(date: "2011-12-31", time: "00:00", instant: "2011-12-30T10:00:00Z"))
    }

    @Test func `a range holds its lower bound and not its upper one`() throws {
        let utc = ZoneRules.utc
        let slots = utc.slots(time: "09:00", days: .all, in: "2026-03-02T09:00:00Z"..<"2026-03-04T09:00:00Z")
        #expect(slots.map(\.date) == ["2026-03-02", "2026-03-03"] as [LocalDate])
        let years = utc.slots(time: "09:00", days: .mon, in: "2020-01-01T00:00:00Z"..<"2030-01-01T00:00:00Z")
        #expect(years.reduce(0) { count, _ in count + 1 } == 522)
    }

    /// A slot is where the wall clock first shows its time, by looking at the clock every minute.
    @Test(arguments: 0..<250 as Range<UInt64>)
    func `the next one is where looking at the clock every minute finds it`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let watch = try ClockWatch(near: &dice)
        let time = try #require(LocalTime(minuteOfDay: watch.interestingMinute(&dice)))
        let days = WeekdaySet(rawValue: UInt8.random(in: 1...127, using: &dice))
        let slots = watch.dates.filter { days.contains($0.weekday) }.compactMap { date in
            watch.first(LocalDateTime(date: date, time: time)).map {
                SlotMoment(date: date, time: time, instant: $0)
            }
        }
        var wrong: [Instant] = []
        for _ in 0..<50 {
            let instant = watch.randomInstant(&dice)
            guard let expected = slots.first(where: { $0.instant > instant }) else { continue }
            if watch.zone.nextSlot(time: time, days: days, strictlyAfter: instant) != expected { wrong.append(instant) }
        }
        #expect(wrong == [], "seed \(seed), \(watch.zone) at \(time) on \(days)")
    }
}
