import Notices

/// Any bytes as a policy and as what a person stores: nothing may trap, and what is in force must be a good document.
///
/// Built and run by `ops/fuzz policies`, outside the package.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPolicy(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    if let policy = try? Policy(recorded: text) { checkPolicy(policy) }
    if let document = JSONValue(parsing: text) { checkPreferences(document, standing) }
    return 0
}

private let standing = rulebook(of: "microcommit")

private func rulebook(of name: String) -> Rulebook {
    guard let text = ShippedPolicies.text(of: name), let policy = try? Policy(document: text) else {
        fatalError("\(name) is not a good policy")
    }
    return Rulebook(policy)
}

private func checkPolicy(_ policy: Policy) {
    let rules = Rulebook(policy, retiring: standing)
    precondition(rules.kinds.count <= Rulebook.kindsMax)
    let document = rules.document(differing: .emptyObject, saidYes: true, timezone: "UTC")
    guard policy.contradictions().isEmpty else { return }
    let problem = rules.problem(withPatch: document, on: .emptyObject, saidYes: true)
    precondition(problem == nil, "the defaults are refused: \(problem?.description ?? "") in \(document.text)")
    for preset in policy.presets { _ = rules.preview(preset, on: .emptyObject, saidYes: false) }
}

private func checkPreferences(_ document: JSONValue, _ rules: Rulebook) {
    let stored = rules.differences(of: document, patchedWith: .emptyObject, saidYes: true)
    precondition(
        rules.differences(of: stored, patchedWith: .emptyObject, saidYes: true) == stored,
        "stored twice: \(stored.text)")
    let whole = rules.document(differing: document, saidYes: true, timezone: "UTC")
    precondition(rules.document(differing: stored, saidYes: true, timezone: "UTC") == whole, "changed: \(whole.text)")
    let clean = rules.differences(of: .emptyObject, patchedWith: whole, saidYes: true)
    precondition(rules.preferences(differing: clean, saidYes: true).warnings.isEmpty, "warned of: \(clean.text)")
    _ = rules.problem(withPatch: document, on: stored, saidYes: true)
    _ = rules.changes(from: .emptyObject, to: stored, saidYes: true)
    _ = rules.warnings(from: .emptyObject, to: stored, saidYes: true, standing: PreferenceStanding())
}
