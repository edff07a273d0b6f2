/// One value of the preferences document that a change moves: where it stands, from what to what, and what that means.
public struct Change: Sendable, Equatable {
    public var path: String
    public var from: JSONValue
    public var to: JSONValue
    public var sentence: String
}

/// Presets (SPEC §3): several preferences at once, looked at before they are applied.
extension Rulebook {
    public func preset(named name: String) -> Preset? { policy.presets.first { $0.name.text == name } }

    /// The preset that somebody applied, as far as this policy has it: `custom` says something of its presets too.
    public func presetInForce(_ applied: String?) -> String? {
        guard let applied, !policy.presets.isEmpty else { return nil }
        return applied == "custom" || preset(named: applied) != nil ? applied : nil
    }

    /// Everything that applying the preset would change, in the order of the document.
    public func preview(_ preset: Preset, on differences: JSONValue, saidYes: Bool) -> [Change] {
        let patched = self.differences(of: differences, patchedWith: preset.patch, saidYes: saidYes)
        return changes(from: differences, to: patched, saidYes: saidYes)
    }

    /// What two stored documents differ in, value by value, in the order of the document.
    ///
    /// - Parameter name: what a subject is called, a goal's among them; `nil` where it has no name.
    public func changes(
        from old: JSONValue, to new: JSONValue, saidYes: Bool, naming name: (String) -> String? = { _ in nil }
    ) -> [Change] {
        let (before, after) = (layer(old, saidYes: saidYes).fields, layer(new, saidYes: saidYes).fields)
        var changes: [Change] = []
        let subjects = Set(before.subjects.keys).union(after.subjects.keys)
        let goals = Set(before.goals.keys).union(after.goals.keys).map { "goal:" + $0 }
        let names = Dictionary(
            uniqueKeysWithValues: subjects.union(goals).compactMap { subject in name(subject).map { (subject, $0) } })
        let sentences = ChangeSentences(rules: self, before: before, after: after, names: names)
        Self.compare(before.document(ownRules), after.document(ownRules), [], &changes, sentences)
        return changes
    }

    private static func compare(
        _ old: JSONValue, _ new: JSONValue, _ path: [String], _ changes: inout [Change], _ sentences: ChangeSentences
    ) {
        guard old != new else { return }
        let isWhole =
            path == ["schedule"] || path.count == 2 && ["goals", "subjects"].contains(path[0]) || !old.isObject
            || !new.isObject
        guard !isWhole else {
            changes.append(
                Change(
                    path: path.joined(separator: "."), from: old, to: new, sentence: sentences.sentence(path, old, new))
            )
            return
        }
        for member in new.members {
            compare(old[member.key] ?? .null, member.value, path + [member.key], &changes, sentences)
        }
        for member in old.members where new[member.key] == nil {
            compare(member.value, .null, path + [member.key], &changes, sentences)
        }
    }
}
