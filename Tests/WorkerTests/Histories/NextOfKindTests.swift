import CivilTime
import Notices
import Simulation
import Testing

/// SPEC §13, `explain`: of what does not come, when the next of its kind comes by itself.
@Suite("What comes of a kind by itself")
struct NextOfKindTests {
    /// Of one that is raised now.
    private func ask(
        _ kind: String, about subject: String? = nil, _ person: Person, _ plan: Plan, at text: String
    ) throws -> Prospect {
        let (now, place) = (Instant(local: text), try #require(plan.rules.place(of: kind)))
        let notice = person.imagined(kind: place, subject: subject, at: now, user: "anna", plan: plan)
        return Prospect(notice, of: person, user: "anna", plan, from: now, Foresight(work: .max))
    }

    /// Of the next slot of a kind.
    private func next(
        _ kind: String, about subject: String? = nil, _ person: Person, _ plan: Plan, at text: String
    ) throws -> Prospect {
        let (now, place) = (Instant(local: text), try #require(plan.rules.place(of: kind)))
        let ahead = person.slotAhead(
            of: place, about: subject, after: now, user: "anna", plan: plan, Foresight(work: .max))
        let slot = try #require(ahead.slot)
        return Prospect(
            slot, of: person, user: "anna", plan, from: now, about: subject, Foresight(work: .max))
    }

    private func isNever(_ prospect: Prospect) -> Bool {
        if case .never = prospect.outcome { true } else { false }
    }

    private func dropped(_ prospect: Prospect) -> String? {
        guard case .dropped(let at, let reason) = prospect.outcome else { return nil }
        return "\(reason.name) at \(at)"
    }

    @Test func `a digest that has nothing to say yet comes when what is held has been gathered (D1, P9)`() throws {
        let (plan, now) = (ShippedPlans["standard"], "2026-03-02T10:00Z")
        try given(
            .enrolled(), .noCheckIns, .wants(#"{"digest_mode":true,"schedule":{"wed":[["09:00","20:00"]]}}"#),
            at: "2026-03-02T06:00Z"
        )
        .when(.requested("reminder"), at: now).then("held reminder/#4 until 2026-03-04T09:00Z outside_schedule")
        .person { anna in
            for told in [try ask("daily_digest", anna, plan, at: now), try next("daily_digest", anna, plan, at: now)] {
                #expect(isNever(told) && told.nextEligible == Instant(local: "2026-03-04T18:00Z"), "\(told.outcome)")
            }
        }
        .unwatched(until: justBefore("2026-03-04T18:00Z"))
        .later(at: "2026-03-04T18:00Z")
        .then(
            "emitted daily_digest/2026-03-04T18:00 (daily_digest/2026-03-04T18:00, reminder/#4) [push] {notices 1}")
    }

    /// The reminder of Monday waits for Tuesday, when its goal's deadline has passed. Sunday's of the other goal waits with it.
    @Test func `behind a goal's reminder the next of its kind may be another goal's (C6)`() throws {
        let (plan, now) = (ShippedPlans["microcommit"], "2026-03-02T08:00Z")
        try given(
            .enrolled(), .goal("g1", #""reminder_time":"09:00","deadline":"2026-03-02T15:00:00Z""#),
            .goal("g2", #""reminder_time":"09:00","check_in_days":["sun"]"#),
            .wants(#"{"schedule":{"tue":[["10:00","12:00"]]}}"#), policy: "microcommit", at: "2026-03-01T08:30Z"
        )
        .unwatched(until: now)
        .person { anna in
            let any = try next("goal_reminder", anna, plan, at: now)
            #expect(dropped(any) == "expired at 2026-03-03T10:00:00.000Z")
            #expect(any.nextEligible == Instant(local: "2026-03-03T10:00Z"))
            let own = try next("goal_reminder", about: "goal:g1", anna, plan, at: now)
            #expect(dropped(own) == "expired at 2026-03-03T10:00:00.000Z" && own.nextEligible == nil)
        }
    }

    /// Each day's waits for the next hours of the schedule, and what it was to tell gives way before they come.
    @Test func `behind digests that give way the one is named that finds something to tell (C4, D1)`() throws {
        let document = """
            {"name":"p","cooldown_minutes":0,"kinds":[
             {"name":"tip","schedule":{"on":"daily","at":"12:00"},"digestible":true},
             {"name":"digest","schedule":{"on":"daily","at":"18:00"},"digest":"daily"}]}
            """
        let now = "2026-03-01T09:30Z"
        try given(
            .enrolled(),
            .wants(#"{"digest_mode":true,"schedule":{"sun":[["09:00","17:00"]],"wed":[["09:00","20:00"]]}}"#),
            policy: document, at: now
        )
        .person { anna in
            let told = try next("digest", anna, ShippedPlans.plan(document: document), at: now)
            #expect(dropped(told) == "superseded at 2026-03-02T18:00:00.000Z")
            #expect(told.nextEligible == Instant(local: "2026-03-04T18:00Z"))
        }
    }

    /// It hangs on tomorrow's reminder, which nobody answers.
    @Test func `an offer of another time is foreseen before the reminder that it follows (C6)`() throws {
        let (plan, now) = (ShippedPlans["microcommit"], "2026-03-02T08:30Z")
        try given(
            .enrolled(), .goal("g", #""reminder_time":"09:00""#), policy: "microcommit", at: "2026-03-02T06:01Z"
        )
        .unwatched(until: justBefore(now))
        .when(.checkedIn("g"), at: now).unwatched(until: now)
        .person { anna in
            let offered = Instant(local: "2026-03-04T10:00Z")
            let told = try ask("adjust_timing", about: "goal:g", anna, plan, at: now)
            #expect(dropped(told) == "settled at 2026-03-02T08:30:00.000Z" && told.nextEligible == offered)
            #expect(try next("adjust_timing", about: "goal:g", anna, plan, at: now).nextEligible == offered)
        }
    }

    @Test func `a digest that waits comes, though one raised now would have nothing of its own to tell (D5)`() throws {
        let night = "2026-03-03T03:00Z"
        try given(
            .enrolled(), .noCheckIns,
            .wants(
                #"{"digest_mode":true,"quiet_hours":{"start":"17:00","end":"08:00"},"kinds":{"daily_digest":{"enabled":false}}}"#
            ), at: "2026-03-02T08:30Z"
        )
        .when(.requested("reminder"), at: "2026-03-02T10:00Z")
        .then("gathered reminder/#4 into daily_digest/2026-03-02T18:00 digest_mode")
        .unwatched(until: night)
        .person { anna in
            let told = try ask("daily_digest", anna, ShippedPlans["standard"], at: night)
            #expect(dropped(told) == "kind_off at 2026-03-03T08:00:00.000Z")
            #expect(told.nextEligible == Instant(local: "2026-03-03T08:00Z"))
        }
    }

    @Test func `what was put off is the next of its kind (S1)`() throws {
        let now = "2026-03-02T09:05Z"
        try given(.enrolled())
            .when(.requested("alert"), at: "2026-03-02T08:10Z").then("emitted alert/#2 [push]")
            .when(.requested("alert"), at: "2026-03-02T08:45Z").then("emitted alert/#4 [push]")
            .unwatched(until: now)
            .when(.snoozes("check_in/2026-03-02T09:00", 120), at: now).thenNothing()
            .person { anna in
                let told = try ask("check_in", anna, ShippedPlans["standard"], at: now)
                #expect(dropped(told) == "daily_cap at 2026-03-02T09:30:00.000Z")
                #expect(told.nextEligible == Instant(local: "2026-03-02T11:05Z"))
            }
    }
}
