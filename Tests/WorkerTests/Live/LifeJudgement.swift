import Notices
import Worker

/// What must hold of the log after any life of a worker.
enum LifeJudgement {
    /// - Parameter acknowledged: the number each fact was acknowledged under, by its id; 0 for one that was refused.
    static func problems(_ commits: [[Event]], acknowledged: [String: UInt64], _ plan: Plan) -> [String] {
        var problems: [String] = []
        let recorded = Dictionary(
            commits.joined().compactMap { event in event.id.map { ($0, event.seq) } },
            uniquingKeysWith: { first, _ in first })
        // What a fact had raised already is told as a duplicate of that fact, and has no event of its own (C7).
        let raising = Set(commits.joined().lazy.filter(\.mayRaise).map(\.seq))
        for (id, seq) in acknowledged
        where seq > 0 && recorded[id] != seq && !(recorded[id] == nil && raising.contains(seq)) {
            problems.append("\(id) was acknowledged as \(seq) and is not there (G3)")
        }
        var replay = Replay(plan)
        for commit in commits { replay.take(commit) }
        if let first = replay.first { problems.append("decided otherwise again (G1): \(first)") }
        return problems
    }
}

extension Event {
    fileprivate var mayRaise: Bool {
        switch payload {
        case .goalStarted, .goalChanged, .goalEnded, .checkedIn, .pointsEarned: true
        default: false
        }
    }
}
