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

    /// What is in force after a patch, with what the person then stores (`Preferences.origin`): the same as of
    /// `differences(of:patchedWith:saidYes:)`.
    ///
    /// Where what they stored is settled, only what the patch touches is worked out.
    func preferences(_ current: Preferences, of stored: Stored, patchedWith patch: JSONValue) -> Preferences {
        if let changed = settled(current, of: stored, patchedWith: patch) { return changed }
        let differences = differences(of: stored.differences, patchedWith: patch, saidYes: stored.saidYes)
        return preferences(differing: differences, saidYes: stored.saidYes)
    }

    /// `nil` where the whole document has to be looked at.
    private func settled(_ current: Preferences, of stored: Stored, patchedWith patch: JSONValue) -> Preferences? {
        guard patch.isObject, isSettled(current, on: stored) else { return nil }
        let merged = Self.merged(stored.differences, patch).withoutExcessSettings
        let (defaults, touched) = (defaults(saidYes: stored.saidYes), DocumentFields(touchedBy: patch))
        var layer = PreferenceLayer(over: current.origin.fields, vocabulary, policy.ranges)
        layer.lay(touched, of: merged, insteadOfThose: defaults)
        guard layer.notes.isEmpty else { return nil }
        // What a value equal to the default comes to is what no value does.
        let differences = JSONValue.object(
            DocumentField.inOrder.compactMap { field in
                let difference =
                    touched.contains(field)
                    ? layer.fields.json(field, ownRules, beside: defaults) : stored.differences[field.name]
                return difference.map { JSONValue.Member(field.name, $0) }
            })
        layer.lay(touched, of: differences, insteadOfThose: defaults)
        return preferences(settled: Stored(differences: differences, saidYes: stored.saidYes), layer.fields)
    }

    /// Why the policy refuses a patch whose form is right, `nil` where it takes it: the first objection.
    ///
    /// What the person's document held before is not held against the patch, only what the two come to together. The path
    /// is within the patch.
    public func problem(withPatch patch: JSONValue, on differences: JSONValue, saidYes: Bool) -> FieldError? {
        problem(withPatch: patch, on: Stored(differences: differences, saidYes: saidYes), inForce: nil)
    }

    /// - Parameter current: what is in force for the person, as far as it is known.
    func problem(withPatch patch: JSONValue, on stored: Stored, inForce current: Preferences?) -> FieldError? {
        let merged = Self.merged(stored.differences, patch)
        if let problem = merged.excess(over: stored.differences) { return problem }
        let alone = layer(patch.removing("timezone"), saidYes: stored.saidYes)
        if let note = alone.notes.first(where: { $0.cause != .combination }) { return note.error }
        let touched = Set(patch.members.map(\.key))
        let together = together(merged, stored, patch, current)
        return together.notes.first { $0.cause == .combination && touched.contains($0.path[0]) }?.error
    }

    /// The merged document laid; of one that was settled only what the patch touches.
    private func together(
        _ merged: JSONValue, _ stored: Stored, _ patch: JSONValue, _ current: Preferences?
    ) -> PreferenceLayer {
        guard let current, isSettled(current, on: stored) else { return layer(merged, saidYes: stored.saidYes) }
        var layer = PreferenceLayer(over: current.origin.fields, vocabulary, policy.ranges)
        layer.lay(
            DocumentFields(touchedBy: patch), of: merged, insteadOfThose: defaults(saidYes: stored.saidYes))
        return layer
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

extension DocumentFields {
    /// Those that a patch can change. Settings of goals and of subjects share their limits.
    fileprivate init(touchedBy patch: JSONValue) {
        self.init(in: patch)
        if contains(.goals) || contains(.subjects) {
            insert(.goals)
            insert(.subjects)
        }
    }
}
