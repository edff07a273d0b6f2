import CivilTime
import Notices
import Testing
import Worker

@Suite("A person's history (SPEC §11)")
struct PersonHistoryTests {
    /// As of a moment at which everything has been told.
    private func history(
        _ scenario: Scenario, status: HistoryQuery.Status? = nil, days: Int = 7, at now: String = "2026-03-03T12:00Z"
    ) -> HistoryReport {
        var history = PersonHistory(of: "anna")
        for event in scenario.log { history.take(event) }
        return history.report(
            HistoryQuery(user: "anna", status: status, days: days, now: Instant(local: now)))
    }

    private func told(_ report: HistoryReport) -> [String] {
        report.entries.map { "\($0.status.rawValue) \($0.name.dropFirst("anna/".count))" }
    }

    private let calm = given(.enrolled(), .noCheckIns)

    @Test func `a job is queued until a channel has taken it`() {
        calm.when(.requested("alert"), at: "2026-03-02T10:00Z")
        #expect(told(history(calm)) == ["queued alert/#3"])
        #expect(history(calm).entries.first?.state == .emitted)
        calm.when(.delivered("alert/#3"), at: "2026-03-02T10:01Z")
        #expect(told(history(calm)) == ["sent alert/#3"])
    }

    @Test func `a failure is one only while no channel has got through`() throws {
        calm.when(.requested("alert"), at: "2026-03-02T10:00Z")
            .when(.failed("alert/#3", on: "push", permanent: true), at: "2026-03-02T10:01Z")
        let entry = try #require(history(calm).entries.first)
        #expect(entry.status == .failed)
        #expect(entry.outcomes.map(\.word) == [.failed("bounced", isPermanent: true)])
        calm.when(.delivered("alert/#3", on: "email"), at: "2026-03-02T10:02Z")
        #expect(history(calm).entries.first?.status == .sent)
        calm.when(.failed("alert/#3", on: "push", permanent: true), at: "2026-03-02T10:03Z")
        #expect(history(calm).entries.first?.status == .sent)
    }

    @Test func `what is held is queued, with its end and its reason, under the moment it was raised`() {
        calm.when(.requested("reminder"), at: "2026-03-02T23:30Z")
        let entry = history(calm).entries.first
        #expect(entry?.state == .held(until: Instant(local: "2026-03-03T08:00Z"), .quietHours))
        #expect(entry?.status == .queued)
        #expect(entry?.shownAt == Instant(local: "2026-03-02T23:30Z"))
        calm.later(at: "2026-03-03T08:00Z")
        #expect(history(calm).entries.map(\.state) == [.emitted])
        #expect(history(calm).entries.first?.shownAt == Instant(local: "2026-03-03T08:00Z"))
        #expect(history(calm).entries.first?.raisedAt == Instant(local: "2026-03-02T23:30Z"))
    }

