internal import CivilTime

/// A person's goals, sorted by id: each is found without looking at the others.
extension Details {
    /// The first place whose goal does not come before an id.
    private func goalPlace(notBefore id: some StringProtocol) -> Int {
        var (low, high) = (0, goals.count)
        while low < high {
            let middle = (low + high) / 2
            if goals[middle].id.utf8.precedes(id.utf8) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func goalPlace(_ id: some StringProtocol) -> Int? {
        let place = goalPlace(notBefore: id)
        return place < goals.count && goals[place].id.utf8.elementsEqual(id.utf8) ? place : nil
    }

    func goal(_ id: some StringProtocol) -> Goal? { goalPlace(id).map { goals[$0] } }

    func goal(ofSubject subject: String) -> Goal? {
        guard subject.utf8.starts(with: "goal:".utf8) else { return nil }
        return goal(Substring(subject.utf8.dropFirst("goal:".utf8.count)))
    }

    var goalsUnderway: Int { goals.count { !$0.hasEnded } }

    /// Starts a goal, or starts it again: its check-ins stay, and when it ended.
    ///
    /// One goal more than a person may have is not admitted, and in a log that holds it all the same it is no goal.
    mutating func start(_ goal: Goal) {
        var goal = goal
        let place = goalPlace(notBefore: goal.id)
        if place < goals.count, goals[place].id == goal.id {
            guard !goals[place].hasEnded || goalsUnderway < PersonLimits.goals else { return }
            for instant in goals[place].checkIns { goal.checkIn(at: instant) }
            goal.endedAt = goals[place].endedAt
            goals[place] = goal
        } else if goalsUnderway < PersonLimits.goals {
            goals.insert(goal, at: place)
        }
    }

    /// Of the goals that have ended the latest are remembered, and those that something is still to be said about.
    mutating func endGoal(at place: Int, _ at: Instant) {
        if !goals[place].hasEnded { goals[place].endedAt = at }
        goals[place].hasEnded = true
        guard goals.count - goalsUnderway > PersonLimits.endedGoals else { return }
        var needed: Set<String> = []
        for waiting in waiting.prefix(PersonLimits.lookedAt) {
            if let subject = waiting.notice.subject { needed.insert(subject) }
        }
        for snooze in snoozes { needed.formUnion(snooze.job.subjects) }
        let oldest = goals.indices.filter { goals[$0].hasEnded && !needed.contains(goals[$0].subject) }
            .min { goals[$0].endedAt < goals[$1].endedAt }
        if let oldest { goals.remove(at: oldest) }
    }
}

extension String.UTF8View {
    /// Whether it comes first, byte by byte. Whoever has a thousand goals is searched ten steps deep for each notice: their
    /// bytes are compared where they lie.
    fileprivate func precedes<Other: Collection<UInt8>>(_ other: Other) -> Bool {
        let inPlace = withContiguousStorageIfAvailable { own in
            other.withContiguousStorageIfAvailable { other in
                for place in 0..<Swift.min(own.count, other.count) where own[place] != other[place] {
                    return own[place] < other[place]
                }
                return own.count < other.count
            }
        }
        return (inPlace ?? nil) ?? lexicographicallyPrecedes(other)
    }
}
