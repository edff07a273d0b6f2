internal import CivilTime
internal import Notices

/// Jobs as they were recorded beside jobs as another policy decides them. Each counts once: as the same, moved, gained
/// or lost.
///
/// The two sides are told job by job as time goes on. A job whose name is the same whatever was decided is counted and
/// forgotten once it has found its other. Of those that decisions raised the numbers are kept: what they are called is chance,
/// so they find each other only by what they are about and when they came.
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

    var start = Instant.distantPast
    /// Those without another so far, by side.
    private var alone: [[JobName: Place]] = [[:], [:]]
    /// Those that decisions raised.
    private var raised: [DecidedNames.Family: RaisedJobs] = [:]
    private var names = [DecidedNames(), DecidedNames()]
    /// What the newest slot of a family is called that was decided here.
    private var newestSlots: [DecidedNames.Family: Slot] = [:]
    /// Samples are not compared (`N8`); these were made on one side and not, so far, on the other.
    private var samplesOfOneSide: Set<JobName> = []

    private var kinds = Numbering()
    private var users = Numbering()
    private var perKind: [ComparedJobs.Kind] = []
    private var perUser: [JobTally] = []
    private var rhythms: [[Rhythm]] = [[], []]
    private var examples = ChangedJobs()

    private struct JobName: Hashable {
        var person: Int
        var text: String
    }

    struct Place {
        var user: Int
        var kind: Int
        var at: Instant
    }

    private struct Slot {
        var name: String
        var end: DecidedNames.End
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

    /// An event of either side, before the job that it may be: how notices are named after it.
    mutating func note(_ event: Event, _ side: Side) {
        guard let user = event.user else { return }
        if DecidedNames.mayBeNamed(after: event) {
            return names[side.rawValue].note(event.seq, about: number(user: user))
        }
        guard side == .decided, case .jobEmitted(let job) = event.payload, job.isTest != true else { return }
        let name = job.job.text
        guard let (family, end) = names[side.rawValue].parts(of: name, of: number(user: user)), case .slot = end else {
            return
        }
        newestSlots[family] = Slot(name: name, end: end)
    }

    mutating func take(_ job: Job, _ side: Side) {
        let place = Place(user: number(user: job.user), kind: number(kind: job.kind), at: job.at)
        count(place) { if side == .recorded { $0.recorded += 1 } else { $0.decided += 1 } }
        rhythms[side.rawValue][place.user].add(job.at.milliseconds(since: start) / WhatIfReport.week)
        let parts = names[side.rawValue].parts(of: job.name, of: place.user)
        if let (family, end) = parts, case .decision(let decision) = end {
            raised[family, default: RaisedJobs()].sides[side.rawValue].append(.init(decision: decision, place: place))
            return
        }
        var name = JobName(person: place.user, text: job.name)
        let other = 1 - side.rawValue
        if let found = alone[other].removeValue(forKey: name) {
            pair(side == .recorded ? (place, found) : (found, place))
            return
        }
        // No name is given twice; should it be, both are kept.
        while alone[side.rawValue][name] != nil { name.text += "'" }
        alone[side.rawValue][name] = place
    }

    /// A sample that was made on one of the sides.
    mutating func takeSample(_ name: String, of user: String) {
        let sample = JobName(person: number(user: user), text: name)
        if samplesOfOneSide.remove(sample) == nil { samplesOfOneSide.insert(sample) }
    }

    private mutating func pair(_ jobs: (recorded: Place, decided: Place)) {
        let by = jobs.decided.at.milliseconds(since: jobs.recorded.at)
        guard abs(by) > Self.unmovedMax else { return }
        count(jobs.recorded) { $0.moved += 1 }
        note(jobs.recorded, was: jobs.recorded.at, becomes: jobs.decided.at)
        perKind[jobs.recorded.kind].moves.append(by)
    }

    private mutating func count(_ place: Place, _ change: (inout JobTally) -> Void) {
        change(&perKind[place.kind].tally)
        change(&perUser[place.user])
    }

    private mutating func note(_ place: Place, was: Instant?, becomes: Instant?) {
        examples.note(
            WhatIfReport.Example(
                user: users.names[place.user], kind: kinds.names[place.kind], was: was, becomes: becomes))
    }

    private mutating func number(kind: String) -> Int {
        let number = kinds.number(of: kind)
        if number == perKind.count { perKind.append(ComparedJobs.Kind()) }
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
}

// MARK: - While it goes on

extension JobComparison {
    /// Whether the log has a job or a sample of this name that nothing was decided for here so far.
    func hasLost(_ name: String, of user: String) -> Bool {
        guard let person = users.known(user) else { return false }
        if case .decision? = names[Side.recorded.rawValue].parts(of: name, of: person)?.end {
            return counterpart(of: name, of: user) == nil
        }
        let name = JobName(person: person, text: name)
        return alone[Side.recorded.rawValue][name] != nil || samplesOfOneSide.contains(name)
    }

    /// What the job that the log calls so is called here, where its name hangs on what was decided; `nil` where it does not, and
    /// where nothing takes its place.
    func counterpart(of name: String, of user: String) -> String? {
        guard let person = users.known(user),
            let (family, end) = names[Side.recorded.rawValue].parts(of: name, of: person)
        else { return nil }
        switch end {
        case .slot: return newestSlots[family].flatMap { $0.end == end ? $0.name : nil }
        case .decision(let decision): return raised[family]?.counterpart(of: decision).map(family.name(after:))
        }
    }
}

// MARK: - Those without another of the same name

extension JobComparison {
    /// Jobs whose names hang on what was decided find each other by what they are about and when they came.
    private mutating func settle() {
        var slots: [Day: [[Place]]] = [:]
        var lone: [[Place]] = [[], []]
        for side in alone.indices {
            for (name, place) in alone[side] {
                if let (family, end) = names[side].parts(of: name.text, of: name.person), case .slot(let date) = end {
                    slots[Day(family: family, date: date), default: [[], []]][side].append(place)
                } else {
                    lone[side].append(place)
                }
            }
        }
        for day in slots.values { settle(day[0], day[1], &lone) }
        for family in raised.values { settle(family.sides[0].map(\.place), family.sides[1].map(\.place), &lone) }
        for place in lone[0] {
            count(place) { $0.lost += 1 }
            note(place, was: place.at, becomes: nil)
        }
        for place in lone[1] {
            count(place) { $0.gained += 1 }
            note(place, was: nil, becomes: place.at)
        }
    }

    private struct Day: Hashable {
        var family: DecidedNames.Family
        var date: String
    }

    private mutating func settle(_ recorded: [Place], _ decided: [Place], _ lone: inout [[Place]]) {
        let nearest = NearestJobs(recorded, decided)
        for found in nearest.pairs { pair(found) }
        lone[0] += nearest.lone.recorded
        lone[1] += nearest.lone.decided
    }

    /// What it comes to when nothing more is told.
    mutating func finish() -> ComparedJobs {
        settle()
        var compared = ComparedJobs()
        for (name, kind) in zip(kinds.names, perKind) { compared.kinds[name] = kind }
        compared.affected = zip(users.names, perUser).filter { $1.changed > 0 }.map {
            WhatIfReport.Affected(user: $0, tally: $1)
        }
        compared.highest = rhythms.map { $0.reduce(0) { max($0, $1.highest) } }
        compared.examples = examples
        return compared
    }
}

/// Names by the order of their coming.
private struct Numbering {
    private(set) var names: [String] = []
    private var numbers: [String: Int] = [:]

    func known(_ name: String) -> Int? { numbers[name] }

    mutating func number(of name: String) -> Int {
        if let known = numbers[name] { return known }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }
}
