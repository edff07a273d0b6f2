/// How much one person's preferences may differ from the defaults (`G11`). Whatever else a document holds is bounded by
/// the policy; settings of single goals are as many as the person likes.
extension JSONValue {
    /// Those of goals and subjects with anything set.
    private var settings: Int {
        Self.ofEach.reduce(0) { $0 + (self[$1]?.members ?? []).count { $0.value != .emptyObject } }
    }

    private static let ofEach = ["goals", "subjects"]
    /// A byte may be written as an escape such as `\u0007`.
    private static let bytesOfAnEscape = 6

    /// What a patch would store too much, where it stores more than there was.
    func excess(over before: JSONValue) -> FieldError? {
        let count = settings
        if count > PersonLimits.goalSettings, count > before.settings {
            let path = (self["subjects"]?.members ?? []).isEmpty ? "goals" : "subjects"
            return FieldError(
                path: path,
                "\(count) goals and subjects would have settings of their own, and \(PersonLimits.goalSettings) is the most; "
                    + "put those of others back with null first")
        }
        // Few documents come near: most need not be written out to be measured.
        guard !takesLess(than: PersonLimits.preferenceBytes / Self.bytesOfAnEscape) else { return nil }
        let bytes = text.utf8.count
        guard bytes > PersonLimits.preferenceBytes, bytes > before.text.utf8.count else { return nil }
        return FieldError(
            "this person's changes would come to \(bytes) bytes, and \(PersonLimits.preferenceBytes) is the most; "
                + "put settings of goals and subjects back with null first")
    }

    /// What a log of an older version holds of more goals than may have settings is left out, the latest first.
    var withoutExcessSettings: JSONValue {
        guard case .object(var members) = self else { return self }
        var (bytes, count) = (0, 0)
        for place in members.indices where Self.ofEach.contains(members[place].key) {
            let kept = members[place].value.members.prefix { setting in
                bytes += setting.key.utf8.count + setting.value.text.utf8.count + 4
                count += 1
                return bytes <= PersonLimits.preferenceBytes && count <= PersonLimits.goalSettings
            }
            guard kept.count < members[place].value.members.count else { continue }
            members[place].value = .object(Array(kept))
        }
        return .object(members)
    }
}
