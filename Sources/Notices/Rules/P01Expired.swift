internal import CivilTime

/// `P1`: its time has passed.
enum P1Expired: Rule {
    static var number: Int { 1 }
    static var name: StaticString { "expired" }

    static func objection(to matter: Matter) -> Objection? {
        guard let expiry = matter.expiry, expiry <= matter.now else { return nil }
        return .drop(.expired)
    }

    static func sight(of matter: Matter) -> String {
        matter.expiry.map { "expires at \($0)" } ?? "never expires"
    }
}

extension Matter {
    /// When it is no use any more: at its own end, at that of its words where the policy does not keep them, and at the deadline of
    /// the goal it reminds of (`C6`).
    var expiry: Instant? {
        let own = [notice.content?.expiresAt, notice.wordsEnd(plan)].compactMap(\.self).min()
        guard kind.endsWithGoal, person.hasDetails, let id = notice.goal,
            let place = person.details.goalPlace(id), let deadline = person.details.goals[place].deadline
        else { return own }
        return min(own ?? deadline, deadline)
    }
}
