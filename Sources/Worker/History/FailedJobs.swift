public import CivilTime
public import Journal
public import Notices

/// Jobs that failed on all their channels since some instant, read out of the log: what `retry` can send once more (`N7`).
public struct FailedJobs {
    private let log: LogReader
    private let namesMax: Int
    private let candidatesMax: Int

    /// How long jobs are remembered: a fact about an older one is refused.
    public static let days: Int64 = 7
    /// As many as are found at once; more are found when those have been dealt with.
    public static let countMax = 10_000

    /// - Parameters:
    ///   - namesMax: of as many jobs all is kept in memory at once that decides whether they got through after all.
    ///   - candidatesMax: of as many with a failure a few bytes are kept at once, to pass over those that surely did. The log is
    ///     read once more for each so many.
    public init(_ log: LogReader, namesMax: Int = 50_000, candidatesMax: Int = 1_000_000) {
        precondition(namesMax > 0 && candidatesMax > 0, "no room for a name")
        self.log = log
        (self.namesMax, self.candidatesMax) = (namesMax, candidatesMax)
    }

    /// In the order in which they failed first.
    ///
    /// - Parameter most: of those that did not get through; any number of jobs may have failed before they did.
    public func since(
        _ instant: Instant, most: Int = Self.countMax, isWanted: () -> Bool = { true }
    ) throws(JournalError) -> [NoticeName] {
        var found: [NoticeName] = []
        var stretch = Stretch(since: instant)
        while found.count < most, try fill(&stretch, upTo: candidatesMax, isWanted) {
            try sift(&stretch, isWanted)
            var left = stretch.jobs[...]
            while found.count < most, !left.isEmpty {
                found += try failed(left.prefix(namesMax), in: stretch, isWanted)
                left = left.dropFirst(namesMax)
            }
        }
        return Array(found.prefix(most))
    }

    /// Everybody of whom one did.
    public func people(
        since instant: Instant, isWanted: () -> Bool = { true }
    ) throws(JournalError) -> Set<String> {
        var found: Set<String> = []
        var stretch = Stretch(since: instant)
        // Short stretches: who was found in one is passed over in the next.
        while try fill(&stretch, upTo: namesMax, passingOver: found, isWanted) {
            for job in try failed(stretch.jobs[...], in: stretch, isWanted) { found.insert(job.user) }
        }
        return found
    }

    /// Jobs of which a failure was told in a stretch of the log.
    private struct Stretch {
        let since: Instant
        /// The number of the last event before the stretch.
        var before: UInt64 = 0
        /// That of its own last; `nil` where it goes to the end of the log.
        var last: UInt64? = 0
        /// The marks of their names, each once, in the order in which they failed first.
        var jobs: [Int] = []

        init(since: Instant) { self.since = since }
    }

    /// A hash of 64 bits under a key of this process. Of a million names and as many jobs as a log has in a week, two share one
    /// once in many thousand runs; one of them may then be missed, until somebody asks again.
    private static func mark(_ name: NoticeName) -> Int { name.text.hashValue }

    /// Goes on to the next stretch that has any; `false` at the end of the log.
    private func fill(
        _ stretch: inout Stretch, upTo most: Int, passingOver people: Set<String> = [], _ isWanted: () -> Bool
    ) throws(JournalError) -> Bool {
        guard let before = stretch.last else { return false }
        var next = Stretch(since: stretch.since)
        next.before = before
        next.last = nil
        // Its memory is given back before that of the next is taken.
        stretch.jobs = []
        var known: Set<Int> = []
        let start = before == 0 ? log.head(before: next.since) : log.head(before: before + 1)
        try read(from: start, since: next.since, Self.words, isWanted) { event in
            guard event.seq > before, let name = event.payload.failure,
                // What was for somebody who is erased is sent to nobody.
                !Erased.holds(name.user), !people.contains(name.user)
            else { return true }
            let job = Self.mark(name)
            guard !known.contains(job) else { return true }
            guard known.count < most else {
                next.last = event.seq - 1
                return false
            }
            known.insert(job)
            next.jobs.append(job)
            return true
        }
        stretch = next
        return !next.jobs.isEmpty
    }

