public import CivilTime
public import Journal
public import Notices

/// Jobs that failed on all their channels since some instant, read out of the log: what `retry` can send once more (`N7`).
public struct FailedJobs {
    private let log: LogReader
    private let namesMax: Int

    /// How long jobs are remembered: a fact about an older one is refused.
    public static let days: Int64 = 7
    /// As many as are found at once; more are found when those have been dealt with.
    public static let countMax = 10_000

    /// - Parameter namesMax: as many jobs with a failure are kept in memory at once until it is known whether they got through
    ///   after all. The log is read once for each so many.
    public init(_ log: LogReader, namesMax: Int = 50_000) {
        precondition(namesMax > 0, "no room for a name")
        self.log = log
        self.namesMax = namesMax
    }

    /// In the order in which they failed first.
    ///
    /// - Parameter most: of those that did not get through; any number of jobs may have failed before they did.
    public func since(
        _ instant: Instant, most: Int = Self.countMax, isWanted: () -> Bool = { true }
    ) throws(JournalError) -> [NoticeName] {
        var found: [NoticeName] = []
        var window = Window(since: instant)
        while found.count < most, try fill(&window, isWanted) { found += try failed(in: window, isWanted) }
        return Array(found.prefix(most))
    }

    /// Everybody of whom one did.
    public func people(
        since instant: Instant, isWanted: () -> Bool = { true }
    ) throws(JournalError) -> Set<String> {
        var found: Set<String> = []
        var window = Window(since: instant)
        while try fill(&window, passingOver: found, isWanted) {
            for job in try failed(in: window, isWanted) { found.insert(job.user) }
        }
        return found
    }

    /// Jobs of which a failure was told in a stretch of the log, each once.
    private struct Window {
        let since: Instant
        /// The number of the last event before the stretch.
        var before: UInt64 = 0
        /// That of its own last; `nil` where it goes to the end of the log.
        var last: UInt64? = 0
        var names: [NoticeName] = []
        var places: [String: Int] = [:]

        init(since: Instant) { self.since = since }
    }

    /// Goes on to the next stretch that has any; `false` at the end of the log.
    private func fill(
        _ window: inout Window, passingOver people: Set<String> = [], _ isWanted: () -> Bool
    ) throws(JournalError) -> Bool {
        guard let before = window.last else { return false }
        var next = Window(since: window.since)
        next.before = before
        next.last = nil
        let start = before == 0 ? log.head(before: next.since) : log.head(before: before + 1)
        try read(from: start, since: next.since, Self.words, isWanted) { event in
            guard event.seq > before, let name = event.payload.failure, next.places[name.text] == nil,
                // What was for somebody who is erased is sent to nobody.
                !Erased.holds(name.user), !people.contains(name.user)
            else { return true }
            guard next.names.count < namesMax else {
                next.last = event.seq - 1
                return false
            }
            next.places[name.text] = next.names.count
            next.names.append(name)
            return true
        }
        window = next
        return !next.names.isEmpty
    }

    /// Those of them that did not get through.
    private func failed(in window: Window, _ isWanted: () -> Bool) throws(JournalError) -> [NoticeName] {
        var standings = Array(repeating: JobStanding(), count: window.names.count)
        // One that failed in a stretch before was looked at there.
        var isNew = Array(repeating: true, count: window.names.count)
        // On another channel a job may have got through before.
        let instant = window.since.advanced(byDays: -Self.days)
        let types = Self.words.union([JobEmitted.type.number])
        try read(from: log.head(before: instant), since: instant, types, isWanted) { event in
            if case .jobEmitted(let job) = event.payload, let place = window.places[job.job.text] {
                standings[place] = JobStanding(on: job.channels)
            } else if let name = event.payload.outcomeOf, let place = window.places[name.text] {
                standings[place].take(event)
                if event.seq <= window.before, event.at >= window.since, event.payload.failure != nil {
                    isNew[place] = false
                }
            }
            return true
        }
        return window.names.indices.filter { isNew[$0] && standings[$0].status == .failed }.map { window.names[$0] }
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
