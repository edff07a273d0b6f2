public import CivilTime
internal import Journal
public import Notices

/// A "run now" in memory: what it would lead to, recorded nowhere (SPEC §13, `--dry-run`).
public struct RunTrial {
    private var decider: Decider
    private let end: Instant

    public init(_ folded: FoldedLog) {
        decider = Decider(folded.register, nextSequence: folded.head.lastSeq + 1)
        end = folded.head.at
    }

    /// What would be decided about those who are named: the jobs there would be, and what would be kept back. Also whom retention would
    /// erase, whoever is named.
    public mutating func run(_ order: RunOrder, at wall: Instant) throws(FieldError) -> [Event] {
        let now = max(wall, end)
        if let problem = order.problem(under: decider.register, at: now) { throw problem }
        var events: [Event] = []
        while true {
            if case .nobodyIsDue = decider.wakeNext(through: now, at: { _ in now }, into: &events) { break }
        }
        if order.kind != nil {
            let known = order.users.isEmpty ? decider.register.names.filter { !Erased.holds($0) } : order.users
            for user in known {
                _ = try decider.take(order.fact(about: user), at: now, into: &events)
            }
        }
        let wanted = Set(order.users)
        return events.filter { event in
            // Whose key is gone is erased before anything else is done about them.
            guard !event.isFact, let user = event.user, !Erased.holds(user) else { return false }
            if case .personErased = event.payload { return true }
            return wanted.isEmpty || wanted.contains(user)
        }
    }
}
