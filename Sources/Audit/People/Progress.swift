internal import CivilTime

/// What a person has achieved, as far as it settles notices (P2) or lets them be asked something (S4).
struct Progress {
    /// Something that was done, and the event that says so.
    struct Deed {
        var at: Instant
        var seq: UInt64
    }

    private(set) var lastSession: Instant?
    private(set) var lastCheckIn: Instant?
    private(set) var sessions = 0
    /// When each goal ended; a goal that was started again has not.
    private(set) var goalEnds: [String: Deed] = [:]
    var deadlines: [String: Instant] = [:]
    private var goalCheckIns: [String: [Deed]] = [:]

    /// No notice waits for longer than this for its own day to matter.
    private static let keptDays: Int64 = 40

    mutating func completedSession(at instant: Instant) {
        lastSession = instant
        sessions += 1
    }

    mutating func checkedIn(goal: String?, _ deed: Deed) {
        lastCheckIn = deed.at
        guard let goal else { return }
        let limit = deed.at.advanced(byDays: -Self.keptDays)
        // Taken away in bulk: moving the rest along for each would cost more the more there are.
        if let first = goalCheckIns[goal]?.first, first.at <= limit.advanced(byDays: -Self.keptDays) {
            goalCheckIns[goal]?.removeAll { $0.at <= limit }
        }
        goalCheckIns[goal, default: []].append(deed)
    }

    mutating func started(goal: String) { goalEnds[goal] = nil }
    mutating func ended(goal: String, _ deed: Deed) { goalEnds[goal] = deed }

    func checkIns(on goal: String) -> [Deed] { goalCheckIns[goal] ?? [] }
}
