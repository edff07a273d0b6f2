import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// What holds of the comparison whatever happened and whatever policy is asked about.
@Suite("what-if over random histories")
struct WhatIfPropertyTests {
    @Test(arguments: Batch.all.prefix(5))
    func `under the policy that was in force nothing is gained, lost, moved or refused`(batch: Batch) throws {
        for history in batch.histories where !history.adoptsPolicies {
            let document = ShippedPolicies.text(of: history.recipe.policy) ?? ""
            let report = try #require(try WhatIf.asked(history.events, document))
            let note: Comment = "\(history.recipe.policy), seed \(history.recipe.seed)"
            #expect(report.total.changed == 0 && report.refused.isEmpty && report.affected.isEmpty, note)
            #expect(report.total.recorded == Self.jobs(history.events), note)
            #expect(report.highestRecorded == report.highestDecided, note)
        }
    }

    @Test(arguments: Batch.all.prefix(5))
    func `every job of either side counts once, and everything is the sum of its parts`(batch: Batch) throws {
        for history in batch.histories {
            let log = Self.withoutAnswers(history.events)
            // Every policy under every other, in turn.
            let others = ShippedPolicies.names.filter { $0 != history.recipe.policy }
            let other = others[Int(history.recipe.seed) % others.count]
            let document = ShippedPolicies.text(of: other) ?? ""
            let report = try #require(try WhatIf.asked(log, document))
            let note: Comment = "\(history.recipe.policy) as \(other), seed \(history.recipe.seed)"
            let total = report.total
            #expect(total.recorded == Self.jobs(log), note)
            #expect(total.decided == Self.jobs(Self.lived(log, under: other)), note)
            #expect(total.same + total.moved + total.gained == total.decided, note)
            #expect(report.kinds.allSatisfy { $0.tally.same >= 0 }, note)
            #expect(report.affected.reduce(0) { $0 + $1.tally.changed } == total.changed, note)
            #expect(report.moves.earlier + report.moves.later == total.moved, note)
            #expect(report.kinds.reduce(0) { $0 + $1.moves.later } == report.moves.later, note)
        }
    }

    /// Samples count for nothing (`N8`).
    private static func jobs(_ events: [Event]) -> Int {
        events.count { if case .jobEmitted(let job) = $0.payload { job.isTest != true } else { false } }
    }

    /// Snoozes and failures are about jobs by their names, which may be others under another policy: what becomes of those
    /// is not as simple as what it is held against here.
    private static func withoutAnswers(_ events: [Event]) -> [Event] {
        events.filter {
            switch $0.payload {
            case .noticeSnoozed, .jobFailed: false
            default: true
            }
        }
    }

    private static func lived(_ log: [Event], under other: String) -> [Event] {
        let told = Told()
        var chronicle = Chronicle(ShippedPlans[other]) { told.events += $0 }
        for event in log where event.isFact {
            if case .policyAdopted = event.payload { continue }
            try? chronicle.take(recorded: event)
        }
        chronicle.wind(to: log.last?.at ?? .distantPast)
        return told.events
    }

    private final class Told {
        var events: [Event] = []
    }
}
