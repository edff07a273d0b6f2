import CivilTime
import Notices
import Simulation
import Testing

@Suite("S1, repeats that come late")
struct LateRepeatTests {
    /// A reminder that is told on a Monday evening and asked for again a quarter of an hour later. Nobody is awake by then.
    private func snoozed(_ facts: Told..., at evening: String = "2026-03-02T21:30Z") -> Scenario {
        let scenario = given(.enrolled(), .noCheckIns)
        scenario.when(.requested("reminder", and: #""title":"T","body":"B""#), at: evening)
            .then("emitted reminder/#3 [push]")
        for fact in facts { scenario.when(fact, at: evening) }
        return scenario.when(.snoozes("reminder/#3", 15), at: evening).thenNothing()
    }

    private static let held = "held reminder/#3~1 until 2026-03-03T08:00Z quiet_hours"
    private static let again = "emitted reminder/#3~1 [push]"

    @Test func `in the night it waits for the morning: nobody asked for that hour (P8)`() {
        snoozed().asleep(until: "2026-03-03T03:10Z").then(Self.held)
            .later(at: justBefore("2026-03-03T08:00Z")).thenNothing()
            .later(at: "2026-03-03T08:00Z").then(Self.again).says("T", "B").isSentUntil("2026-03-03T12:00Z")
            .later(at: "2026-03-04T12:00Z").thenNothing()
    }

    @Test(arguments: [("22:06:00.000", true), ("22:06:00.001", false)])
    func `a minute late it is what was asked for, quiet or not`(time: String, isInTime: Bool) {
        snoozed(at: "2026-03-02T21:50Z").asleep(until: "2026-03-02T\(time)Z").then(isInTime ? Self.again : Self.held)
    }

    @Test func `by day it comes at once, in any cooldown`() {
        snoozed(at: "2026-03-02T12:00Z").asleep(until: "2026-03-02T12:25Z").then(Self.again)
    }

    private static let first = "check_in/2026-03-02T09:00"

    /// The day after the next the worker is back: the days between have been missed.
    private func checkedInWith(_ told: Told, asleepUntil back: String) -> Scenario {
        given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
            .later(at: "2026-03-02T09:00Z").then("emitted \(Self.first) [push]")
            .when(told, at: "2026-03-02T09:01Z").asleep(until: back)
    }

    @Test func `a check-in's gives way to the next one that came meanwhile, missed or not (C4)`() {
        checkedInWith(.snoozes(Self.first, 60), asleepUntil: "2026-03-04T09:30Z")
            .then(
                "dropped \(Self.first)~1 superseded", "skipped check_in 2026-03-03T09:00 missed",
                "emitted check_in/2026-03-04T09:00 [push]")
        checkedInWith(.snoozes(Self.first, 60), asleepUntil: "2026-03-03T20:00Z")
            .then("dropped \(Self.first)~1 superseded", "skipped check_in 2026-03-03T09:00 missed")
    }

    @Test func `so does one that is held when the next one comes, and no other`() {
        checkedInWith(.snoozes(Self.first, 60), asleepUntil: "2026-03-02T23:00Z")
            .then("held \(Self.first)~1 until 2026-03-03T08:00Z quiet_hours")
            .when(.wants(#"{"quiet_hours":{"end":"10:00"}}"#), at: "2026-03-03T07:00Z")
            .then("held \(Self.first)~1 until 2026-03-03T10:00Z quiet_hours")
            .later(at: "2026-03-03T09:00Z")
            .then(
                "dropped \(Self.first)~1 superseded",
                "held check_in/2026-03-03T09:00 until 2026-03-03T10:00Z quiet_hours")
    }

    @Test func `nor outside the weekly schedule (P9)`() {
        snoozed(.wants(#"{"schedule":{"mon":[["20:00","22:00"]],"tue":[["10:00","12:00"]]}}"#))
            .asleep(until: "2026-03-03T03:10Z").then(Self.held)
            .later(at: "2026-03-03T08:00Z").then("held reminder/#3~1 until 2026-03-03T10:00Z outside_schedule")
            .later(at: "2026-03-03T10:00Z").then(Self.again).isSentUntil("2026-03-03T12:00Z")
    }

    @Test func `while it waits it is asked again with every change, and told of where that changes something`() {
        let digests = Told.wants(#"{"digest_mode":true}"#)
        snoozed().asleep(until: "2026-03-03T03:10Z").then(Self.held)
            .when(digests, at: "2026-03-03T03:20Z").thenNothing()
            .when(.wants(#"{"quiet_hours":{"end":"09:00"}}"#), at: "2026-03-03T03:20Z")
            .then("held reminder/#3~1 until 2026-03-03T09:00Z quiet_hours")
            .when(.wants(#"{"quiet_hours":{"enabled":false}}"#), at: "2026-03-03T03:30Z").then(Self.again)
        snoozed().asleep(until: "2026-03-03T03:10Z").then(Self.held)
            .when(.wants(#"{"enabled":false}"#), at: "2026-03-03T03:30Z").then("dropped reminder/#3~1 opted_out")
    }

    @Test func `one that nobody has looked at yet is no reason to ask before its time`() {
        snoozed().when(.wants(#"{"quiet_hours":{"enabled":false}}"#), at: "2026-03-02T21:40Z").thenNothing()
            .later(at: "2026-03-02T21:45Z").then(Self.again)
    }

    @Test func `what is critical rings in the night, and what is shown in the app is (P14, P15)`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), at: "2026-03-02T21:30Z").then("emitted urgent/#3 [push]")
            .when(.snoozes("urgent/#3", 15), at: "2026-03-02T21:30Z")
            .asleep(until: "2026-03-03T03:10Z").then("emitted urgent/#3~1 [push]")
        snoozed().asleep(until: "2026-03-03T03:10Z").then(Self.held)
            .when(.opensApp, at: "2026-03-03T07:59Z").thenNothing()
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/#3~1 [in_app]")
    }

    @Test func `of a kind that is dropped at night it waits all the same: somebody has asked for it`() {
        let name = "message/conversation:c1/#2"
        given(.enrolled(), policy: "messageai")
            .when(.message(in: "c1"), at: "2026-03-02T21:30Z").then("emitted \(name) [push]")
            .when(.snoozes(name, 15), at: "2026-03-02T21:30Z")
            .asleep(until: "2026-03-03T03:10Z").then("held \(name)~1 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z").then("emitted \(name)~1 [push]")
    }

    @Test func `a bundle waits as one, for what is still open of it by then`() {
        given(.enrolled(), .noCheckIns, .goal("g"))
            .when(.requested("reminder", "goal:g"), at: "2026-03-02T01:10Z")
            .when(.requested("reminder", and: #""title":"Buy milk""#), at: "2026-03-02T01:20Z")
            .unwatched(until: "2026-03-02T08:00Z")
            .when(.snoozes("reminder/goal:g/#4", 120), at: "2026-03-02T21:00Z")
            .asleep(until: "2026-03-03T03:10Z")
            .then("held reminder/goal:g/#4~1 until 2026-03-03T08:00Z quiet_hours")
            .when(.goalEnded("g"), at: "2026-03-03T07:00Z").thenNothing()
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/goal:g/#4~1 [push]")
            .says("Buy milk", "You asked to be reminded.").isInThread(nil)
    }

    private static let passing = """
        {"name":"p","quiet_pass":"high","kinds":[{"name":"note","on_request":true,"bundling":true}]}
        """

    /// Two notes that waited for the evening, told as one and asked for again for the night.
    private func two(_ priority: String, first: String) -> Scenario {
        given(.enrolled(), .wants(#"{"schedule":{"mon":[["20:00","22:00"]]}}"#), policy: Self.passing)
            .when(.requested("note"), .requested("note", priority: priority), at: "2026-03-02T10:00Z")
            .unwatched(until: "2026-03-02T20:00Z")
            .when(.wants(#"{"schedule":null}"#), .snoozes(first, 120), at: "2026-03-02T20:30Z")
    }

    @Test func `and it does not wait where one of it may ring (P14)`() {
        two("high", first: "note/#5").asleep(until: "2026-03-03T03:10Z").then("emitted note/#5~1 [push] high")
        two("medium", first: "note/#3").asleep(until: "2026-03-03T03:10Z")
            .then("held note/#3~1 until 2026-03-03T08:00Z quiet_hours")
    }

    /// A log of before has such a hold, though the first of the two passes.
    @Test func `one that was held is explained by what of it had to wait`() throws {
        try two("high", first: "note/#5").person { anna in
            let (plan, night) = (ShippedPlans.plan(document: Self.passing), Instant(local: "2026-03-03T03:10Z"))
            var hold = NoticeHeld()
            hold.notice = NoticeName("anna/note/#5~1")
            hold.kind = Identifier("note")
            hold.until = Instant(local: "2026-03-03T08:00Z")
            hold.reason = .quietHours
            let occasion = Occasion(20, night, user: "anna", plan)
            let notice = try #require(anna.notice(decidedBy: .noticeHeld(hold), on: occasion))
            #expect(notice.priority == .medium)
            let explanation = Explanation(notice, of: anna, plan, at: night)
            #expect(explanation.outcome == .hold(until: hold.until, .quietHours))
        }
    }

    @Test func `it is snoozed as any other, and none of it counts twice`() {
        snoozed().asleep(until: "2026-03-03T03:10Z").then(Self.held)
            .later(at: "2026-03-03T08:00Z").then(Self.again)
            .when(.snoozes("reminder/#3~1", 15), at: "2026-03-03T21:50Z")
            .later(at: "2026-03-03T22:05Z").then("emitted reminder/#3~2 [push]")
    }

    // MARK: What is kept and told of it

    /// What somebody comes to who reads the log up to its last event.
    private func register(_ log: some Sequence<Event>) -> Register {
        var register = Register(ShippedPlans["standard"])
        for event in log { register.fold(event) }
        return register.withWakes()
    }

    @Test func `a snapshot keeps until when it waits, and why`() throws {
        let log = snoozed().asleep(until: "2026-03-03T03:10Z").then(Self.held).log
        let read = register(log)
        let kept = try KeptPeople(read).register(like: read)
        #expect(described(kept.people[0]) == described(read.people[0]))
        let snooze = try #require(kept.people[0].details.snoozes.first)
        #expect(snooze.due == Instant(local: "2026-03-03T08:00Z") && snooze.held == .quietHours)
        #expect(read.people[0].nextWake == snooze.due)
    }

    @Test func `it is explained by the rules that it was asked`() throws {
        let log = snoozed().asleep(until: "2026-03-03T03:10Z").then(Self.held).log
        let (before, last) = (register(log.dropLast()), try #require(log.last))
        let occasion = Occasion(last.seq, last.at, user: "anna", before.plan)
        let notice = try #require(before.people[0].notice(decidedBy: last.payload, on: occasion))
        let explanation = Explanation(notice, of: before.people[0], before.plan, at: last.at)
        #expect(explanation.lines.filter(\.isAsked).map(\.rule) == Array(1...9))
        #expect(explanation.outcome == .hold(until: Instant(local: "2026-03-03T08:00Z"), .quietHours))
        #expect(
            explanation.exemption == "the time that the person asked for has passed: P10–P13 are not asked (S1)")
    }
}
