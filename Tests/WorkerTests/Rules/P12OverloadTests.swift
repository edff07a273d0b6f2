import CivilTime
import Notices
import Simulation
import Testing

@Suite("P12, overload")
struct OverloadTests {
    /// Ten jobs, a minute apart, from 09:00 to 09:09.
    private func tenJobs(_ policy: String = "goals") -> Scenario {
        let scenario = given(.enrolled(), policy: policy)
        for minute in 0..<10 { scenario.when(.requested("achievement"), at: "2026-03-02T09:0\(minute)Z") }
        return scenario.then(
            "2026-03-02T09:00Z emitted achievement/#2 [push]", "2026-03-02T09:01Z emitted achievement/#4 [push]",
            "2026-03-02T09:02Z emitted achievement/#6 [push]", "2026-03-02T09:03Z emitted achievement/#8 [push]",
            "2026-03-02T09:04Z emitted achievement/#10 [push]", "2026-03-02T09:05Z emitted achievement/#12 [push]",
            "2026-03-02T09:06Z emitted achievement/#14 [push]", "2026-03-02T09:07Z emitted achievement/#16 [push]",
            "2026-03-02T09:08Z emitted achievement/#18 [push]", "emitted achievement/#20 [push]")
    }

    @Test func `the eleventh in an hour is gathered, and a summary comes when the window allows`() {
        tenJobs()
            .when(.requested("achievement"), .requested("referee"), at: "2026-03-02T09:30Z")
            .then(
                "gathered achievement/#22 into overload_summary/#23 overload",
                "gathered referee/#24 into overload_summary/#23 overload"
            )
            .later(at: "2026-03-02T09:59:59.999Z").thenNothing()
            .later(at: "2026-03-02T10:00Z")
            .then(
                "emitted overload_summary/#23 (overload_summary/#23, achievement/#22, referee/#24) [push] high {notices 2}"
            )
            .says("You have 2 pending notifications", "Too many notifications? Adjust settings")
    }

