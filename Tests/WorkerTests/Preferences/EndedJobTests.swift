import Testing
import Worker

@testable import Notices

/// What waited at its sender while the person did what it was for is not sent any more (`P2`, `S1`).
@Suite("Jobs that nobody needs any more")
struct EndedJobTests {
    private static func opens(_ job: String) -> Told { Told("notice_opened", "{\"job\":\"anna/\(job)\"}") }
    private static func dismisses(_ job: String) -> Told { Told("notice_dismissed", "{\"job\":\"anna/\(job)\"}") }

    /// What stands against a job now; `nil` for nothing.
    private func end(of job: String, _ kind: String, in scenario: Scenario, on channel: Channel = .push) -> String? {
        var topic = JobTopic(kind: kind)
        topic.job = "anna/\(job)"
        var objection: String?
        scenario.contact(about: topic) { objection = $0.stops.objection(to: channel, isTest: false) }
        return objection
    }

    private func alerted() -> Scenario {
        given(.enrolled(), .noCheckIns).when(.requested("alert"), at: "2026-03-02T09:00Z").then(
            "emitted alert/#3 [push]")
    }

    @Test func `nothing stands against a job of which nothing was told`() {
        #expect(end(of: "alert/#3", "alert", in: alerted()) == nil)
        #expect(end(of: "alert/#7", "alert", in: alerted()) == nil, "nor against one that is not known")
    }

    @Test func `what was opened or dismissed rings on no phone, and in no other channel's place`() {
        for told in [Self.opens("alert/#3"), Self.dismisses("alert/#3")] {
            let scenario = alerted().when(told, at: "2026-03-02T09:01Z")
            for channel in Channel.allCases {
                #expect(end(of: "alert/#3", "alert", in: scenario, on: channel) == Stops.End.answered.words)
            }
        }
    }

    @Test func `its own mail is for keeping, and comes all the same`() {
        let policy =
            #"{"name":"p","kinds":[{"name":"bill","channels":["push","email"],"locked":true,"required_channels":["push","email"],"on_request":true}]}"#
        let scenario = given(.enrolled("UTC", #""email":"a@example.org""#), policy: policy)
            .when(.requested("bill"), at: "2026-03-02T09:00Z").then("emitted bill/#2 [push, email]")
            .when(Self.opens("bill/#2"), at: "2026-03-02T09:01Z")
        #expect(end(of: "bill/#2", "bill", in: scenario, on: .push) == Stops.End.answered.words, "locked or not")
        #expect(end(of: "bill/#2", "bill", in: scenario, on: .email) == nil)
    }

    @Test func `of what was put off only what comes again is sent`() {
        let scenario = alerted().when(.snoozes("alert/#3", 15), at: "2026-03-02T09:01Z")
        #expect(end(of: "alert/#3", "alert", in: scenario) == Stops.End.putOff.words)
        scenario.later(at: "2026-03-02T09:16Z").then("emitted alert/#3~1 [push]")
        #expect(end(of: "alert/#3", "alert", in: scenario) == Stops.End.putOff.words)
        #expect(end(of: "alert/#3~1", "alert", in: scenario) == nil)
        scenario.when(.snoozes("alert/#3~1", 15), at: "2026-03-02T09:17Z")
        #expect(end(of: "alert/#3~1", "alert", in: scenario) == Stops.End.putOff.words)
    }

    @Test func `what was seen in the feed, or cleared, is not answered by that`() {
        let scenario = alerted().when(Told("feed_seen", "{}"), Told("history_cleared", "{}"), at: "2026-03-02T09:01Z")
        #expect(end(of: "alert/#3", "alert", in: scenario) == nil)
    }

    /// Also what is told in the millisecond in which it went out.
    private static let afterwards = ["2026-03-02T09:00Z", "2026-03-02T09:01Z"]

    @Test(arguments: afterwards) func `a check-in is over once there was a session, or a check-in`(at: String) {
        for told in [Told("session_completed", "{}"), .checkedIn()] {
            let scenario = given(.enrolled()).later(at: "2026-03-02T09:00Z").then(
                "emitted check_in/2026-03-02T09:00 [push]")
            #expect(end(of: "check_in/2026-03-02T09:00", "check_in", in: scenario) == nil)
            scenario.when(told, at: at)
            #expect(end(of: "check_in/2026-03-02T09:00", "check_in", in: scenario) == Stops.End.settled.words)
        }
    }

    @Test(arguments: afterwards)
    func `a goal's reminder is over once it was checked in on, or ended; another goal's is not`(at: String) {
        for told in [Told.checkedIn("g1"), .goalEnded("g1")] {
            let scenario = given(.enrolled(), .noCheckIns, .goal("g1"), .goal("g2"))
                .when(.requested("reminder", and: #""subject":"goal:g1""#), at: "2026-03-02T09:00Z")
                .then("emitted reminder/goal:g1/#5 [push]")
                .when(.requested("alert", and: #""subject":"goal:g2""#), at: "2026-03-02T09:00Z")
                .then("emitted alert/goal:g2/#7 [push]")
            #expect(end(of: "reminder/goal:g1/#5", "reminder", in: scenario) == nil)
            scenario.when(told, at: at)
            #expect(end(of: "reminder/goal:g1/#5", "reminder", in: scenario) == Stops.End.settled.words)
            #expect(end(of: "alert/goal:g2/#7", "alert", in: scenario) == nil)
        }
    }

    @Test func `what tells of a message is over once its conversation was read or opened`() {
        for told in [Told.reads("c1"), .opens("c1")] {
            let scenario = given(.enrolled(), policy: "messageai")
                .when(.message(in: "c1"), at: "2026-03-02T09:00Z").then("emitted message/conversation:c1/#2 [push]")
            #expect(end(of: "message/conversation:c1/#2", "message", in: scenario) == nil)
            scenario.when(told, at: "2026-03-02T09:01Z")
            #expect(end(of: "message/conversation:c1/#2", "message", in: scenario) == Stops.End.answered.words)
        }
    }

    @Test func `what nobody needs any more is not sent once more (N7)`() {
        let retries = Told("job_retry_requested", #"{"job":"anna/alert/#3"}"#)
        alerted().when(.failed("alert/#3", on: "push", permanent: false), at: "2026-03-02T09:01Z")
            .when(.snoozes("alert/#3", 15), at: "2026-03-02T09:02Z")
            .refuses(
                retries, at: "2026-03-02T09:03Z",
                "data.job: \"anna/alert/#3\" is not sent again: the person has put it off since")
    }
}
