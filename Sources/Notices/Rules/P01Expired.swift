internal import CivilTime

/// `P1`: its time has passed.
enum P1Expired: Rule {
    static var number: Int { 1 }
    static var name: StaticString { "expired" }

    static func objection(to matter: Matter) -> Objection? {
        if let expiry = matter.expiry, expiry <= matter.now { return .drop(.expired) }
        // It would be sent without its words.
        if let end = matter.wordsEnd, end <= matter.now { return .drop(.expired) }
        return nil
    }

    static func sight(of matter: Matter) -> String {
        let ends = [matter.expiry.map { "expires at \($0)" }, matter.wordsEnd.map { "its words are kept until \($0)" }]
        let known = ends.compactMap(\.self)
        return known.isEmpty ? "never expires" : known.joined(separator: ", ")
    }
}

extension Matter {
    /// When it is no use any more: at its own end, and at the deadline of the goal it reminds of (`C6`).
    var expiry: Instant? {
        let own = notice.content?.expiresAt
        guard kind.endsWithGoal, person.hasDetails, let id = notice.goal,
            let place = person.details.goalPlace(id), let deadline = person.details.goals[place].deadline
        else { return own }
        return min(own ?? deadline, deadline)
    }

    /// When the words that somebody gave it are kept no longer. A job that goes out before is not sent so late.
    var wordsEnd: Instant? {
        guard let days = plan.policy.retention?.textsAfterDays, let content = notice.content, content.hasWords else {
            return nil
        }
        return notice.raisedAt.advanced(byDays: Int64(days))
    }
}