    /// Leaves out those that surely got through, where there are more than can be looked at in one reading: after a long outage nearly
    /// all did.
    private func sift(_ stretch: inout Stretch, _ isWanted: () -> Bool) throws(JournalError) {
        guard stretch.jobs.count > namesMax else { return }
        var fates: [Int: KnownFate] = [:]
        fates.reserveCapacity(stretch.jobs.count)
        for job in stretch.jobs { fates[job] = KnownFate() }
        try readAll(of: stretch, Self.words, isWanted) { event in
            if let name = event.payload.outcomeOf { fates[Self.mark(name)]?.take(event.payload) }
            return true
        }
        stretch.jobs.removeAll { fates[$0]?.isNoFailure ?? false }
    }

    /// Those of some of its jobs that did not get through.
    private func failed(
        _ jobs: ArraySlice<Int>, in stretch: Stretch, _ isWanted: () -> Bool
    ) throws(JournalError) -> [NoticeName] {
        var places: [Int: Int] = [:]
        for job in jobs { places[job] = places.count }
        var names = [NoticeName?](repeating: nil, count: jobs.count)
        var standings = Array(repeating: JobStanding(), count: jobs.count)
        // One that failed in a stretch before was looked at there.
        var isNew = Array(repeating: true, count: jobs.count)
        let types = Self.words.union([JobEmitted.type.number])
        try readAll(of: stretch, types, isWanted) { event in
            if case .jobEmitted(let job) = event.payload, let place = places[Self.mark(job.job)] {
                standings[place] = JobStanding(on: job.channels)
            } else if let name = event.payload.outcomeOf, let place = places[Self.mark(name)] {
                names[place] = name
                standings[place].take(event)
                if event.seq <= stretch.before, event.at >= stretch.since, event.payload.failure != nil {
                    isNew[place] = false
                }
            }
            return true
        }
        return names.indices.compactMap { isNew[$0] && standings[$0].status == .failed ? names[$0] : nil }
    }

    /// Reads all that can have been told of the jobs of a stretch: on another channel one may have got through before it.
    private func readAll(
        of stretch: Stretch, _ types: Set<Int>, _ isWanted: () -> Bool, _ take: (Event) -> Bool
    ) throws(JournalError) {
        let instant = stretch.since.advanced(byDays: -Self.days)
        try read(from: log.head(before: instant), since: instant, types, isWanted, take)
    }

    /// - Parameter take: whether it is to go on.
    private func read(
        from start: LogHead, since instant: Instant, _ types: Set<Int>, _ isWanted: () -> Bool,
        _ take: (Event) -> Bool
    ) throws(JournalError) {
        let scanner = log.scanner(from: start, checksHashes: false)
        while isWanted(), let frame = try scanner.next() {
            var body = CommitBody(frame)
            var events = 0
            do {
                while let item = try body.next() {
                    guard case .event(let raw) = item else { continue }
                    events += 1
                    guard raw.at >= instant, types.contains(raw.typeNumber),
                        let payload = try log.event(raw)?.payload
                    else { continue }
                    let event = Event(
                        seq: raw.seq, at: raw.at, user: payload.outcomeOf?.user, occurredAt: raw.occurredAt,
                        payload: payload)
                    guard take(event) else { return }
                }
            } catch {
                throw scanner.damage("\(error)")
            }
            try scanner.took(events: events)
        }
    }

    /// What is said of a job once it was emitted.
    private static let words: Set<Int> = [
        JobDelivered.type.number, JobFailed.type.number, DeliveryReported.type.number,
        JobRetryRequested.type.number,
    ]
}

extension Payload {
    /// The job that this tells the fate of.
    fileprivate var outcomeOf: NoticeName? {
        switch self {
        case .jobDelivered(let outcome): outcome.job
        case .jobFailed(let outcome): outcome.job
        case .deliveryReported(let report): report.job
        case .jobRetryRequested(let retry): retry.job
        default: nil
        }
    }

    fileprivate var failure: NoticeName? {
        switch self {
        case .jobFailed(let outcome): outcome.job
        case .deliveryReported(let report) where !report.status.isGood: report.job
        default: nil
        }
    }
}
