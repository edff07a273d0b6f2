import CivilTime
import Notices
import Simulation
import Testing
import Worker

@Suite("What is due from one instant to another")
struct DueMattersTests {
    /// Whatever is found, and for whatever reason, it is found by a question about its own instant, and by none that ends before
    /// it or begins after it.
    private func hold(_ person: Person, _ plan: Plan, at now: Instant, _ label: String) {
        for matter in person.due(through: now.advanced(byHours: 60 * 24), plan, most: 12) {
            let (before, after) = (matter.at.advanced(byMilliseconds: -1), matter.at.advanced(byMilliseconds: 1))
            #expect(
                person.due(from: matter.at, through: matter.at, plan, most: .max).contains(matter),
                "\(label): \(matter)")
            #expect(!person.due(through: before, plan, most: 12).contains(matter), "\(label): \(matter)")
            #expect(
                !person.due(from: after, through: after.advanced(byHours: 24), plan, most: 99).contains(matter),
                "\(label): \(matter)")
        }
    }

    @Test(arguments: Batch.all.prefix(2)) func `it is found at its instant and at no other`(batch: Batch) {
        for history in batch.histories.prefix(12) {
            var register = Register(history.plan)
            for (place, event) in history.events.enumerated() {
                register.fold(event)
                guard place.isMultiple(of: 29), let user = event.user, let number = register.number(of: user) else {
                    continue
                }
                hold(
                    register[number], register.plan, at: event.at,
                    "\(history.recipe.policy), seed \(history.recipe.seed), \(user) after \(event.seq)")
            }
        }
    }

    @Test func `so is the end of a retention`() {
        let document = #"{"name":"p","retention":{"people_after_days":30},"kinds":[{"name":"note","on_request":true}]}"#
        let plan = ShippedPlans.plan(document: document)
        given(.enrolled(), policy: document).person { person in
            let matters = person.due(through: .distantFuture, plan, most: 9)
            #expect(matters.map(\.cause) == [.retention])
            hold(person, plan, at: matters.first?.at.advanced(byHours: -24) ?? .distantPast, "retention")
        }
    }

    /// A repeat that comes a moment before the check-in of 09:00, and one that comes with it.
    @Test(arguments: [("08:44:59.999", [DueMatter.Cause.snooze, .hold]), ("08:45:00.000", [.hold, .snooze])])
    func `it comes in order of time, and of what comes at one instant slots are first`(
        time: String, causes: [DueMatter.Cause]
    ) {
        given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
            .when(.requested("alert"), at: "2026-03-02T08:30Z").then("emitted alert/#3 [push]")
            .when(.snoozes("alert/#3", 15), at: "2026-03-02T\(time)Z")
            .person { person in
                let plan = ShippedPlans["standard"]
                let found = person.due(through: .distantFuture, plan, most: 2).map(\.cause)
                #expect(found.map { if case .slot = $0 { .hold } else { $0 } } == causes)
            }
    }

    @Test func `slots that were skipped are those of a stretch, its end left out`() throws {
        let plan = ShippedPlans["standard"]
        let kind = try #require(plan.rules.place(of: "check_in"))
        let day = try #require(LocalDate("2026-03-02"))
        let nine = try #require(LocalTime("09:00"))
        func instant(_ text: String) throws -> Instant { try Instant(rfc3339: text) }
        let (first, last) = (
            LocalDateTime(date: day, time: nine), LocalDateTime(date: day.advanced(byDays: 2), time: nine)
        )
        // When it begins and ends, and how many are in it.
        let cases = [
            ("2026-03-02T09:00:00Z", "2026-03-05T09:00:00Z", 3),
            ("2026-03-02T09:00:00.001Z", "2026-03-05T09:00:00Z", 2),
            ("2026-03-01T00:00:00Z", "2026-03-04T09:00:00Z", 2),
            ("2026-03-01T00:00:00Z", "2026-03-04T09:00:00.001Z", 3),
            ("2026-03-01T00:00:00Z", "2026-03-03T09:00:00Z", 1),
        ]
        try given(.enrolled(), .wants(#"{"frequency":"daily"}"#)).person { person in
            for (from, to, count) in cases {
                let stretch = try instant(from)..<instant(to)
                let slots = person.slots(of: kind, about: nil, from: first, through: last, in: stretch, plan)
                #expect(slots.count == count, "\(from) to \(to)")
            }
        }
    }
}
