import CivilTime
import Testing

@Suite("Local dates, times and weekdays")
struct LocalValueTests {
    @Test func `dates follow the calendar day by day for eight centuries`() throws {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var date = try #require(LocalDate(year: 1600, month: 1, day: 1))
        var weekday = 6
        var wrong: [LocalDate] = []
        for year in 1600..<2400 {
            let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
            for month in 1...12 {
                for day in 1...(month == 2 && isLeap ? 29 : lengths[month - 1]) {
                    if date.yearMonthDay != (year, month, day) || date.weekday.rawValue != weekday
                        || LocalDate(year: year, month: month, day: day) != date
                    {
                        wrong.append(date)
                    }
                    date = date.advanced(byDays: 1)
                    weekday = weekday % 7 + 1
                }
            }
        }
        #expect(wrong == [])
    }

    @Test func `dates are written and read`() {
        #expect("\(LocalDate(daysSince1970: 0))" == "1970-01-01")
        #expect("\("2026-03-02" as LocalDate)" == "2026-03-02")
        #expect(("2026-03-02" as LocalDate).weekday == .mon)
        #expect(("1969-12-31" as LocalDate).daysSince1970 == -1)
        #expect("\(LocalDate(year: 12_026, month: 1, day: 1)!)" == "+12026-01-01")
        #expect("\(LocalDate(year: -1, month: 1, day: 1)!)" == "-0001-01-01")
        #expect(LocalDate(daysSince1970: .max).advanced(byDays: 1) == LocalDate(daysSince1970: .max))
        #expect(LocalDate(daysSince1970: .min).advanced(byDays: .min) == LocalDate(daysSince1970: .min))
    }

    @Test(arguments: [
        "", "2026-3-2", "2026-02-29", "2026-13-01", "0000-01-01", "2026-03-02 ", "2026/03/02", "26-03-02", "2026-03-00",
    ])
    func `other dates are refused`(text: String) {
        #expect(LocalDate(text) == nil)
    }

    @Test func `times are written and read`() throws {
        for minute in 0..<1440 {
            let time = try #require(LocalTime(minuteOfDay: minute))
            #expect(LocalTime("\(time)") == time)
            #expect(LocalTime(hour: minute / 60, minute: minute % 60) == time)
        }
        #expect("\(LocalTime.midnight)" == "00:00")
        #expect(LocalTime(minuteOfDay: 1440) == nil)
        #expect(LocalTime(minuteOfDay: -1) == nil)
    }

    @Test(arguments: ["", "25:00", "24:00", "9:00", "09:60", "09:0", "09:000", "09-00", " 09:00", "09:00:00", "0９:00"])
    func `other times are refused`(text: String) {
        #expect(LocalTime(text) == nil)
    }

    @Test func `a date and time is written as in a notice's id`() {
        let local = LocalDateTime(date: "2026-03-02", time: "09:00")
        #expect("\(local)" == "2026-03-02T09:00")
        #expect(LocalDateTime(local.description) == local)
        for text in ["2026-03-02", "2026-03-02T9:00", "2026-03-02T09:00Z", "2026-03-02 09:00", "2026-02-30T09:00"] {
            #expect(LocalDateTime(text) == nil)
        }
        #expect(local < LocalDateTime(date: "2026-03-02", time: "09:01"))
        #expect(local < LocalDateTime(date: "2026-03-03", time: "00:00"))
    }

    @Test func `weekdays are named as in the preferences`() throws {
        #expect(Weekday.allCases.map(\.name) == ["mon", "tue", "wed", "thu", "fri", "sat", "sun"])
        #expect(Weekday.allCases.map(\.rawValue) == Array(1...7))
        #expect(Weekday.allCases.allSatisfy { Weekday(name: $0.name) == $0 })
        #expect(Weekday(name: "Mon") == nil)
        let days = try WeekdaySet(names: ["fri", "mon", "fri"])
        #expect(days.names == ["mon", "fri"])
        #expect(days.contains(.mon) && days.contains(.fri) && !days.contains(.sun))
        #expect(days == [.mon, .fri])
        #expect(WeekdaySet(Weekday.allCases) == .all)
        #expect(WeekdaySet(rawValue: 0xFF) == .all)
        #expect(throws: WeekdayError.unknown("funday")) { try WeekdaySet(names: ["mon", "funday"]) }
    }
}
