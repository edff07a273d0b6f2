internal import Notices

/// The policies a log adopted, as far as the rulebook in force hangs on them: the last one, and of those before it the
/// ones that retired kinds come from.
struct PolicyChain: Equatable {
    /// Documents, the last one in force. Empty until a policy is adopted.
    private(set) var documents: [String]

    init(_ documents: [String] = []) { self.documents = documents }

    mutating func adopt(_ document: String) { documents.append(document) }

    /// The rulebook that adopting them one after the other gives; `nil` where one cannot be read.
    func rulebook(from beginning: Rulebook) -> Rulebook? {
        var rules = beginning
        for document in documents {
            guard let policy = try? Policy(recorded: document) else { return nil }
            rules = Rulebook(policy, retiring: rules)
        }
        return rules
    }

    /// As few of them as give the same rulebook again.
    func shortened(giving rules: Rulebook, from beginning: Rulebook) -> PolicyChain {
        let inForce = Set(rules.kinds.map(\.name))
        var named: Set<Identifier> = []
        var needed: [String] = []
        for document in documents.reversed() {
            guard let policy = try? Policy(recorded: document) else { continue }
            let own = inForce.intersection(policy.kinds.map(\.name))
            guard needed.isEmpty || !own.isSubset(of: named) else { continue }
            needed.append(document)
            named.formUnion(own)
        }
        let short = PolicyChain(needed.reversed())
        // Where more kinds were retired than there are places, what was forgotten hangs on all of them.
        let again = short.rulebook(from: beginning)
        return again.map { $0.kinds == rules.kinds && $0.ownKinds == rules.ownKinds } ?? false ? short : self
    }
}
