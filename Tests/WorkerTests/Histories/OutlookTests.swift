import CivilTime
import Notices
import Simulation
import Testing

/// SPEC §13, `explain`: what it says of a moment and of what comes after it.
@Suite("What is foretold of a notice")
struct OutlookTests {
    private static let noNight = Told.wants(#"{"quiet_hours":{"enabled":false}}"#)

    /// Of a notice that is asked for now.
    private func ask(
        _ kind: String, _ person: Person, _ plan: Plan, at text: String, _ foresight: Foresight = Foresight(work: .max)
    ) throws -> Prospect {
        let (now, place) = (Instant(local: text), try #require(plan.rules.place(of: kind)))
        let notice = person.imagined(kind: place, at: now, user: "anna", plan: plan)
        return Prospect(notice, of: person, user: "anna", plan, from: now, foresight)
    }

    /// Of the next slot of a kind.
    private func next(
        _ kind: String, about subject: String? = nil, _ person: Person, _ plan: Plan, at text: String,
        _ foresight: Foresight = Foresight(work: .max)
    ) throws -> Prospect {
        let (now, place) = (Instant(local: text), try #require(plan.rules.place(of: kind)))
        let (slot, _) = try #require(
            person.nextSlot(of: place, about: subject, after: now, user: "anna", plan: plan))
        return Prospect(slot, of: person, user: "anna", plan, from: now, foresight)
    }

    /// The day has one job, and what waits for midnight takes tomorrow's.
    @Test func `asked a moment before midnight, what is over the cap comes after what waits for midnight (P13)`() throws
    {
        let document = """
            {"name":"p","cooldown_minutes":0,"daily_cap":1,"kinds":[{"name":"patient","on_request":true,"over_cap":"hold"},
             {"name":"note","on_request":true}]}
            """
        try given(.enrolled(), Self.noNight, policy: document)
            .when(.requested("note"), at: "2026-03-02T12:00Z").then("emitted note/#3 [push]")
            .when(.requested("patient"), at: "2026-03-02T13:00Z")
            .then("held patient/#5 until 2026-03-03T00:00Z daily_cap")
            .later(at: justBefore("2026-03-03T00:00Z"))
            .person { anna in
                let told = try ask(
                    "note", anna, ShippedPlans.plan(document: document), at: justBefore("2026-03-03T00:00Z"))
                #expect(told.end == "dropped at 2026-03-02T23:59:59.999Z, daily_cap")
                #expect(told.nextEligible == Instant(local: "2026-03-04T00:00Z"))
            }
    }

    /// Both goals have a reminder a moment before midnight, which the cap drops. The one at midnight is then alone.
    @Test func `what is due with a slot is decided at its instant, though the next slot is a moment later`() throws {
        let document = """
            {"name":"p","cooldown_minutes":0,"daily_cap":1,"kinds":[{"name":"note","on_request":true},
             {"name":"nudge","schedule":{"on":"goal","at":"08:00"}}]}
            """
        let deadline = #""deadline":"2026-03-03T05:59:59.999Z","reminder_time":"#
        try given(
            .enrolled(), .goal("a", deadline + #""12:00""#), .goal("z", deadline + #""00:00""#),
            .wants(
                #"{"quiet_hours":{"enabled":false},"goals":{"a":{"repeat":"hourly_before_deadline"},"z":{"repeat":"hourly_before_deadline"}}}"#
            ), policy: document, at: "2026-03-02T18:00Z"
        )
        .when(.requested("note"), at: "2026-03-02T19:00Z").then("emitted note/#5 [push]")
        .later(at: "2026-03-02T23:30Z").thenNothing()
        .person { anna in
            let told = try next(
                "nudge", about: "goal:z", anna, ShippedPlans.plan(document: document), at: "2026-03-02T23:30Z")
            #expect(told.end == "dropped at 2026-03-02T23:59:59.999Z, daily_cap")
            #expect(told.nextEligible == Instant(local: "2026-03-03T00:00Z"))
        }
    }

    /// The cap is reached by what was held until then, though it is less pressing.
    @Test func `what comes a moment before a slot goes first, however low it is (P13, P18)`() throws {
        try given(.enrolled())
            .when(.requested("alert"), at: "2026-03-02T08:10Z").then("emitted alert/#2 [push]")
            .when(.requested("reminder"), at: "2026-03-02T08:29:59.999Z").then("emitted reminder/#4 [push]")
            .when(.requested("reminder", priority: "low"), at: "2026-03-02T08:40Z")
            .then("held reminder/#6 until \(justBefore("2026-03-02T09:00Z")) cooldown")
            .person { anna in
                let told = try next("check_in", anna, ShippedPlans["standard"], at: "2026-03-02T08:40Z")
                #expect(told.end == "dropped at 2026-03-02T09:00:00.000Z, daily_cap")
            }
    }

    @Test func `what comes at once is said, however little may be foreseen (G11)`() throws {
        try given(.enrolled()).later(at: "2026-03-02T23:00Z").unwatched(until: "2026-03-02T23:00Z")
            .person { anna in
                let foresight = Foresight(work: 0)
                let (plan, now) = (ShippedPlans["standard"], "2026-03-02T23:00Z")
                let held = try ask("alert", anna, plan, at: now, foresight)
                #expect(held.end == "unforeseen" && foresight.isCutShort)
                let sent = try ask("urgent", anna, plan, at: now, foresight)
                #expect(sent.end == "sent at 2026-03-02T23:00:00.000Z")
            }
    }

    /// One answer is about many matters, and what it may cost is for all of them. The day has one job, and the next day is a moment
    /// away.
    @Test func `where no more may be foreseen, a moment ahead is too far (G11)`() throws {
        let document = """
            {"name":"p","cooldown_minutes":0,"daily_cap":1,"kinds":[{"name":"note","on_request":true},
             {"name":"first","schedule":{"on":"daily","at":"11:00"}},{"name":"second","schedule":{"on":"daily","at":"12:00"}}]}
            """
        let now = justBefore("2026-03-03T00:00Z")
        try given(.enrolled(), Self.noNight, policy: document, at: "2026-03-02T13:00Z")
            .when(.requested("note"), at: "2026-03-02T14:00Z").then("emitted note/#3 [push]")
            .later(at: now)
            .person { anna in
                let (plan, foresight) = (ShippedPlans.plan(document: document), Foresight(work: 0))
                let before = try ask("note", anna, plan, at: now, foresight)
                #expect(before.nextEligible == Instant(local: "2026-03-03T00:00Z"))
                let second = try next("second", anna, plan, at: now, foresight)
                #expect(second.end == "unforeseen")
                let after = try ask("note", anna, plan, at: now, foresight)
                #expect(after.end == before.end && after.nextEligible == nil)
            }
    }

    /// The session ends while the check-in waits for the quiet hours to end, on the day after.
    @Test(arguments: ["00:00", "08:00"])
    func `a check-in that is settled when its day is over is followed by the next (P2)`(end: String) throws {
        let scenario = given(
            .enrolled(),
            .wants(
                #"{"frequency":"daily","check_in_time":"23:00","quiet_hours":{"start":"22:00","end":"\#(end)"}}"#),
            at: "2026-03-02T12:00Z")
        for second in 0..<4 { scenario.when(.message(in: "c1"), at: "2026-03-02T22:58:0\(second)Z") }
        try scenario.thenNothing()
            .person { anna in
                let told = try next("check_in", anna, ShippedPlans["standard"], at: "2026-03-02T22:58:03Z")
                #expect(told.end == "dropped at 2026-03-03T\(end):00.000Z, settled")
                #expect(told.nextEligible == Instant(local: "2026-03-04T\(end)Z"))
            }
            .later(at: "2026-03-02T23:30Z")
            .then(
                "2026-03-02T23:00Z held check_in/2026-03-02T23:00 until 2026-03-03T\(end)Z quiet_hours",
                "2026-03-02T23:03:03Z completed a session in c1"
            )
            .later(at: "2026-03-03T\(end)Z").then("dropped check_in/2026-03-02T23:00 settled")
            .unwatched(until: justBefore("2026-03-04T\(end)Z"))
            .later(at: "2026-03-04T\(end)Z").then("emitted check_in/2026-03-03T23:00 [push]")
    }

    @Test(arguments: ["18:00", "20:00"])
    func `what would be gathered now goes into the next digest, and not into one that has passed (T10, C5)`(
        time: String
    ) throws {
        try given(.enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#))
            .later(at: "2026-03-02T\(time)Z").thenNothing()
            .person { anna in
                let told = try ask("reminder", anna, ShippedPlans["standard"], at: "2026-03-02T\(time)Z")
                #expect(told.end == "gathered at 2026-03-02T\(time):00.000Z, digest_mode")
                #expect(told.nextEligible == Instant(local: "2026-03-03T18:00Z"))
            }
            .when(.requested("reminder"), at: "2026-03-02T\(time)Z")
            .then("gathered reminder/#4 into daily_digest/2026-03-03T18:00 digest_mode")
    }

    /// Nothing of that instant is in the log yet: there is no telling what comes first.
    @Test func `asked at the instant at which a hold ends that is not decided, one comes at once`() throws {
        try given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T23:00Z")
            .then("held alert/#3 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T07:59Z").thenNothing()
            .person { anna in
                let told = try ask("alert", anna, ShippedPlans["standard"], at: "2026-03-03T08:00Z")
                #expect(told.end == "sent at 2026-03-03T08:00:00.000Z")
            }
    }

    @Test func `what is further ahead than may be foreseen is not asked about (G11)`() {
        given(.enrolled()).person { anna in
            let (plan, now) = (ShippedPlans["standard"], Instant(local: "2026-03-01T12:00Z"))
            func isForeseen(at text: String, work: Int) -> Bool {
                let foresight = Foresight(work: work)
                return anna.foreseen(at: Instant(local: text), from: now, user: "anna", plan: plan, foresight) != nil
            }
            // The check-in of Monday is at 09:00.
            #expect(isForeseen(at: "2026-03-02T08:59Z", work: 0))
            #expect(!isForeseen(at: "2026-03-02T09:00Z", work: 0))
            #expect(isForeseen(at: "2026-03-02T09:00Z", work: 10))
        }
    }

    @Test func `of who opted in a message is analysed first, and when is said (A2)`() throws {
        func told(_ anna: Person, at text: String) throws -> String {
            try ask("message", anna, ShippedPlans["messageai"], at: text).end
        }
        try given(.enrolled(), .consent(), .message(in: "c1"), policy: "messageai")
            .person { anna in
                let end = try told(anna, at: "2026-03-01T12:00Z")
                #expect(end == "never, a message is analysed first (A2): c1 at 2026-03-01T12:02:00.000Z")
            }
            .later(at: "2026-03-01T12:02Z").then("asks about c1 pause")
            .person { anna in
                let end = try told(anna, at: "2026-03-01T12:02Z")
                #expect(end == "never, a message is analysed first (A2): c1 until 2026-03-01T12:02:10.000Z")
            }
            .unwatched(until: "2026-03-01T12:03Z")
            .person { anna in
                let end = try told(anna, at: "2026-03-01T12:03Z")
                #expect(end == "never, a message is analysed first, and none waits for that (A2)")
            }
    }

    @Test func `of several conversations those that are analysed first are named, in their order (A2)`() throws {
        let first = "2026-03-01T12:00:00.000Z"
        try given(.enrolled(), .consent(), policy: "messageai")
            .when(.message(in: "c1"), .message(in: "c2"), .message(in: "c3"), at: first)
            .when(.message(in: "c1"), at: "2026-03-01T12:00:00.001Z")
            .when(.message(in: "c4"), at: "2026-03-01T12:00:00.002Z").thenNothing()
            .person { anna in
                let end = try ask("message", anna, ShippedPlans["messageai"], at: "2026-03-01T12:00:00.002Z").end
                let pause = "2026-03-01T12:02:00."
                let ahead = "c2 at \(pause)000Z, c3 at \(pause)000Z, c1 at \(pause)001Z and 1 more"
                #expect(end == "never, a message is analysed first (A2): \(ahead)")
            }
    }

    @Test func `when somebody is asked for push permission, and why they are not (S4)`() throws {
        func told(_ anna: Person, at text: String) throws -> Prospect {
            try ask("permission_prompt", anna, ShippedPlans["coachme"], at: text)
        }
        try given(.enrolled(), policy: "coachme")
            .person { anna in
                let end = try told(anna, at: "2026-03-01T12:00Z").end
                #expect(end == "never, they are asked when they have completed a session, and not before (S4)")
            }
            .when(.session, at: "2026-03-01T13:00Z").then("emitted permission_prompt/#2 [in_app]")
            .person { anna in
                let end = try told(anna, at: "2026-03-01T13:00Z").end
                #expect(end == "never, it would not come: they were asked already (S4)")
            }
            .when(.permission("not_now"), at: "2026-03-01T13:01Z").thenNothing()
            .person { anna in
                let end = try told(anna, at: "2026-03-01T13:01Z").end
                let again = "they said not now, and are asked again when they have completed another session (S4)"
                #expect(end == "never, \(again)")
            }
            .when(.permission("denied"), at: "2026-03-01T13:02Z").thenNothing()
            .person { anna in
                let prospect = try told(anna, at: "2026-03-01T13:02Z")
                let answered = "they have answered (denied) and are not asked again (S4)"
                #expect(prospect.end == "never, it would not come: \(answered)")
                #expect(prospect.first?.lines.first { $0.rule == 2 }?.saw == "they answered: denied")
            }
    }

    @Test func `in a zone that is not known here no slot comes, and every hour counts as quiet (G6)`() throws {
        try given(.enrolled(), Self.noNight, .moved(to: "Mars/Olympus")).person { anna in
            let slot = try next("check_in", anna, ShippedPlans["standard"], at: "2026-03-01T12:00Z")
            #expect(slot.end == "never, it would not come: the zone Mars/Olympus is not known here (G6)")
            #expect(slot.nextEligible == nil)
            let alert = try ask("alert", anna, ShippedPlans["standard"], at: "2026-03-01T12:00Z")
            let saw = alert.first?.lines.first { $0.rule == 8 }?.saw
            #expect(saw == "the zone Mars/Olympus is not known here: every hour counts as quiet (G6)")
        }
    }

    /// In the morning all that waits goes out, and fills that day.
    @Test func `what is dropped because as many wait as may can come when there is room again (G11)`() throws {
        let document = """
            {"name":"p","cooldown_minutes":0,"daily_cap":1000,"kinds":[{"name":"note","on_request":true}]}
            """
        let night = "2026-03-02T23:00Z"
        let scenario = given(.enrolled(), policy: document)
        for _ in 0..<PersonLimits.waiting { scenario.when(.requested("note"), at: night) }
        try scenario.unwatched(until: night).person { anna in
            let told = try ask("note", anna, ShippedPlans.plan(document: document), at: night)
            #expect(told.end == "dropped at 2026-03-02T23:00:00.000Z, overload")
            #expect(told.nextEligible == Instant(local: "2026-03-04T08:00Z"))
        }
    }

    @Test func `of a digest that is due it is said why it would say nothing (D1)`() throws {
        let plan = ShippedPlans["standard"]
        try given(.enrolled(), .noCheckIns).person { anna in
            let digest = try #require(
                anna.due(through: .distantFuture, plan, most: 1, withSilentDigests: true).first)
            #expect(anna.silence(of: digest, plan)?.hasSuffix("(D1)") == true)
        }
    }

    @Test func `a review that is raised now would take the next slot, and tell of its week (D3, G2)`() throws {
        let plan = ShippedPlans["standard"]
        let scenario = given(.enrolled(), .noCheckIns).when(.session, at: "2026-03-03T12:00Z")
        try scenario.person { anna in
            let told = try ask("weekly_review", anna, plan, at: "2026-03-03T12:00Z")
            #expect(told.end == "sent at 2026-03-03T12:00:00.000Z")
        }
        let unbegun =
            "never, it would not come: nothing was gathered, and the week that the next would tell of has not begun (D3)"
        // Brought forward by a run, and in its own time with more done behind it.
        try scenario.when(.run("weekly_review"), at: "2026-03-03T13:00Z")
            .then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
            .person { anna in
                let told = try ask("weekly_review", anna, plan, at: "2026-03-03T14:00Z")
                #expect(told.end == unbegun)
            }
        scenario.when(.run("weekly_review"), at: "2026-03-03T14:00Z").thenNothing()
        let sunday = given(.enrolled(), .noCheckIns).when(.session, at: "2026-03-03T12:00Z")
            .later(at: "2026-03-08T19:00Z").then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
            .when(.session, at: "2026-03-08T20:00Z")
        try sunday.person { anna in
            let told = try ask("weekly_review", anna, plan, at: "2026-03-08T20:30Z")
            #expect(told.end == unbegun)
        }
        sunday.when(.run("weekly_review"), at: "2026-03-08T20:30Z").thenNothing()
    }

    /// Two deadlines, and of which goal the next notice is.
    @Test(arguments: [
        ("12:00:00.000", "12:00:00.000", "goal:a"), ("12:00:00.001", "12:00:00.000", "goal:b"),
        ("12:00:00.000", "12:00:00.001", "goal:a"),
    ])
    func `the next slot of a kind is its first, and of two that come at once the first goal's (P18)`(
        a: String, b: String, first: String
    ) throws {
        let document = #"{"name":"p","kinds":[{"name":"over","raised_by":[{"on":"goal_overdue"}]}]}"#
        let plan = ShippedPlans.plan(document: document)
        try given(
            .enrolled(), .goal("a", "\"deadline\":\"2026-03-02T\(a)Z\""),
            .goal("b", "\"deadline\":\"2026-03-02T\(b)Z\""), policy: document
        )
        .person { anna in
            let kind = try #require(plan.rules.place(of: "over"))
            let next = anna.nextSlot(
                of: kind, after: Instant(local: "2026-03-01T12:00Z"), user: "anna", plan: plan)
            #expect(next?.0.subject == first)
        }
    }
}

extension Prospect {
    /// How it ends, in words.
    fileprivate var end: String {
        switch outcome {
        case .sent(let at): "sent at \(at)"
        case .joined(let at): "told with another at \(at)"
        case .gathered(let at, let reason): "gathered at \(at), \(reason.name)"
        case .dropped(let at, let reason): "dropped at \(at), \(reason.name)"
        case .never(let why): "never, \(why)"
        case .unforeseen: "unforeseen"
        }
    }
}
