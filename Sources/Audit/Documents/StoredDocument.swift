internal import CivilTime
internal import Notices

/// What a person stores of what they said (SPEC §3): only what differs from the defaults of the policy in force at that
/// moment. Who chose what was the default anyway has the next policy's default under the next policy.
///
/// What this policy cannot read is no choice of anything, and stays as it was said.
extension JSONTree {
    /// - Parameter saidYes: whether the person has tapped yes to check-ins, which then are on by default (S4).
    func stored(under policy: PolicyDocument, saidYes: Bool) -> JSONTree {
        var document = self
        func forget<Value: Equatable>(
            _ path: [String], or otherwise: Value? = nil, _ read: (JSONTree) -> Value?
        ) {
            let usual = policy.preferences[path].flatMap(read) ?? Wishes.standard?[path].flatMap(read) ?? otherwise
            document.forget(path, ifItSays: usual, read)
        }
        forget(["enabled"]) { $0.truth }
        if policy.asksBeforeCheckIns {
            document.forget(["check_ins_enabled"], ifItSays: saidYes) { $0.truth }
        } else {
            forget(["check_ins_enabled"]) { $0.truth }
        }
        forget(["frequency"]) { $0.text }
        forget(["check_in_days"]) { $0.weekdays }
        forget(["check_in_time"]) { $0.time }
        forget(["digest_mode"]) { $0.truth }
        for name in ["push", "email", "sms"] { forget(["channels", name]) { $0.truth } }
        forget(["quiet_hours", "enabled"]) { $0.truth }
        for name in ["start", "end"] { forget(["quiet_hours", name]) { $0.time } }
        forget(["quiet_hours", "days"]) { $0.weekdays }
        forget(["quiet_hours", "exceptions"]) { $0.texts.map { Set($0) } }
        // Without a schedule by default, a day without a slot says nothing.
        for day in Weekday.allCases { forget(["schedule", day.name], or: []) { $0.list } }
        for (name, wish) in document["kinds"]?.members ?? [:] {
            guard let kind = policy.kinds[name] else { continue }
            let path = ["kinds", name]
            forget(path + ["enabled"], or: kind.isOn) { $0.truth }
            forget(path + ["channels"], or: Set(kind.channels).subtracting([.inApp])) {
                $0.channels.map { Set($0).subtracting([.inApp]) }
            }
            forget(path + ["digest"], or: kind.digests.first) { $0.text }
            for part in (wish["subtypes"]?.members ?? [:]).keys {
                guard let isOn = kind.subtypes[part]?.isOn else { continue }
                forget(path + ["subtypes", part], or: isOn) { $0.truth }
            }
        }
        return document
    }

    /// Takes a field away that can be read and says this.
    private mutating func forget<Value: Equatable>(
        _ path: [String], ifItSays usual: Value?, _ read: (JSONTree) -> Value?
    ) {
        guard let own = self[path].flatMap(read), own == usual else { return }
        self = merged(with: path.reversed().reduce(JSONTree.null) { .object([$1: $0]) })
    }
}
