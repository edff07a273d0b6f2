internal import CivilTime

/// The names that a preferences document may use under a policy, and what is said of others.
struct Vocabulary: Sendable {
    let policy: String
    /// The policy's own, in their order.
    let kinds: ArraySlice<KindRule>
    private let places: [String: Int]
    let choices: [ChoiceRule]

    init(policy: String, kinds: [KindRule], own: Int, places: [String: Int], choices: [ChoiceRule]) {
        self.choices = choices
        self.policy = policy
        self.kinds = kinds[..<own]
        self.places = places
    }

    func place(ofKind name: String) -> Int? { places[name].flatMap { $0 < kinds.count ? $0 : nil } }

    func objection(toKind name: String) -> (PreferenceLayer.Note.Cause, FieldError) {
        let cause = places[name] == nil ? PreferenceLayer.Note.Cause.unreadable : .retired
        return (cause, FieldError("is not a kind of \(policy)" + advice(name, among: kinds.map(\.name.text))))
    }

    /// `nil` for a name that quiet hours can make an exception for.
    func objection(toException name: String) -> (cause: PreferenceLayer.Note.Cause, error: FieldError)? {
        guard name != Priority.critical.name, place(ofKind: name) == nil else { return nil }
        let cause = places[name] == nil ? PreferenceLayer.Note.Cause.unreadable : .retired
        let known = [Priority.critical.name] + kinds.map(\.name.text)
        return (
            cause,
            FieldError("\(quoted(name)) is neither critical nor a kind of \(policy)" + advice(name, among: known))
        )
    }

    func choice(named name: String) -> ChoiceRule? { choices.first { $0.name.text == name } }

    func objection(toChoice name: String) -> FieldError {
        guard !choices.isEmpty else { return FieldError("is not a choice: \(policy) has none") }
        return FieldError("is not a choice of \(policy)" + advice(name, among: choices.map(\.name.text)))
    }

    static func objection(toDigest wish: DigestWish, of rule: KindRule) -> FieldError {
        let allowed = rule.digests.map(\.rawValue).joined(separator: ", ")
        return FieldError("\(quoted(wish.rawValue)) is not offered for \(rule.name) (it can be \(allowed))")
    }

    static func objection(toSubtype name: String, of rule: KindRule) -> FieldError {
        guard !rule.subtypes.isEmpty else { return FieldError("is not a subtype: \(rule.name) has none") }
        return FieldError("is not a subtype of \(rule.name)" + advice(name, among: rule.subtypes.map(\.name.text)))
    }

    /// Exceptions in one order and each once: `critical`, the kinds as the policy has them, then what it does not know.
    func ordered(_ exceptions: [String]) -> [String] {
        func rank(_ name: String) -> Int { name == Priority.critical.name ? -1 : places[name] ?? .max }
        return Set(exceptions).sorted { left, right in
            let (leftRank, rightRank) = (rank(left), rank(right))
            return leftRank == rightRank ? left < right : leftRank < rightRank
        }
    }
}

/// What somebody may have meant, and all there is.
func advice(_ name: String, among known: [String]) -> String {
    let hint = NearestName.of(name, among: known).map { "; did you mean \($0)?" } ?? ""
    return "\(hint) (known here: \(known.joined(separator: ", ")))"
}
