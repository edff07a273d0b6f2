import CivilTime
import Testing

private let night = DailyWindow(start: "22:00", end: "08:00", days: .all)

@Suite("T2 and T3, windows")
struct DailyWindowTests {
    @Test func `T2, a window holds its first instant and not its last`() throws {
        let paris = try zone("Europe/Paris")
        let window: Range<Instant> = "2026-03-02T21:00:00Z"..<"2026-03-03T07:00:00Z"
        #expect(night.interval(containing: "2026-03-02T20:59:59.999Z", in: paris) == nil)
        #expect(night.interval(containing: "2026-03-02T21:00:00.000Z", in: paris) == window)
        #expect(night.interval(containing: "2026-03-03T06:59:59.999Z", in: paris) == window)
        #expect(night.interval(containing: "2026-03-03T07:00:00.000Z", in: paris) == nil)
        #expect(night.contains("2026-03-02T21:00:00.000Z", in: paris))
        #expect(!night.contains("2026-03-03T07:00:00.000Z", in: paris))
    }

    @Test func `T3, a window overnight belongs to the day it starts on`() throws {
        let utc = ZoneRules.utc
        let friday = DailyWindow(start: "22:00", end: "08:00", days: .fri)
        // 2026-03-06 is a Friday.
        #expect(friday.interval(containing: "2026-03-06T21:59:59.999Z", in: utc) == nil)
        #expect(friday.interval(containing: "2026-03-06T03:00:00Z", in: utc) == nil)
        let window: Range<Instant> = "2026-03-06T22:00:00Z"..<"2026-03-07T08:00:00Z"
        #expect(friday.interval(containing: "2026-03-06T22:00:00Z", in: utc) == window)
        #expect(friday.interval(containing: "2026-03-07T07:59:59.999Z", in: utc) == window)
        #expect(friday.interval(containing: "2026-03-07T22:00:00Z", in: utc) == nil)
        #expect(friday.interval(startingOn: "2026-03-06", in: utc) == window)
        #expect(friday.interval(startingOn: "2026-03-07", in: utc) == nil)
    }

    @Test func `the next window begins strictly after`() throws {
        let utc = ZoneRules.utc
        let hours = DailyWindow(start: "09:00", end: "17:00", days: .workdays)
        let monday: Range<Instant> = "2026-03-09T09:00:00Z"..<"2026-03-09T17:00:00Z"
        #expect(hours.next(after: "2026-03-06T09:00:00Z", in: utc) == monday)
        #expect(hours.next(after: "2026-03-07T12:00:00Z", in: utc) == monday)
        #expect(hours.next(after: "2026-03-09T08:59:59.999Z", in: utc) == monday)
        #expect(hours.next(after: "2026-03-09T09:00:00Z", in: utc)?.lowerBound == "2026-03-10T09:00:00Z")
        #expect(DailyWindow(start: "09:00", end: "17:00", days: []).next(after: .distantPast, in: utc) == nil)
    }

    @Test func `windows that touch are one`() throws {
        let utc = ZoneRules.utc
        let weekend = DailyWindow(start: "00:00", end: "00:00", days: .weekend)
        let window: Range<Instant> = "2026-03-07T00:00:00Z"..<"2026-03-09T00:00:00Z"
        #expect(weekend.interval(containing: "2026-03-07T00:00:00Z", in: utc) == window)
        #expect(weekend.interval(containing: "2026-03-08T23:59:59.999Z", in: utc) == window)
        #expect(weekend.interval(containing: "2026-03-09T00:00:00Z", in: utc) == nil)
        #expect(weekend.next(after: "2026-03-04T00:00:00Z", in: utc) == window)
        let always = DailyWindow(start: "12:00", end: "12:00", days: .all)
        let week = always.interval(containing: "2026-03-04T00:00:00Z", in: utc)
        #expect(week?.contains("2026-03-10T00:00:00Z") == true)
        #expect(always.next(after: "2026-03-04T00:00:00Z", in: utc) == nil)
    }

