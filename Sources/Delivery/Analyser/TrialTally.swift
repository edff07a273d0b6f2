internal import CivilTime
internal import Notices

/// Test runs of the analyser (`A7`): one of a person at a time, and through their own door as many as are allowed. It is kept in memory,
/// until a restart.
struct TrialTally: Sendable {
    private var underWay: Set<String> = []
    /// When a call was made for whoever asked by themselves.
    private var asked: [String: [Instant]] = [:]

    /// Of as many people it is remembered; beyond, those who asked yesterday are forgotten, and then all.
    private static let peopleMax = 65_536

    /// Why none may begin now; `nil` where it has begun, and has to be ended.
    mutating func begin(_ user: String, isTheirOwn: Bool, at now: Instant) -> AnalysisTrial.Failure? {
        if underWay.contains(user) { return .unavailable }
        if isTheirOwn, let opens = Allowance.trials.opens(after: asked[user, default: []], at: now) {
            return .tooMany(retryAfterSeconds: opens.wholeSeconds(after: now))
        }
        underWay.insert(user)
        return nil
    }

    /// A call is made for somebody who asked by themselves.
    mutating func count(_ user: String, at now: Instant) {
        if asked[user] == nil, asked.count >= Self.peopleMax {
            let dayAgo = now.advanced(byDays: -1)
            asked = asked.filter { $0.value.last.map { $0 > dayAgo } ?? false }
            if asked.count >= Self.peopleMax { asked = [:] }
        }
        asked[user] = asked[user, default: []].suffix(Allowance.trials.daily - 1) + [now]
    }

    mutating func end(_ user: String) { underWay.remove(user) }

    mutating func forget(_ user: String) { asked[user] = nil }
}
