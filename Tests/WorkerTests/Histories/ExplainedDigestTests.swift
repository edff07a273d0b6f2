import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// SPEC §13, `explain`, and P13: a place is kept for a digest that is considered at the same instant, and is said to be.
@Suite("The day's digest beside what is explained")
struct ExplainedDigestTests {
    private static let kept = "2 of 3 jobs today, one kept for today's digest"

    /// On a day with points, two of its three jobs.
    private func day(_ wishes: Told, lastAt: String) -> Scenario {
        given(.enrolled(), wishes)
            .when(.earned(5), at: "2026-03-02T10:00Z")
            .when(.requested("alert"), at: "2026-03-02T11:00Z").then("emitted alert/#4 [push]")
            .when(.requested("alert"), at: lastAt).then("emitted alert/#6 [push]")
    }

    private static let checkInAtSix = Told.wants(#"{"check_in_time":"18:00"}"#)

    /// The rules as the last decision about a notice asked them.
    private func explanation(_ name: String, _ log: [Event]) -> Explanation? {
        var last: Explanation?
        var biography = Biography(of: "anna", ShippedPlans["standard"])
        for event in log {
            if event.payload.isAbout(name), let notice = biography.notice(named: name, decidedBy: event) {
                last = biography.explanation(of: notice, decidedBy: event)
            }
            biography.take(event)
        }
        return last
    }

    private func cap(_ explanation: Explanation?) -> String? { explanation?.lines.first { $0.rule == 13 }?.saw }

    @Test(arguments: ["18:00:00.000", "18:00:00.003", "18:20:00.000"])
    func `what its place is kept from is told so, however late both are`(time: String) {
        let scenario = day(Self.checkInAtSix, lastAt: "2026-03-02T12:00Z")
            .asleep(until: "2026-03-02T\(time)Z")
            .then(
                "dropped check_in/2026-03-02T18:00 daily_cap", "emitted daily_digest/2026-03-02T18:00 [push] {points 5}"
            )
        let checkIn = explanation("anna/check_in/2026-03-02T18:00", scenario.log)
        #expect(checkIn?.outcome == .drop(.dailyCap) && cap(checkIn) == Self.kept)
        let digest = explanation("anna/daily_digest/2026-03-02T18:00", scenario.log)
        #expect(digest != nil && digest?.outcome == nil && cap(digest) == "2 of 3 jobs today")
    }

    @Test func `of several that it is kept from each is told so`() {
        let scenario = day(Self.checkInAtSix, lastAt: "2026-03-02T17:30Z")
            .when(.requested("alert"), at: "2026-03-02T17:40Z")
            .then("held alert/#8 until 2026-03-02T18:00Z cooldown")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "gathered alert/#8 into daily_digest/2026-03-02T18:00 daily_cap",
                "dropped check_in/2026-03-02T18:00 daily_cap",
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, alert/#8) [push] {notices 1, points 5}"
            )
        let alert = explanation("anna/alert/#8", scenario.log)
        #expect(alert?.outcome == .gather(.dailyCap) && cap(alert) == Self.kept)
        let checkIn = explanation("anna/check_in/2026-03-02T18:00", scenario.log)
        #expect(checkIn?.outcome == .drop(.dailyCap) && cap(checkIn) == Self.kept)
    }

    @Test(arguments: ["18:00:00.000", "18:00:00.003"])
    func `so of one that had nothing to say before what was gathered at that instant`(time: String) {
        let wishes = #"{"digest_mode":true,"check_in_time":"18:00","quiet_hours":{"start":"17:50","end":"18:00"}}"#
        let scenario = given(.enrolled(), .wants(wishes))
            .when(.requested("alert"), at: "2026-03-02T11:00Z").unwatched(until: "2026-03-02T11:00Z")
            .when(.requested("alert"), at: "2026-03-02T12:00Z").unwatched(until: "2026-03-02T12:00Z")
            .when(.requested("reminder"), at: "2026-03-02T17:55Z")
            .then("held reminder/#7 until 2026-03-02T18:00Z quiet_hours")
            .asleep(until: "2026-03-02T\(time)Z")
            .then(
                "gathered reminder/#7 into daily_digest/2026-03-02T18:00 digest_mode",
                "dropped check_in/2026-03-02T18:00 daily_cap",
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#7) [push] {notices 1}")
        let checkIn = explanation("anna/check_in/2026-03-02T18:00", scenario.log)
        #expect(checkIn?.outcome == .drop(.dailyCap) && cap(checkIn) == Self.kept)
    }

    /// The alert waits for 18:00, and all of it is late.
    @Test(arguments: [("22:00:00.000", true), ("22:00:00.001", false)])
    func `one that is too late keeps none (C5)`(time: String, isInTime: Bool) {
        let awake = Told.wants(#"{"check_ins_enabled":false,"quiet_hours":{"enabled":false}}"#)
        let scenario = day(awake, lastAt: "2026-03-02T17:30Z")
            .when(.requested("alert"), at: "2026-03-02T17:40Z")
            .then("held alert/#8 until 2026-03-02T18:00Z cooldown")
            .asleep(until: "2026-03-02T\(time)Z")
        if isInTime {
            scenario.then(
                "gathered alert/#8 into daily_digest/2026-03-02T18:00 daily_cap",
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, alert/#8) [push] {notices 1, points 5}"
            )
        } else {
            scenario.then("skipped daily_digest 2026-03-02T18:00 missed", "emitted alert/#8 [push]")
        }
        let alert = explanation("anna/alert/#8", scenario.log)
        let outcome: Objection? = isInTime ? .gather(.dailyCap) : nil
        #expect(alert != nil && alert?.outcome == outcome)
        #expect(cap(alert) == (isInTime ? Self.kept : "2 of 3 jobs today"))
    }

    @Test func `one that has passed with nothing to say keeps none (T10)`() {
        let scenario = given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T16:00Z").then("emitted alert/#3 [push]")
            .when(.requested("alert"), at: "2026-03-02T17:00Z").then("emitted alert/#5 [push]")
            .later(at: "2026-03-02T18:00Z").thenNothing()
            .when(.earned(5), .requested("alert"), at: "2026-03-02T18:00Z").then("emitted alert/#8 [push]")
        let alert = explanation("anna/alert/#8", scenario.log)
        #expect(alert != nil && alert?.outcome == nil && cap(alert) == "2 of 3 jobs today")
    }

    @Test func `of the next slot it is foretold`() throws {
        try day(Self.checkInAtSix, lastAt: "2026-03-02T12:00Z").person { anna in
            let (plan, now) = (ShippedPlans["standard"], Instant(local: "2026-03-02T12:00Z"))
            let kind = try #require(plan.rules.place(of: "check_in"))
            let (slot, _) = try #require(anna.nextSlot(of: kind, after: now, user: "anna", plan: plan))
            let told = Prospect(slot, of: anna, user: "anna", plan, from: now, Foresight(work: .max))
            #expect(told.first?.outcome == .drop(.dailyCap) && cap(told.first) == Self.kept)
            guard case .dropped(let at, .dailyCap) = told.outcome else {
                Issue.record("it is foretold as \(told.outcome)")
                return
            }
            #expect(at == slot.instant)
        }
    }
}

extension Payload {
    /// Whether it is a decision about a notice.
    fileprivate func isAbout(_ name: String) -> Bool {
        switch self {
        case .noticeHeld(let held): held.notice.text == name
        case .noticeGathered(let gathered): gathered.notice.text == name
        case .noticeDropped(let dropped): dropped.notice.text == name
        case .jobEmitted(let job): job.job.text == name
        default: false
        }
    }
}
