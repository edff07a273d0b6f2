internal import CivilTime
internal import Notices

/// When people have said last that they saw their feed. Said again while nothing new has come it changes nothing, and is not
/// recorded: a page that says it without end would fill the log (`G11`).
struct FeedsSeen {
    private struct Sight {
        var seq: UInt64
        var at: Instant
    }

    /// By the number of each: an id may be somebody else's later.
    private var last: [Int: Sight] = [:]

    /// Beyond so many all are forgotten, and recorded once more.
    private static let most = 65_536

    mutating func note(_ seq: UInt64, of number: Int, at now: Instant) {
        if last.count >= Self.most { last = [:] }
        last[number] = Sight(seq: seq, at: now)
    }

    /// The fact that said it; `nil` where something may be unseen. A person's jobs are remembered for longer than a day, so none
    /// that came since is missed.
    func seq(of number: Int, _ person: Person, at now: Instant) -> UInt64? {
        guard let sight = last[number], now < sight.at.advanced(byDays: 1), !person.hasUnseenJobs else { return nil }
        return sight.seq
    }
}

extension Person {
    fileprivate var hasUnseenJobs: Bool {
        marks.contains { $0.flags.contains(.job) && $0.flags.isDisjoint(with: [.test, .seen]) }
    }
}

extension WorkerCore {
    /// The fact by which a person has said the same before. The app may tell it as often as it likes.
    func sight(before fact: Fact, at now: Instant) -> UInt64? {
        // One with an id of its own is recorded: told again later it must be the same, whatever came in between (`G5`).
        guard fact.isTheirOwn, fact.id == nil, let number = personSeeing(fact) else { return nil }
        return feedsSeen.seq(of: number, decider.register[number], at: now)
    }

    func noteSight(_ fact: Fact, _ seq: UInt64, at now: Instant) {
        if let number = personSeeing(fact) { feedsSeen.note(seq, of: number, at: now) }
    }

    private func personSeeing(_ fact: Fact) -> Int? {
        guard case .feedSeen = fact.payload, let user = fact.user else { return nil }
        return decider.register.number(of: user)
    }
}
