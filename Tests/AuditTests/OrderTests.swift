import Audit
import CivilTime
import Notices
import Testing

@Suite("Order, ids and names, as the judge sees them")
struct OrderTests {
    private static let noon = "2026-03-02T12:00:00Z"

    @Test func `recorded time never goes backwards`() throws {
        let opened = { (at: String) in fact(at, "app_opened") }
        #expect(try History(enrolled(), opened(Self.noon), opened(Self.noon)).found() == [])
        #expect(try History(enrolled(), opened(Self.noon), opened("2026-03-02T11:59:59.999Z")).found() == ["clock 3"])
    }

    @Test func `events are numbered in order`() throws {
        let at = try Instant(rfc3339: Self.noon)
        let count = { (numbers: [UInt64]) in
            var auditor = Auditor { _ in nil }
            for seq in numbers {
                auditor.take(Event(seq: seq, at: at, user: "anna", payload: .appOpened(AppOpened())))
            }
            return auditor.finish()[.numbers].violations
        }
        #expect(count([1, 2, 5]) == 0)
        #expect(count([1, 2, 2]) == 1)
        #expect(count([2, 1]) == 1)
    }

    @Test func `no fact twice, whoever it is about`() throws {
        let opened = fact(Self.noon, "app_opened")
        #expect(try History(opened.with(id: "a"), opened.with(id: "b"), opened).found() == [])
        #expect(
            try History(opened.with(id: "a"), opened.with(id: "b"), opened.about("bert").with(id: "a")).found()
                == ["fact_ids 3"])
    }

    @Test func `no job twice`() throws {
        let out = job(Self.noon, "anna/alert/#2")
        let later = job("2026-03-02T13:00:00Z", "anna/alert/#2")
        #expect(
            try History(enrolled(), requested(Self.noon, "alert"), out, later).found() == ["job_ids 4", "endings 4"])
    }

    @Test func `a job is named after its first notice and says the kind of all of them`() throws {
        let two = [requested(Self.noon), requested(Self.noon)]
        let out = { (id: String, notices: [String], kind: String) in
            try History(Policies.standard, [enrolled()] + two + [job(Self.noon, id, notices: notices, kind: kind)])
                .found().map { String($0.split(separator: " ")[0]) }
        }
        let (first, second) = ("anna/reminder/#2", "anna/reminder/#3")
        #expect(try out(first, [first, second], "reminder") == [])
        #expect(try out(second, [first, second], "reminder") == ["names"])
        #expect(try out(first, [first, second], "alert") == ["names", "bundles"])
        #expect(try out(first, [first, second], "unheard_of") == ["kinds"])
    }

    @Test func `every check that was asked is counted`() throws {
        let history = History(enrolled(), requested(Self.noon), job(Self.noon, "anna/reminder/#2"))
        #expect(try history.found() == [])
        for check in [Check.quietHours, .dailyCap, .cooldown, .masterSwitch, .kindSwitch, .channels, .zones] {
            #expect(try history.asked(check) == 1, "\(check)")
        }
        for check in [Check.overload, .consent, .viewing, .snoozes, .schedule] {
            #expect(try history.asked(check) == 0, "\(check)")
        }
        // Its notice, and its kind.
        #expect(try history.asked(.names) == 2)
        let report = try history.report()
        #expect((report.events, report.facts, report.decisions, report.jobs) == (3, 2, 1, 1))
        #expect((report.notices, report.waiting, report.people) == (1, 0, 1))
    }

    @Test func `a violation names the event, the person, the rule and the values`() throws {
        let night = "2026-03-02T22:00:00Z"
        let history = History(enrolled("Europe/Paris"), requested(night), job(night, "anna/reminder/#2"))
        #expect(
            try history.report().violations.map(\.description) == [
                "event 3, 2026-03-02T22:00:00.000Z, anna: anna/reminder/#2: 2026-03-02T23:00 in Europe/Paris is in the quiet hours 22:00–08:00 (P8)"
            ])
    }

    @Test func `preferences that cannot be read fall to the defaults`() throws {
        let night = "2026-03-02T23:00:00Z"
        let policy = #"{"name":"p","preferences":7,"kinds":[3,{"name":"reminder"}],"presets":{},"daily_cap":"many"}"#
        let history = History(policy, enrolled(), requested(night), job(night, "anna/reminder/#2"))
        #expect(try history.found() == ["quiet_hours 3"])
    }
}