    @Test func `what was dropped is blocked, with the word of the rule`() {
        calm.when(.wants(#"{"enabled":false}"#), .requested("alert"), at: "2026-03-02T10:00Z")
        #expect(told(history(calm)) == ["blocked alert/#4"])
        #expect(history(calm).entries.first?.state == .dropped(.optedOut))
    }

    @Test func `slots that raised nothing are blocked as well, those of one kind together`() {
        let eager = given(.enrolled(), .wants(#"{"frequency":"daily"}"#)).asleep(until: "2026-03-05T20:00Z")
        let skipped = history(eager, at: "2026-03-05T20:00Z").entries.filter { $0.kind == "check_in" }
        #expect(
            skipped.map(\.state) == [
                .skipped(.missed, first: "2026-03-02T09:00", last: "2026-03-05T09:00", count: 4)
            ])
        #expect(skipped.first?.status == .blocked)
    }

    @Test func `a digest lists what went out in it, with the titles asked for`() {
        calm.when(.wants(#"{"digest_mode":true}"#), at: "2026-03-02T10:00Z")
            .when(
                .requested("reminder", "tea", and: #""title":"Tea""#), .requested("reminder"), at: "2026-03-02T11:00Z")
        #expect(told(history(calm)) == ["queued reminder/tea/#4", "queued reminder/#6"])
        #expect(
            history(calm).entries.first?.state == .gathered(into: "anna/daily_digest/2026-03-02T18:00", .digestMode))
        calm.later(at: "2026-03-02T18:00Z")
        let digest = history(calm).entries
        #expect(told(history(calm)) == ["queued daily_digest/2026-03-02T18:00"])
        #expect(digest.first?.parts.map(\.notice) == ["anna/reminder/tea/#4", "anna/reminder/#6"])
        #expect(digest.first?.parts.map(\.title) == ["Tea", nil])
        #expect(digest.first?.parts.map(\.kind) == ["reminder", "reminder"])
        #expect(digest.first?.parts.map(\.subject) == ["tea", nil])
    }

    @Test func `a bundle lists all that it bundles, the first too`() {
        calm.when(.requested("reminder", "tea"), .requested("reminder", "cake"), at: "2026-03-02T23:00Z")
            .later(at: "2026-03-03T08:00Z")
        let bundle = history(calm).entries
        #expect(told(history(calm)) == ["queued reminder/cake/#5"])
        #expect(bundle.first?.parts.map(\.subject) == ["cake", "tea"])
    }

    @Test func `what the person did stands beside the job, a repeat by itself`() {
        calm.when(.requested("alert"), at: "2026-03-02T10:00Z")
            .when(Told("notice_opened", #"{"job":"anna/alert/#3"}"#), at: "2026-03-02T10:05Z")
            .when(Told("notice_dismissed", #"{"job":"anna/alert/#3"}"#), at: "2026-03-02T10:06Z")
            .when(Told("feedback_given", #"{"job":"anna/alert/#3","helpful":false}"#), at: "2026-03-02T10:07Z")
            .when(.snoozes("alert/#3", 15), at: "2026-03-02T10:08Z")
            .later(at: "2026-03-02T11:00Z")
        let entries = history(calm).entries
        #expect(entries.map(\.name) == ["anna/alert/#3", "anna/alert/#3~1"])
        #expect(
            entries.first?.answers.map(\.act) == [
                .opened, .dismissed, .judged(isHelpful: false), .snoozed(minutes: 15),
            ])
    }

    // MARK: What is shown

    @Test func `a cleared history hides what had ended, and for ever; what waits is no history yet`() {
        calm.when(.requested("alert"), at: "2026-03-02T21:00Z")
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .when(Told("history_cleared"), at: "2026-03-02T23:30Z")
        #expect(told(history(calm)) == ["queued reminder/#5"])
        #expect(history(calm).clearedAt == Instant(local: "2026-03-02T23:30Z"))
        calm.when(.delivered("alert/#3"), at: "2026-03-02T23:31Z")
        #expect(told(history(calm)) == ["queued reminder/#5"])
        calm.later(at: "2026-03-03T08:00Z")
        #expect(history(calm).entries.map(\.state) == [.emitted])
    }

    @Test func `days are counted back from now to the millisecond, and what waits is older than none`() {
        calm.when(.requested("alert"), at: "2026-03-02T10:00Z")
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
        let last = history(calm, days: 1, at: "2026-03-03T10:00Z")
        #expect(told(last) == ["queued alert/#3", "queued reminder/#5"])
        #expect(last.lastBefore == nil)
        let later = history(calm, days: 1, at: justAfter("2026-03-03T10:00Z"))
        #expect(told(later) == ["queued reminder/#5"])
        #expect(later.lastBefore == Instant(local: "2026-03-02T10:00Z"))
        #expect(told(history(calm, days: 1, at: "2026-04-03T10:00Z")) == ["queued reminder/#5"])
    }

    @Test func `of one status the last of before is the last of that status`() {
        calm.when(.requested("alert"), at: "2026-03-02T10:00Z")
            .when(.delivered("alert/#3"), at: "2026-03-02T10:01Z")
            .when(.requested("alert"), at: "2026-03-02T11:00Z")
        let lasts: [(status: HistoryQuery.Status, last: String?)] = [
            (.sent, "2026-03-02T10:00Z"), (.queued, "2026-03-02T11:00Z"), (.blocked, nil), (.failed, nil),
        ]
        for (status, last) in lasts {
            let report = history(calm, status: status, at: "2026-03-12T10:00Z")
            #expect(report.entries.isEmpty && report.counts.isEmpty, "\(status)")
            #expect(report.lastBefore == last.map { Instant(local: $0) }, "\(status)")
        }
    }

    @Test func `one status may be asked for; the counts are of all`() {
        calm.when(.requested("alert"), .requested("alert"), at: "2026-03-02T10:00Z")
            .when(.delivered("alert/#3"), at: "2026-03-02T10:01Z")
        let sent = history(calm, status: .sent, at: "2026-03-02T12:00Z")
        #expect(told(sent) == ["sent alert/#3"])
        #expect(sent.counts == [.sent: 1, .queued: 1])
        #expect(told(history(calm, status: .blocked)) == [])
    }

    @Test func `what was asked for while nobody decided is queued`() throws {
        var request = NoticeRequested()
        request.kind = Identifier("alert")
        request.title = Text("Rain")
        var history = PersonHistory(of: "anna")
        let at = Instant(local: "2026-03-02T10:00Z")
        history.take(Event(seq: 7, at: at, user: "anna", payload: .noticeRequested(request)))
        history.take(Event(seq: 8, at: at, user: "bert", payload: .noticeRequested(request)))
        let entries = history.report(HistoryQuery(user: "anna", now: at)).entries
        #expect(entries.map(\.name) == ["anna/alert/#7"])
        #expect(entries.first?.state == .undecided)
        #expect(entries.first?.title == "Rain")
    }
}
