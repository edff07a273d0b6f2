import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// D1, C5: whoever decides is always some milliseconds late, and may be late by hours. Every scenario is decided again at its
/// end, as a replay does it.
@Suite("D1, a digest that comes late")
struct LateDigestTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()

    private static let digest = "daily_digest/2026-03-02T18:00"
    private static let gathered = "gathered reminder/#5 into \(digest) digest_mode"
    private static let told = "emitted \(digest) (\(digest), reminder/#5) [push] {notices 1}"

    /// A reminder waits from Monday 15:00 on for an hour that the person allows.
    private func waiting(until end: String, _ wishes: String) -> Scenario {
        given(.enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#), .wants(wishes))
            .when(.requested("reminder"), at: "2026-03-02T15:00Z")
            .then("held reminder/#5 until 2026-03-02T\(end)Z outside_schedule")
    }

    @Test(arguments: ["18:00:00.000", "18:00:00.001", "18:00:00.003", "18:20:00.000", "20:59:59.999"])
    func `it tells what a hold let go at its own instant`(time: String) {
        waiting(until: "18:00", #"{"schedule":{"mon":[["18:00","21:00"]]}}"#)
            .asleep(until: "2026-03-02T\(time)Z").then(Self.gathered, Self.told)
            .later(at: "2026-03-03T18:00Z").thenNothing()
    }

    @Test(arguments: ["18:00:00.001", "20:00:00.000"])
    func `so at the end of quiet hours, and of what comes by a schedule at that time`(time: String) {
        let document = """
            {"name":"p","kinds":[{"name":"note","on_request":true,"digestible":true},
             {"name":"tip","digestible":true,"schedule":{"on":"daily","at":"18:00"}},
             {"name":"day","digest":"daily","schedule":{"on":"daily","at":"18:00"}}]}
            """
        let wishes = Told.wants(#"{"digest_mode":true,"quiet_hours":{"start":"12:00","end":"18:00"}}"#)
        let (slot, tip) = ("day/2026-03-02T18:00", "tip/2026-03-02T18:00")
        given(.enrolled(), wishes, policy: document, at: "2026-03-02T10:00Z")
            .when(.requested("note"), at: "2026-03-02T13:00Z")
            .then("held note/#3 until 2026-03-02T18:00Z quiet_hours")
            .asleep(until: "2026-03-02T\(time)Z")
            .then(
                "gathered note/#3 into \(slot) digest_mode", "gathered \(tip) into \(slot) digest_mode",
                "emitted \(slot) (\(slot), note/#3, \(tip)) [push] {notices 2}")
        given(.enrolled(), wishes, policy: document, at: "2026-03-02T10:00Z")
            .asleep(until: "2026-03-02T\(time)Z")
            .then(
                "gathered \(tip) into \(slot) digest_mode", "emitted \(slot) (\(slot), \(tip)) [push] {notices 1}")
    }

    @Test func `after an outage it tells what was let go before its time`() {
        waiting(until: "17:45", #"{"schedule":{"mon":[["17:45","21:00"]]}}"#)
            .asleep(until: "2026-03-02T18:20Z").then(Self.gathered, Self.told)
    }

    @Test(arguments: ["18:30:00.000", "18:40:00.000"])
    func `of what was let go after its time it tells nothing: it had nothing to say, and has passed`(time: String) {
        let next = "daily_digest/2026-03-03T18:00"
        waiting(until: "18:30", #"{"schedule":{"mon":[["18:30","21:00"]],"tue":[["09:00","21:00"]]}}"#)
            .asleep(until: "2026-03-02T\(time)Z").then("gathered reminder/#5 into \(next) digest_mode")
            .later(at: "2026-03-03T18:00Z").then("emitted \(next) (\(next), reminder/#5) [push] {notices 1}")
    }

    /// A cooldown ends with its digest's time or a moment later, on a day whose jobs are spent.
    @Test(arguments: [("17:30:00.000", "18:00", "2026-03-02"), ("17:30:00.001", "18:00:00.001", "2026-03-03")])
    func `a moment after its time is after it`(last: String, end: String, day: String) {
        let scenario = given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T15:00Z").then("emitted alert/#3 [push]")
            .when(.requested("alert"), at: "2026-03-02T16:00Z").then("emitted alert/#5 [push]")
            .when(.requested("alert"), at: "2026-03-02T\(last)Z").then("emitted alert/#7 [push]")
            .when(.requested("alert"), at: "2026-03-02T17:40Z")
            .then("held alert/#9 until 2026-03-02T\(end)Z cooldown")
            .asleep(until: "2026-03-02T18:00:00.003Z")
        let gathered = "gathered alert/#9 into daily_digest/\(day)T18:00 daily_cap"
        if day == "2026-03-02" {
            scenario.then(gathered, "dropped daily_digest/2026-03-02T18:00 daily_cap")
        } else {
            scenario.then(gathered)
        }
        let next = "daily_digest/2026-03-03T18:00"
        scenario.later(at: "2026-03-03T18:00Z").then("emitted \(next) (\(next), alert/#9) [push] {notices 1}")
    }

    @Test(arguments: [("22:00:00.000", true), ("22:00:00.001", false)])
    func `one that is too late and had nothing to say by then is recorded nowhere`(time: String, isInTime: Bool) {
        let scenario = waiting(
            until: "18:00", #"{"schedule":{"mon":[["18:00","23:00"]]},"quiet_hours":{"enabled":false}}"#
        )
        .asleep(until: "2026-03-02T\(time)Z")
        if isInTime {
            scenario.then(Self.gathered, Self.told)
        } else {
            scenario.then("gathered reminder/#5 into daily_digest/2026-03-03T18:00 digest_mode")
        }
    }

    @Test func `of several that had nothing to say the last is asked, and none before it was missed`() {
        let document = """
            {"name":"patient","catch_up_minutes":2880,"kinds":[{"name":"note","on_request":true,"digestible":true},
             {"name":"day","digest":"daily","schedule":{"on":"daily","at":"18:00"}}]}
            """
        given(
            .enrolled(), .wants(#"{"digest_mode":true,"quiet_hours":{"start":"12:00","end":"17:00"}}"#),
            policy: document, at: "2026-03-02T10:00Z"
        )
        .when(.requested("note"), at: "2026-03-02T13:00Z")
        .then("held note/#3 until 2026-03-02T17:00Z quiet_hours")
        .asleep(until: "2026-03-03T20:00Z")
        .then(
            "gathered note/#3 into day/2026-03-03T18:00 digest_mode",
            "emitted day/2026-03-03T18:00 (day/2026-03-03T18:00, note/#3) [push] {notices 1}")
    }

    @Test(arguments: ["19:00:00.000", "19:00:00.003", "20:00:00.000"])
    func `a week's tells what was let go at its instant, and does not wait for the next (D7)`(time: String) {
        let slot = "weekly_digest/2026-03-08T19:00"
        given(
            .enrolled("UTC", #""email":"a@b.c""#),
            .wants(
                #"{"quiet_hours":{"start":"12:00","end":"19:00"},"kinds":{"product_update":{"enabled":true,"digest":"weekly"}}}"#
            ), policy: "goals"
        )
        .when(.requested("product_update", priority: "high"), at: "2026-03-08T13:00Z")
        .then("held product_update/#3 until 2026-03-08T19:00Z quiet_hours")
        .asleep(until: "2026-03-08T\(time)Z")
        .then(
            "gathered product_update/#3 into \(slot) digest_mode",
            "emitted \(slot) (\(slot), product_update/#3) [email] {notices 1}")
    }

    /// Also where it is the last of two.
    @Test(arguments: ["2026-03-08", "2026-03-15"])
    func `so where there is activity of the week before, of which it says nothing`(day: String) {
        let document = """
            {"name":"p","kinds":[{"name":"note","on_request":true,"digests":["weekly","none"]},
             {"name":"week","digest":"weekly","schedule":{"on":"weekly","day":"sun","at":"19:00"}}]}
            """
        let slot = "week/\(day)T19:00"
        given(
            .enrolled(), .session, .wants(#"{"quiet_hours":{"start":"12:00","end":"19:00"}}"#), policy: document,
            at: "2026-03-01T11:00Z"
        )
        .later(at: "2026-03-01T19:00Z").then("emitted week/2026-03-01T19:00 [push] {sessions 1}")
        .when(.requested("note"), at: "2026-03-08T13:00Z")
        .then("held note/#5 until 2026-03-08T19:00Z quiet_hours")
        .asleep(until: "\(day)T20:00Z")
        .then("gathered note/#5 into \(slot) digest_mode", "emitted \(slot) (\(slot), note/#5) [push] {notices 1}")
    }

    @Test func `a moment before its time it is still to come`() {
        let digest = Self.digest
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T15:00Z").then("emitted alert/#3 [push]")
            .when(.requested("alert"), at: "2026-03-02T16:00Z").then("emitted alert/#5 [push]")
            .when(.requested("alert"), at: "2026-03-02T17:29:59.999Z").then("emitted alert/#7 [push]")
            .when(.requested("alert"), at: "2026-03-02T17:40Z")
            .then("held alert/#9 until 2026-03-02T17:59:59.999Z cooldown")
            .later(at: "2026-03-02T17:59:59.999Z").then("gathered alert/#9 into \(digest) daily_cap")
            .later(at: "2026-03-02T18:00Z").then("dropped \(digest) daily_cap")
    }

    /// The session of the week before wakes them on Sunday at 19:00, and nothing comes of it. Whoever reads the log does not
    /// know of that wake, and may not take it for something that was due before the digest of 19:30 (`G1`).
    @Test(arguments: [true, false]) func `a wake of which nothing came is none that anything was due at`(isWoken: Bool)
    {
        let document = """
            {"name":"p","kinds":[{"name":"note","on_request":true,"digestible":true},
             {"name":"day","digest":"daily","schedule":{"on":"daily","at":"19:30"}},
             {"name":"week","digest":"weekly","schedule":{"on":"weekly","day":"sun","at":"19:00"}}]}
            """
        let scenario = given(
            .enrolled(), .session, .wants(#"{"digest_mode":true,"quiet_hours":{"start":"11:00","end":"20:00"}}"#),
            policy: document, at: "2026-02-28T10:00Z"
        )
        .unwatched(until: "2026-03-08T10:00Z")
        .when(.requested("note"), at: "2026-03-08T12:00Z")
        if isWoken { scenario.later(at: "2026-03-08T20:00Z") } else { scenario.asleep(until: "2026-03-08T20:00Z") }
        scenario.person { anna in
            let waiting = anna.details.waiting.first { _ in true }
            #expect(waiting?.gatheredInto == "anna/day/2026-03-09T19:30")
        }
    }

    /// However late the worker is, and whether or not it was started again meanwhile.
    @Test(arguments: [0, 1, 3, 1_200_000] as [Int64], [true, false])
    func `a live worker decides so too, and a replay as it did (G1, G2)`(late: Int64, restarts: Bool) throws {
        let machine = machine(at: instant("2026-03-02T10:00:00Z"))
        let wishes =
            #"{"digest_mode":true,"check_ins_enabled":false,"quiet_hours":{"start":"12:00","end":"18:00"}}"#
        machine.core?.ask(
            facts: [
                try enrolled("anna"),
                try fact(#"{"type":"preferences_changed","user":"anna","data":{"patch":\#(wishes)}}"#),
            ], answers.hear)
        machine.settle()
        machine.clock = instant("2026-03-02T14:00:00Z")
        machine.core?.ask(
            facts: [try fact(#"{"type":"notice_requested","user":"anna","data":{"kind":"reminder"}}"#)], answers.hear)
        machine.settle()
        if restarts {
            try machine.stop()
            machine.start()
        }
        // Six in the evening in Paris.
        machine.clock = instant("2026-03-02T17:00:00Z").advanced(byMilliseconds: late)
        machine.settle()
        let commits = try machine.commits()
        let jobs = commits.joined().compactMap { event -> [String]? in
            if case .jobEmitted(let job) = event.payload { job.notices.map(\.text) } else { nil }
        }
        #expect(jobs == [["anna/daily_digest/2026-03-02T18:00", "anna/reminder/#3"]])
        var replay = Replay(ShippedPlans["standard"])
        for commit in commits { replay.take(commit) }
        #expect(replay.differing == 0 && replay.decisions == 3)
        try machine.stop()
    }
}
