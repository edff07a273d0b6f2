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
