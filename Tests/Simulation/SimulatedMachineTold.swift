internal import CivilTime
internal import Notices
internal import Worker

extension SimulatedMachine {
    /// A machine that was told the first half of a history, fact by fact at its time, and then slept.
    public convenience init(toldHalfOf history: RandomHistory, seed: UInt64) {
        let facts = history.facts.prefix(max(1, history.facts.count / 2))
        self.init(history.plan, at: facts.first?.at ?? .distantPast, seed: seed)
        start()
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: ShippedPolicies.text(of: history.recipe.policy) ?? "")
        for fact in [Fact(payload: .policyAdopted(adoption))] + facts {
            clock = max(clock, fact.at ?? clock)
            core?.ask(facts: [fact]) { _ in }
            settle()
        }
    }
}