    @Test func `T4, an end in a gap is the first instant after it`() throws {
        let paris = try zone("Europe/Paris")
        let window = DailyWindow(start: "22:00", end: "02:30", days: .all)
        #expect(
            window.interval(containing: "2026-03-29T00:00:00Z", in: paris)
                == "2026-03-28T21:00:00Z"..<"2026-03-29T01:00:00Z")
        let skipped = DailyWindow(start: "02:00", end: "03:00", days: .all)
        #expect(skipped.interval(startingOn: "2026-03-29", in: paris) == nil)
        #expect(skipped.interval(containing: "2026-03-29T01:00:00Z", in: paris) == nil)
        #expect(skipped.next(after: "2026-03-28T12:00:00Z", in: paris)?.lowerBound == "2026-03-30T00:00:00Z")
    }

    @Test func `T5, the first start and the second end`() throws {
        let paris = try zone("Europe/Paris")
        let evening = DailyWindow(start: "22:00", end: "02:30", days: .all)
        #expect(
            evening.interval(containing: "2026-10-25T01:29:59.999Z", in: paris)
                == "2026-10-24T20:00:00Z"..<"2026-10-25T01:30:00Z")
        let morning = DailyWindow(start: "02:30", end: "08:00", days: .all)
        #expect(
            morning.interval(containing: "2026-10-25T00:30:00Z", in: paris)
                == "2026-10-25T00:30:00Z"..<"2026-10-25T07:00:00Z")
        let nearlyAll = DailyWindow(start: "02:30", end: "02:15", days: .all)
        #expect(nearlyAll.interval(containing: "2026-10-25T00:20:00Z", in: paris)?.upperBound == "2026-10-26T01:15:00Z")
    }

    @Test func `T5, quiet through an evening repeated over midnight`() throws {
        let stJohns = try zone("America/St_Johns")
        let window = DailyWindow(start: "00:00", end: "06:00", days: .sun)
        // 00:00 came at 02:30Z, the clocks went back from 00:01 to Saturday 23:01 a minute later.
        #expect(window.contains("2010-11-07T02:45:00Z", in: stJohns))
        #expect(!window.contains("2010-11-07T02:29:59.999Z", in: stJohns))
    }

    @Test func `T6, the night before a skipped date lasts into the next day there is`() throws {
        let apia = try zone("Pacific/Apia")
        let window: Range<Instant> = "2011-12-30T08:00:00Z"..<"2011-12-30T18:00:00Z"
        #expect(night.interval(containing: "2011-12-30T13:00:00Z", in: apia) == window)
        let thursday = DailyWindow(start: "22:00", end: "08:00", days: .thu)
        #expect(thursday.interval(containing: "2011-12-30T13:00:00Z", in: apia) == window)
        let friday = DailyWindow(start: "22:00", end: "08:00", days: .fri)
        #expect(friday.interval(containing: "2011-12-30T13:00:00Z", in: apia) == nil)
    }

    /// A window's minutes are those between where the clock showed its start and its end.
    @Test(arguments: 0..<400 as Range<UInt64>)
    func `windows are where looking at the clock every minute finds them`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let watch = try ClockWatch(near: &dice)
        let start = try #require(LocalTime(minuteOfDay: watch.interestingMinute(&dice)))
        let end = try #require(LocalTime(minuteOfDay: watch.interestingMinute(&dice)))
        let some = WeekdaySet(rawValue: .random(in: 1...127, using: &dice))
        let days = Bool.random(using: &dice) ? .all : some
        guard start != end else { return }
        let window = DailyWindow(start: start, end: end, days: days)
        let unions = watch.unions(of: window)
        var wrong: [Instant] = []
        for _ in 0..<50 {
            let instant = watch.randomInstant(&dice)
            let expected = unions.first { $0.contains(instant) }
            if window.interval(containing: instant, in: watch.zone) != expected { wrong.append(instant) }
            guard let next = unions.first(where: { $0.lowerBound > instant }) else { continue }
            if window.next(after: instant, in: watch.zone) != next { wrong.append(instant) }
        }
        #expect(wrong == [], "seed \(seed), \(watch.zone), \(start) to \(end) on \(days)")
    }
}

extension ClockWatch {
    /// The runs of minutes covered by the windows of the dates that were seen whole.
    fileprivate func unions(of window: DailyWindow) -> [Range<Instant>] {
        var covered = Set<Instant>()
        for (date, next) in zip(dates, dates.dropFirst()) where window.days.contains(date.weekday) {
            let endDate = window.end <= window.start ? next : date
            guard var minute = first(LocalDateTime(date: date, time: window.start)),
                let end = last(LocalDateTime(date: endDate, time: window.end))
            else { continue }
            while minute < end {
                covered.insert(minute)
                minute = minute.advanced(byMinutes: 1)
            }
        }
        var unions: [Range<Instant>] = []
        for minute in covered.sorted() {
            let end = minute.advanced(byMinutes: 1)
            if let last = unions.last, last.upperBound == minute {
                unions[unions.count - 1] = last.lowerBound..<end
            } else {
                unions.append(minute..<end)
            }
        }
        return unions
    }
}