    /// D5: what a digest gathered goes out whatever the digest's own switch says, and a summary has nothing else.
    @Test func `a summary that is switched off tells what was gathered, but for what is switched off itself`() {
        tenJobs()
            .when(
                .wants(#"{"kinds":{"overload_summary":{"enabled":false},"achievement":{"enabled":false}}}"#),
                at: "2026-03-02T09:20Z"
            )
            .thenNothing()
            .when(.requested("referee"), at: "2026-03-02T09:30Z")
            .then("gathered referee/#23 into overload_summary/#24 overload")
            .later(at: "2026-03-02T10:00Z")
            .then(
                "emitted overload_summary/#24 (overload_summary/#24, referee/#23) [push] high {notices 1}")
    }

    @Test func `what comes a moment before does not bring the summary along`() {
        tenJobs()
            .when(.requested("achievement"), at: "2026-03-02T09:30Z")
            .then("gathered achievement/#22 into overload_summary/#23 overload")
            .when(.snoozes("achievement/#20", 15), at: "2026-03-02T09:44:59.999Z")
            .later(at: "2026-03-02T09:59:59.999Z").then("emitted achievement/#20~1 [push]")
    }

    @Test(arguments: [
        ("09:59:59.999", "gathered achievement/#22 into overload_summary/#23 overload"),
        ("10:00:00.000", "emitted achievement/#22 [push]"), ("10:00:00.001", "emitted achievement/#22 [push]"),
    ])
    func `a job leaves the window after 60 minutes`(time: String, outcome: String) {
        tenJobs().when(.requested("achievement"), at: "2026-03-02T\(time)Z").then(outcome)
    }

    @Test(arguments: [("09:59:59.999", 10), ("10:00:00.000", 9)])
    func `and so it is counted in explain`(time: String, jobs: Int) throws {
        let plan = ShippedPlans["goals"]
        let now = Instant(local: "2026-03-02T\(time)Z")
        let kind = try #require(plan.rules.place(of: "achievement"))
        tenJobs().later(at: "2026-03-02T\(time)Z")
            .person { anna in
                let notice = anna.imagined(kind: kind, at: now, user: "anna", plan: plan)
                let lines = Explanation(notice, of: anna, plan, at: now).lines
                #expect(lines.first { $0.rule == 12 }?.saw == "\(jobs) of 10 jobs in the last 60 minutes")
            }
    }

    @Test func `critical and locked notices pass, and count`() {
        tenJobs()
            .when(.requested("payment"), at: "2026-03-02T09:30Z").then("emitted payment/#22 [push]")
            .when(.requested("referee", priority: "critical"), at: "2026-03-02T09:31Z")
            .then("emitted referee/#24 [push] critical")
            .when(.requested("achievement"), at: "2026-03-02T10:00Z")
            .then("gathered achievement/#26 into overload_summary/#27 overload")
            // 09:02 is the tenth from the end.
            .later(at: "2026-03-02T10:02Z")
            .then("emitted overload_summary/#27 (overload_summary/#27, achievement/#26) [push] {notices 1}")
    }

    @Test func `those in the app do not count`() {
        let scenario = given(.enrolled(), .opensApp, policy: "goals")
        for _ in 0..<12 { scenario.when(.requested("achievement"), at: "2026-03-01T12:01Z") }
        scenario.unwatched(until: "2026-03-01T12:02Z")
            .when(.requested("achievement"), at: "2026-03-01T12:02Z").then("emitted achievement/#27 [push]")
    }

    @Test func `a member is asked P1 to P6 again when its summary goes out`() {
        tenJobs()
            .when(
                .requested("achievement", expires: "2026-03-02T09:59:00Z"), .requested("referee"),
                at: "2026-03-02T09:30Z"
            )
            .unwatched(until: "2026-03-02T09:31Z")
            .later(at: "2026-03-02T10:00Z")
            .then(
                "dropped achievement/#22 expired",
                "emitted overload_summary/#23 (overload_summary/#23, referee/#24) [push] high {notices 1}")
    }

    @Test func `a summary is as pressing as what it still tells of`() {
        tenJobs()
            .when(
                .requested("achievement"), .requested("referee", expires: "2026-03-02T09:59:00Z"),
                at: "2026-03-02T09:30Z"
            )
            .unwatched(until: "2026-03-02T09:31Z")
            .later(at: "2026-03-02T10:00Z")
            .then(
                "dropped referee/#24 expired",
                "emitted overload_summary/#23 (overload_summary/#23, achievement/#22) [push] {notices 1}")
    }

    @Test func `a summary waits for the end of quiet hours`() {
        let scenario = given(.enrolled(), policy: "goals")
        for minute in 10..<21 { scenario.when(.requested("achievement"), at: "2026-03-02T21:\(minute)Z") }
        scenario.unwatched(until: "2026-03-02T21:30Z")
            .later(at: "2026-03-02T22:10Z").then("held overload_summary/#23 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z")
            .then("emitted overload_summary/#23 (overload_summary/#23, achievement/#22) [push] {notices 1}")
    }

    @Test func `a summary that waits is as pressing as what was gathered for it since (P18)`() {
        let scenario = given(
            .enrolled(), .wants(#"{"quiet_hours":{"exceptions":["referee"]}}"#), policy: "goals")
        for minute in 10..<21 { scenario.when(.requested("achievement"), at: "2026-03-02T21:\(minute)Z") }
        scenario.unwatched(until: "2026-03-02T21:30Z")
            .later(at: "2026-03-02T22:10Z").then("held overload_summary/#24 until 2026-03-03T08:00Z quiet_hours")
            .when(.requested("achievement", priority: "high"), at: "2026-03-02T22:30Z")
            .then("held achievement/#26 until 2026-03-03T08:00Z quiet_hours")
        for minute in 10..<21 { scenario.when(.requested("referee"), at: "2026-03-02T23:\(minute)Z") }
        scenario.unwatched(until: "2026-03-02T23:30Z")
            .later(at: "2026-03-03T08:00Z")
            .then(
                "emitted overload_summary/#24 (overload_summary/#24, achievement/#23, referee/#48) [push] high {notices 2}",
                "emitted achievement/#26 [push] high")
    }

    @Test func `a policy with a daily cap has no such rule`() {
        let scenario = given(.enrolled(), .noCheckIns)
        for _ in 0..<12 { scenario.when(.requested("urgent"), at: "2026-03-02T09:00Z") }
        scenario.unwatched(until: "2026-03-02T09:00Z")
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#27 [push]")
    }
}
