public import CivilTime

/// `P11`: the last job of this kind is less than the cooldown ago.
enum P11Cooldown: Rule {
    static var number: Int { 11 }
    static var name: StaticString { "cooldown" }

    static func objection(to matter: Matter) -> Objection? {
        guard let end = matter.cooldownEnd, end > matter.now else { return nil }
        return .hold(until: end, .cooldown)
    }

    static func sight(of matter: Matter) -> String {
        let minutes = matter.kind.cooldownMilliseconds / 60_000
        // Older ones may be forgotten.
        let days = Person.jobsRemembered / 86_400_000
        guard minutes > 0 else { return "no cooldown" }
        guard let end = matter.cooldownEnd else {
            let stretch = "in the last \(days) days (tests do not count)"
            return "no job of \(matter.kind.name) on push, email or sms \(stretch); \(minutes) min"
        }
        return "\(minutes) min after the last job of \(matter.kind.name) end at \(end)"
    }
}

extension Matter {
    /// `P17`: of any priority, on push, email or sms.
    fileprivate var cooldownEnd: Instant? {
        let cooldown = kind.cooldownMilliseconds
        guard cooldown > 0 else { return nil }
        return person.lastJob(of: notice.kind)?.advanced(byMilliseconds: cooldown)
    }
}

extension Person {
    /// The last job of a kind on push, email or sms, as long as it is remembered.
    public func lastJob(of kind: Int) -> Instant? {
        for place in marks.indices.reversed()
        where marks[place].kind == kind && marks[place].flags.contains([.job, .ringing]) {
            return marks[place].at
        }
        return nil
    }
}
