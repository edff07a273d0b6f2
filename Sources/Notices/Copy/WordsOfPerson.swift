internal import CivilTime

extension Person {
    /// What a text may say of a person, and of what it is about.
    func values(about subject: String?, at now: Instant) -> PhraseValues {
        var values = PhraseValues()
        values.count = 1
        values.choices = preferences.choices
        guard hasDetails || subject != nil else { return values }
        values.name = details.displayName ?? ""
        guard let subject else { return values }
        let known = knownName(ofSubject: subject)
        values.isSubjectNamed = known != nil
        values.subject = known ?? Self.id(ofSubject: subject)
        if let goal = details.goal(ofSubject: subject) {
            values.title = goal.title
            if let deadline = goal.deadline { values.left = Self.timeLeft(now, deadline) }
        }
        return values
    }

    /// What people call a subject: a goal's title, the name that the app gave it, or the id behind the colon.
    func name(ofSubject subject: String) -> String { knownName(ofSubject: subject) ?? Self.id(ofSubject: subject) }

    /// `nil` where neither a goal's title nor a name is known.
    public func knownName(ofSubject subject: String) -> String? {
        guard hasDetails else { return nil }
        return details.goal(ofSubject: subject)?.title ?? details.title(ofSubject: subject)
    }

    private static func id(ofSubject subject: String) -> String {
        subject.split(separator: ":", maxSplits: 1).last.map(String.init) ?? subject
    }

    /// Never more than there is: who reads "2 hours" has them.
    private static func timeLeft(_ now: Instant, _ deadline: Instant) -> String {
        let minutes = max(0, (deadline.milliseconds(since: now) + 59_999) / 60_000)
        switch minutes {
        case 60: return "1 hour"
        case ..<120: return minutes == 1 ? "1 minute" : "\(minutes) minutes"
        case ..<(48 * 60): return "\(minutes / 60) hours"
        default: return "\(minutes / 1440) days"
        }
    }
}
