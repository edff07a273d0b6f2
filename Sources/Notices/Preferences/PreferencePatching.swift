/// Changes to what a person stores (SPEC §3): a merge patch goes in, what differs from the defaults stays.
extension Rulebook {
    /// What a person stores after a patch: what still differs from the defaults, and what cannot be read, as it is.
    ///
    /// To lay a patch over the differences is to lay it over the defaults with the differences, but that `null` lets the
    /// default through again. `timezone` does not stay: it is a travel (`T9`).
    public func differences(
        of current: JSONValue, patchedWith patch: JSONValue, saidYes: Bool
    ) -> JSONValue {
        let merged = Self.merged(current, patch).withoutExcessSettings
        let layer = layer(merged, saidYes: saidYes)
        var differences = layer.fields.differences(from: defaults(saidYes: saidYes), ownRules)
        for note in layer.notes {
            guard let value = note.value else { continue }
            differences = differences.setting(note.path[...], to: value)
        }
        return differences
    }

    /// Why the policy refuses a patch whose form is right, `nil` where it takes it: the first objection.
    ///
    /// What the person's document held before is not held against the patch, only what the two come to together. The path
    /// is within the patch.
    public func problem(withPatch patch: JSONValue, on differences: JSONValue, saidYes: Bool) -> FieldError? {
        let merged = Self.merged(differences, patch)
        if let problem = merged.excess(over: differences) { return problem }
        let alone = layer(patch.removing("timezone"), saidYes: saidYes)
        let together = layer(merged, saidYes: saidYes)
        let touched = Set(patch.members.map(\.key))
        let first =
            alone.notes.first { $0.cause != .combination }
            ?? together.notes.first { $0.cause == .combination && touched.contains($0.path[0]) }
        return first?.error
    }

    private static func merged(_ current: JSONValue, _ patch: JSONValue) -> JSONValue {
        let merged = (current.isObject ? current : .emptyObject).merged(with: patch).removing("timezone")
        return merged.isObject ? merged : .emptyObject
    }
}

extension JSONValue {
    fileprivate func removing(_ key: String) -> JSONValue {
        guard case .object(let members) = self, members.contains(where: { $0.key == key }) else { return self }
        return .object(members.filter { $0.key != key })
    }
}
