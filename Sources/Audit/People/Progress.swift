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
    /// When those ended last that were started again since.
    private(set) var earlierEnds: [String: Deed] = [:]
    /// Those that were started and have not ended.
    private(set) var underway: Set<String> = []
    var deadlines: [String: Instant] = [:]
    private var goalCheckIns: [String: [Deed]] = [:]
    /// What a week's review counts, oldest first.
    private var sessionTimes: [Instant] = []
    private var checkInTimes: [Instant] = []

    /// No notice waits for longer than this for its own day to matter.
    private static let keptDays: Int64 = 40

    mutating func completedSession(at instant: Instant) {
        lastSession = instant
        sessions += 1
        Self.add(instant, to: &sessionTimes)
    }

    mutating func checkedIn(goal: String?, _ deed: Deed) {
        lastCheckIn = deed.at
        Self.add(deed.at, to: &checkInTimes)
        guard let goal else { return }
        let limit = deed.at.advanced(byDays: -Self.keptDays)
        // Taken away in bulk: moving the rest along for each would cost more the more there are.
        if let first = goalCheckIns[goal]?.first, first.at <= limit.advanced(byDays: -Self.keptDays) {
            goalCheckIns[goal]?.removeAll { $0.at <= limit }
        }
        goalCheckIns[goal, default: []].append(deed)
    }

    private static func add(_ instant: Instant, to times: inout [Instant]) {
        // A review may wait for a week and more, and still counts its own.
        let limit = instant.advanced(byDays: -keptDays)
        if let first = times.first, first <= limit.advanced(byDays: -keptDays) { times.removeAll { $0 <= limit } }
        times.append(instant)
    }

    /// How many sessions and check-ins there were in a stretch of time.
    func done(in stretch: Range<Instant>) -> (sessions: Int, checkIns: Int) {
        (sessionTimes.count(where: stretch.contains), checkInTimes.count(where: stretch.contains))
    }

    mutating func started(goal: String) {
        if let end = goalEnds.removeValue(forKey: goal) { earlierEnds[goal] = end }
        underway.insert(goal)
    }

    mutating func ended(goal: String, _ deed: Deed) {
        goalEnds[goal] = deed
        underway.remove(goal)
    }

    func checkIns(on goal: String) -> [Deed] { goalCheckIns[goal] ?? [] }
}
