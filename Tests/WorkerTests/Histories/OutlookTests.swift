import CivilTime
import Notices
import Simulation
import Testing

/// SPEC §13, `explain`: what it says of a moment and of what comes after it.
@Suite("What is foretold of a notice")
struct OutlookTests {
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
        _ kind: String, about subject: String? = nil, _ person: Person, _ plan: Plan, at text: String
    ) throws -> Prospect {
        let (now, place) = (Instant(local: text), try #require(plan.rules.place(of: kind)))
        let (slot, _) = try #require(
            person.nextSlot(of: place, about: subject, after: now, user: "anna", plan: plan))
        return Prospect(slot, of: person, user: "anna", plan, from: now, Foresight(work: .max))
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
}

extension Prospect {
    /// How it ends, in words.
    fileprivate var end: String {
        switch outcome {
        case .sent(let at): "sent at \(at)"
        case .gathered(let at, let reason): "gathered at \(at), \(reason.name)"
        case .dropped(let at, let reason): "dropped at \(at), \(reason.name)"
        case .never(let why): "never, \(why)"
        case .unforeseen: "unforeseen"
        }
    }
}
