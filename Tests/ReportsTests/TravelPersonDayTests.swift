import CivilTime
import Notices
import Testing
import Worker

@testable import Reports

@Suite("A person's day where clocks change, and on journeys (T6, V1)")
struct TravelPersonDayTests {
    private func told(_ ranges: [Range<Instant>]) -> [String] { ranges.map { "\($0.lowerBound)/\($0.upperBound)" } }

    @Test func `days of 23 and 25 hours have their length, and a date that was skipped is none (T6)`() throws {
        func life(_ zone: String, _ from: String, _ until: String) throws -> Life {
            try Life(until: until, [(from, "user_enrolled", #"{"timezone":"\#(zone)"}"#)])
        }
        let paris = try life("Europe/Paris", "2026-03-01T12:00:00Z", "2026-11-01T12:00:00Z")
        for (date, hours) in [("2026-03-29", 23), ("2026-10-25", 25), ("2026-07-01", 24)] {
            let day = try paris.day(date, now: "2026-11-01T12:00:00Z")
            #expect(day.day.upperBound.milliseconds(since: day.day.lowerBound) == Int64(hours) * 3_600_000, "\(date)")
        }
        let apia = try life("Pacific/Apia", "2011-12-01T12:00:00Z", "2012-01-05T12:00:00Z")
        #expect(throws: PersonDay.Problem.noSuchDate("2011-12-30 never was a date in Pacific/Apia")) {
            try apia.day("2011-12-30", now: "2012-01-05T12:00:00Z")
        }
        #expect(try apia.day("2011-12-31", now: "2012-01-05T12:00:00Z").marks.isEmpty)
    }

    @Test func `the dates beside one are those that the person had, and none beyond the calendar (T6)`() throws {
        func beside(_ life: Life, _ date: String, now: String) throws -> [String?] {
            let day = try life.day(date, now: now)
            return [day.previousDate, day.nextDate].map { $0.map { "\($0)" } }
        }
        let apia = try Life(
            until: "2012-01-05T12:00:00Z",
            [("2011-12-01T12:00:00Z", "user_enrolled", #"{"timezone":"Pacific/Apia"}"#)])
        let now = "2012-01-05T12:00:00Z"
        #expect(try beside(apia, "2011-12-28", now: now) == ["2011-12-27", "2011-12-29"])
        #expect(try beside(apia, "2011-12-29", now: now) == ["2011-12-28", "2011-12-31"])
        #expect(try beside(apia, "2011-12-31", now: now) == ["2011-12-29", "2012-01-01"])
        #expect(try beside(apia, "9999-12-31", now: now) == ["9999-12-30", nil])
        let today = try apia.day(nil, now: now)
        #expect(today.document["next_date"]?.string == "2012-01-07" && today.document["date"]?.string == "2012-01-06")
    }

    @Test func `whoever travels has the day of the zone they came to`() throws {
        let life = try Life(
            until: "2026-03-04T12:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
                ("2026-03-02T15:00:00Z", "timezone_changed", #"{"timezone":"America/New_York"}"#),
            ])
        let day = try life.day("2026-03-02", now: "2026-03-04T12:00:00Z")
        #expect(day.zone == "America/New_York")
        // From its beginning in Paris.
        #expect(told([day.day]) == ["2026-03-01T23:00:00.000Z/2026-03-03T05:00:00.000Z"])
        #expect(day.marks.contains { $0.type == "timezone_changed" })
    }

    @Test func `a date that was lived twice is one day, and one that was left early ends there (T6)`() throws {
        func life(_ from: String, _ at: String, _ to: String) throws -> Life {
            try Life(
                until: "2026-03-06T12:00:00Z",
                [
                    ("2026-02-20T12:00:00Z", "user_enrolled", #"{"timezone":"\#(from)"}"#),
                    (at, "timezone_changed", #"{"timezone":"\#(to)"}"#),
                ])
        }
        // Nine minutes into the 4th in Tokyo, and it is the 3rd again.
        let west = try life("Asia/Tokyo", "2026-03-03T15:09:00Z", "Pacific/Honolulu")
        for (date, now) in [("2026-03-03", "2026-03-04T01:00:00Z"), ("2026-03-03", "2026-03-06T12:00:00Z")] {
            let day = try west.day(date, now: now)
            #expect(day.zone == "Pacific/Honolulu")
            #expect(told([day.day]) == ["2026-03-02T15:00:00.000Z/2026-03-04T10:00:00.000Z"])
        }
        let today = try west.day(nil, now: "2026-03-04T01:00:00Z")
        #expect(today.day == (try west.day("2026-03-03", now: "2026-03-04T01:00:00Z")).day && today.now != nil)
        // Troll is at UTC in winter; in Apia it is the next day by then.
        let east = try life("Antarctica/Troll", "2026-03-03T14:47:00Z", "Pacific/Apia")
        let left = try east.day("2026-03-03", now: "2026-03-06T12:00:00Z")
        #expect(left.zone == "Antarctica/Troll")
        #expect(told([left.day]) == ["2026-03-03T00:00:00.000Z/2026-03-03T14:47:00.000Z"])
        #expect(left.quiet.map(\.upperBound).contains(try Instant(rfc3339: "2026-03-03T08:00:00Z")))
        let next = try east.day("2026-03-04", now: "2026-03-06T12:00:00Z")
        #expect(told([next.day]) == ["2026-03-03T14:47:00.000Z/2026-03-04T11:00:00.000Z"])
    }

    @Test func `who flies over midnight and back has each moment on one day (T6)`() throws {
        let life = try Life(
            until: "2026-03-06T12:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"America/Los_Angeles"}"#),
                ("2026-03-02T18:00:00Z", "timezone_changed", #"{"timezone":"Asia/Tokyo"}"#),
                ("2026-03-02T20:00:00Z", "notice_requested", #"{"kind":"urgent","title":"Fire"}"#),
                ("2026-03-03T01:00:00Z", "timezone_changed", #"{"timezone":"America/Los_Angeles"}"#),
            ])
        // In Tokyo it was the 3rd, and then the 2nd again.
        let second = try life.day("2026-03-02", now: "2026-03-06T12:00:00Z")
        #expect(told([second.day]) == ["2026-03-02T08:00:00.000Z/2026-03-03T08:00:00.000Z"])
        #expect(second.zones == ["America/Los_Angeles", "Asia/Tokyo", "America/Los_Angeles"])
        #expect(second.allJobs == second.marks.count { $0.type == "emitted" } && second.allJobs > 0)
        let third = try life.day("2026-03-03", now: "2026-03-06T12:00:00Z")
        #expect(told([third.day]) == ["2026-03-03T08:00:00.000Z/2026-03-04T08:00:00.000Z"])
        #expect(third.zones == ["America/Los_Angeles"])
    }

    @Test func `a zone that somebody had for no time at all makes no day (T6)`() throws {
        let life = try Life(
            until: "2026-03-06T12:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
                // Where it is still the 1st.
                ("2026-03-02T10:00:00Z", "timezone_changed", #"{"timezone":"Pacific/Pago_Pago"}"#),
                ("2026-03-02T10:00:00Z", "timezone_changed", #"{"timezone":"Europe/Berlin"}"#),
            ])
        let day = try life.day("2026-03-02", now: "2026-03-06T12:00:00Z")
        #expect(told([day.day]) == ["2026-03-01T23:00:00.000Z/2026-03-02T23:00:00.000Z"])
        #expect(try life.day("2026-03-01", now: "2026-03-06T12:00:00Z").zones == ["Europe/Paris"])
    }
}
