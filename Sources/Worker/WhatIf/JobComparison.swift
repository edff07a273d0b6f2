internal import CivilTime

/// Jobs as they were recorded beside jobs as another policy decides them. Each counts once: as the same, moved, gained
/// or lost.
///
/// The two sides are told job by job as time goes on. A job that has found its other is counted and forgotten, so that
/// only those without one are kept.
struct JobComparison {
    enum Side: Int { case recorded, decided }

    struct Job {
        var name: String
        var user: String
        var kind: String
        var at: Instant
    }

    /// A live worker is some milliseconds late; nobody notices a minute.
    static let unmovedMax: Int64 = 60_000
    /// How far apart two jobs may be whose names hang on what was decided, and still be one.
    static let apartMax: Int64 = 12 * 3_600_000

    var start = Instant.distantPast
    private var alone: [[String: Place]] = [[:], [:]]
    private var kinds = Numbering()
    private var users = Numbering()
    private var perKind: [JobTally] = []
    private var perUser: [JobTally] = []
    private var rhythms: [[Rhythm]] = [[], []]
    private var moves: [[Int64]] = []
    private var examples = ChangedJobs()

    private struct Place {
        var user: Int
        var kind: Int
        var at: Instant
    }

    /// How many jobs one person has had in the week that is under way, and in their fullest.
    private struct Rhythm {
        var week: Int64 = -1
        var count = 0
        var highest = 0

        mutating func add(_ week: Int64) {
            count = week == self.week ? count + 1 : 1
            self.week = week
            highest = max(highest, count)
        }
    }

    // MARK: Taking

    mutating func take(_ job: Job, _ side: Side) {
        let place = Place(user: number(user: job.user), kind: number(kind: job.kind), at: job.at)
        count(place) { if side == .recorded { $0.recorded += 1 } else { $0.decided += 1 } }
        rhythms[side.rawValue][place.user].add(job.at.milliseconds(since: start) / WhatIfReport.week)
        let other = 1 - side.rawValue
        if let found = alone[other].removeValue(forKey: job.name) {
            pair(side == .recorded ? (place, found) : (found, place))
            return
        }
        // No name is given twice; should it be, both are kept.
        var name = job.name
        while alone[side.rawValue][name] != nil { name += "'" }
        alone[side.rawValue][name] = place
    }

    /// Whether the log has a job of this name that nothing was decided for here so far.
    func hasLost(_ name: String) -> Bool { alone[Side.recorded.rawValue][name] != nil }

    private mutating func pair(_ jobs: (recorded: Place, decided: Place)) {
        let by = jobs.decided.at.milliseconds(since: jobs.recorded.at)
        guard abs(by) > Self.unmovedMax else { return }
        count(jobs.recorded) { $0.moved += 1 }
        note(jobs.recorded, was: jobs.recorded.at, becomes: jobs.decided.at)
        moves[jobs.recorded.kind].append(by)
    }

    private mutating func count(_ place: Place, _ change: (inout JobTally) -> Void) {
        change(&perKind[place.kind])
        change(&perUser[place.user])
    }

    private mutating func note(_ place: Place, was: Instant?, becomes: Instant?) {
        examples.note(
            WhatIfReport.Example(
                user: users.names[place.user], kind: kinds.names[place.kind], was: was, becomes: becomes))
    }

    private mutating func number(kind: String) -> Int {
        let number = kinds.number(of: kind)
        if number == perKind.count {
            perKind.append(JobTally())
            moves.append([])
        }
        return number
    }

    private mutating func number(user: String) -> Int {
        let number = users.number(of: user)
        if number == perUser.count {
            perUser.append(JobTally())
            for side in rhythms.indices { rhythms[side].append(Rhythm()) }
        }
        return number
    }

    // MARK: Those without another of the same name

    /// Jobs whose names hang on what was decided find each other by what they are about and when they came.
    private mutating func settle(_ recorded: DecidedNames, _ decided: DecidedNames) {
        let names = [recorded, decided]
        var families: [DecidedNames.Key: [[Place]]] = [:]
        var lone: [[Place]] = [[], []]
        for side in alone.indices {
            for (name, place) in alone[side] {
                if let key = names[side].key(of: name) {
                    families[key, default: [[], []]][side].append(place)
                } else {
                    lone[side].append(place)
                }
            }
        }
        alone = [[:], [:]]
        for family in families.values {
            let left = pairNearest(family[0].sorted { $0.at < $1.at }, family[1].sorted { $0.at < $1.at })
            lone[0] += left.recorded
            lone[1] += left.decided
        }
        for place in lone[0] {
            count(place) { $0.lost += 1 }
            note(place, was: place.at, becomes: nil)
        }
        for place in lone[1] {
            count(place) { $0.gained += 1 }
            note(place, was: nil, becomes: place.at)
        }
    }

    /// In the order of time, each with the nearest; what is nearer to its neighbour is left to that one.
    private mutating func pairNearest(
        _ recorded: [Place], _ decided: [Place]
    ) -> (recorded: [Place], decided: [Place]) {
        var left: (recorded: [Place], decided: [Place]) = ([], [])
        var (was, now) = (recorded[...], decided[...])
        while let old = was.first, let new = now.first {
            let gap = abs(new.at.milliseconds(since: old.at))
            let isOlder = old.at <= new.at
            let rival = isOlder ? was.dropFirst().first : now.dropFirst().first
            let rivalGap = rival.map { abs($0.at.milliseconds(since: (isOlder ? new : old).at)) }
            if gap <= Self.apartMax, rivalGap.map({ gap <= $0 }) ?? true {
                pair((old, new))
                was.removeFirst()
                now.removeFirst()
            } else if isOlder {
                left.recorded.append(was.removeFirst())
            } else {
                left.decided.append(now.removeFirst())
            }
        }
        left.recorded += was
        left.decided += now
        return left
    }

    // MARK: The result

    mutating func report(
        _ circumstances: WhatIfReport.Circumstances, recorded: DecidedNames, decided: DecidedNames
    ) -> WhatIfReport {
        settle(recorded, decided)
        let kinds = zip(self.kinds.names, zip(perKind, moves)).map { name, counted in
            WhatIfReport.Kind(name: name, tally: counted.0, moves: WhatIfReport.Moves(counted.1))
        }
        let people = zip(users.names, perUser).filter { $1.changed > 0 }.map {
            WhatIfReport.Affected(user: $0, tally: $1)
        }
        return WhatIfReport(
            circumstances, start: start, kinds: kinds.sorted { ($1.tally.size, $0.name) < ($0.tally.size, $1.name) },
            affected: people.sorted { ($1.tally.changed, $0.user) < ($0.tally.changed, $1.user) },
            moves: WhatIfReport.Moves(moves.flatMap { $0 }),
            highest: rhythms.map { $0.reduce(0) { max($0, $1.highest) } }, examples: examples.some)
    }
}

/// Names by the order of their coming.
private struct Numbering {
    private(set) var names: [String] = []
    private var numbers: [String: Int] = [:]

    mutating func number(of name: String) -> Int {
        if let known = numbers[name] { return known }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }
}
