/// How much one person's preferences may differ from the defaults (`G11`). Whatever else a document holds is bounded by
/// the policy; settings of single goals are as many as the person likes.
extension JSONValue {
    /// Those of goals with anything set.
    private var settings: [Member] { (self["goals"]?.members ?? []).filter { $0.value != .emptyObject } }

    /// What a patch would store too much, where it stores more than there was.
    func excess(over before: JSONValue) -> FieldError? {
        let count = settings.count
        if count > PersonLimits.goalSettings, count > before.settings.count {
            return FieldError(
                path: "goals",
                "\(count) goals would have settings of their own, and \(PersonLimits.goalSettings) is the most; "
                    + "put those of others back with null first")
        }
        let bytes = text.utf8.count
        guard bytes > PersonLimits.preferenceBytes, bytes > before.text.utf8.count else { return nil }
        return FieldError(
            "this person's changes would come to \(bytes) bytes, and \(PersonLimits.preferenceBytes) is the most; "
                + "put settings of goals back with null first")
    }

    /// What a log of an older version holds of more goals than may have settings is left out, the latest first.
    var withoutExcessSettings: JSONValue {
        guard case .object(var members) = self, let place = members.firstIndex(where: { $0.key == "goals" }) else {
            return self
        }
        var bytes = 0
        let kept = members[place].value.members.prefix(PersonLimits.goalSettings).prefix { goal in
            bytes += goal.key.utf8.count + goal.value.text.utf8.count + 4
            return bytes <= PersonLimits.preferenceBytes
        }
        guard kept.count < members[place].value.members.count else { return self }
        members[place].value = .object(Array(kept))
        return .object(members)
    }
}
