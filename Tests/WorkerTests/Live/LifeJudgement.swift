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
        for (id, seq) in acknowledged where seq > 0 && recorded[id] != seq {
            problems.append("\(id) was acknowledged as \(seq) and is not there (G3)")
        }
        var replay = Replay(plan)
        for commit in commits { replay.take(commit) }
        if let first = replay.first { problems.append("decided otherwise again (G1): \(first)") }
        return problems
    }
}
