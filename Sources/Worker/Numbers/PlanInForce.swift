internal import CivilTime
internal import Notices

/// The plan that a log's policies come to, followed as they are adopted.
struct PlanInForce: Sendable {
    private(set) var plan: Plan
    private(set) var policies = PolicyChain()
    private let beginning: Plan

    init(_ beginning: Beginning) {
        plan = beginning.plan
        self.beginning = beginning.plan
    }

    /// `nil` where a document cannot be read.
    init?(_ beginning: Beginning, _ documents: [String]) {
        self.init(beginning)
        for document in documents { guard adopt(document) else { return nil } }
    }

    /// `false` for what is no policy, which changes nothing.
    @discardableResult
    mutating func adopt(_ document: String) -> Bool {
        guard let policy = try? Policy(recorded: document) else { return false }
        plan = Plan(Rulebook(policy, retiring: plan.rules), zone: plan.zone)
        policies.adopt(document)
        return true
    }

    /// As few documents as give the same plan again.
    var documents: [String] { policies.shortened(giving: plan.rules, from: beginning.rules).documents }
}
