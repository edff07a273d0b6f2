import Audit
import CivilTime
import Notices
import Simulation
import Testing

/// What holds of every history, whatever happens in it.
@Suite("Random histories")
struct RandomHistoryTests {
    @Test(arguments: Batch.all)
    func `the promises of SPEC §14 hold`(batch: Batch) {
        for history in batch.histories {
            let problems = Self.problems(of: history)
            guard !problems.isEmpty else { continue }
            Issue.record(
                """
                \(history.recipe.policy), seed \(history.recipe.seed), a life of \(history.recipe.pace):
                \(problems.joined(separator: "\n"))
                the history, for belfry simulate --policy \(history.recipe.policy) --until \(history.end):
                \(history.lines.joined(separator: "\n"))
                """)
            return
        }
    }

    /// One of them woke for a review that had nothing to say since anything was recorded of them.
    @Test func `who goes on from a log takes people who are due at once in the order they had (G5)`() {
        let history = RandomHistory(RandomHistory.Recipe(seed: 1529, policy: "standard", pace: .years))
        let known = 130
        #expect(history.commits[known].first?.at == history.commits[known - 1].first?.at)
        #expect(
            printed(history.resumed(after: known)) == printed(history.commits.dropFirst(known)))
    }

    private static func problems(of history: RandomHistory) -> [String] {
        var problems: [String] = []
        func expect(_ promise: String, _ difference: String?) {
            if let difference { problems.append("\(promise): \(difference)") }
        }
        let live = printed(history.commits)
        expect("the same history gives the same bytes (G1)", firstDifference(live, printed(history.livedAgain())))
        var random = SeededRandom(seed: history.recipe.seed)
        let count = Int.random(in: 0...history.commits.count, using: &random)
        expect(
            "going on after \(count) commits that were read from the log (G5)",
            firstDifference(
                printed(history.commits.dropFirst(count)), printed(history.resumed(after: count))))
        let people = Set(history.facts.compactMap(\.user)).sorted()
        for user in people where people.count > 1 {
            let alone = history.lived(by: user)
            expect(
                "\(user) alone in the log",
                firstDifference(printed(history.commits, of: user), printed(alone, of: user)))
        }
        let ledger = Ledger(history.commits)
        problems += ledger.problems
        for name in ledger.waiting(since: history.end.advanced(byDays: -2)) {
            problems.append("\(name) never comes to an end (P20)")
        }
        return problems + audited(history)
    }

    /// The judge that shares nothing with the pipeline.
    private static func audited(_ history: RandomHistory) -> [String] {
        let policy = ShippedPolicies.text(of: history.recipe.policy).map { JSONDocument(trusted: $0) }
        var auditor = Auditor(policy: policy) { try? ShippedPlans.zones.zone(named: $0) }
        var blind = auditor
        for event in history.commits.joined() {
            auditor.take(event)
            var hidden = event
            hidden.payload = event.payload.veiled().payload
            blind.take(hidden)
        }
        let (whole, rest) = (
            auditor.finish(.decided(until: history.end)), blind.finish(.decided(until: history.end))
        )
        // No check hangs on what an erasure takes away (E2, E3).
        let differing = Check.allCases.filter { whole[$0].asked != rest[$0].asked }
        return whole.violations.map { "audit: \($0)" } + rest.violations.map { "audit without keys: \($0)" }
            + differing.map { "\($0.name) is asked \(whole[$0].asked) times, and \(rest[$0].asked) without keys" }
    }
}
