import CivilTime
import Notices
import Simulation
import Testing

@Suite("P11, the cooldown of a kind")
struct CooldownTests {
    @Test(arguments: [
        ("09:29:59.999", "held reminder/#5 until 2026-03-02T09:30+01:00 cooldown"),
        ("09:30:00.000", "emitted reminder/#5 [push]"), ("09:30:00.001", "emitted reminder/#5 [push]"),
    ])
    func `less than 30 minutes after the last job a notice waits`(time: String, outcome: String) {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T09:00+01:00").then("emitted reminder/#3 [push]")
            .when(.requested("reminder"), at: "2026-03-02T\(time)+01:00").then(outcome)
            .later(at: "2026-03-02T09:31+01:00")
            .then(contentsOf: outcome.hasPrefix("held") ? ["2026-03-02T09:30+01:00 emitted reminder/#5 [push]"] : [])
    }

    /// Jobs are remembered for a week.
    @Test func `explain says no more of earlier jobs than is known`() throws {
        let (plan, now) = (ShippedPlans["standard"], Instant(local: "2026-03-12T09:00Z"))
        let kind = try #require(plan.rules.place(of: "alert"))
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#3 [push]")
            .when(.requested("reminder"), at: "2026-03-12T09:00Z").then("emitted reminder/#5 [push]")
            .person { anna in
                let notice = anna.imagined(kind: kind, at: now, user: "anna", plan: plan)
                let saw = Explanation(notice, of: anna, plan, at: now).lines.first { $0.rule == 11 }?.saw
                let known = "no job of alert on push, email or sms in the last 7 days (tests do not count); 30 min"
                #expect(saw == known)
            }
    }

    @Test func `each kind has its own`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), .requested("alert"), at: "2026-03-02T09:00Z")
            .then("emitted reminder/#3 [push]", "emitted alert/#5 [push]")
    }

    @Test func `and all subjects of a kind share it`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert", "order:1"), .requested("alert", "order:2"), at: "2026-03-02T09:00Z")
            .then("emitted alert/order:1/#3 [push]", "held alert/order:2/#5 until 2026-03-02T09:30Z cooldown")
    }

    @Test func `those that wait together come one after another where the kind does not bundle`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), .requested("alert"), .requested("alert"), at: "2026-03-02T09:00Z")
            .then(
                "emitted alert/#3 [push]", "held alert/#5 until 2026-03-02T09:30Z cooldown",
                "held alert/#7 until 2026-03-02T09:30Z cooldown"
            )
            .later(at: "2026-03-02T09:30Z")
            .then("emitted alert/#5 [push]", "held alert/#7 until 2026-03-02T10:00Z cooldown")
            .later(at: "2026-03-02T10:00Z").then("emitted alert/#7 [push]")
    }

    @Test func `a critical job of the kind begins one, and asks for none (P14, P17)`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert", priority: "critical"), at: "2026-03-02T09:00Z")
            .then("emitted alert/#3 [push] critical")
            .when(.requested("alert", priority: "critical"), at: "2026-03-02T09:01Z")
            .then("emitted alert/#5 [push] critical")
            .when(.requested("alert"), at: "2026-03-02T09:02Z")
            .then("held alert/#7 until 2026-03-02T09:31Z cooldown")
    }

    @Test func `a job in the app begins none (P15)`() {
        given(.enrolled(), .noCheckIns, .opensApp)
            .when(.requested("alert"), at: "2026-03-01T12:01:59.999Z").then("emitted alert/#4 [in_app]")
            .when(.requested("alert"), at: "2026-03-01T12:02Z").then("emitted alert/#6 [push]")
    }

    @Test func `a snoozed repeat begins one`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#3 [push]")
            .when(.snoozes("alert/#3", 60), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T10:00Z").then("emitted alert/#3~1 [push]")
            .when(.requested("alert"), at: "2026-03-02T10:00Z").then("held alert/#7 until 2026-03-02T10:30Z cooldown")
    }

    @Test func `a policy may have none`() {
        given(.enrolled(), policy: "goals")
            .when(.requested("achievement"), .requested("achievement"), at: "2026-03-02T09:00Z")
            .then("emitted achievement/#2 [push]", "emitted achievement/#4 [push]")
    }

    @Test func `it runs on through the clocks going forward`() {
        given(
            .enrolled("Europe/Dublin"), .noCheckIns, .wants(#"{"quiet_hours":{"enabled":false}}"#),
            at: "2026-03-28T12:00Z"
        )
        .when(.requested("alert"), at: "2026-03-29T00:45Z").then("emitted alert/#4 [push]")
        .when(.requested("alert"), at: "2026-03-29T00:50Z")
        .then("held alert/#6 until 2026-03-29T02:15+01:00 cooldown")
    }
}
