public import CivilTime
public import Journal
public import Notices

/// Jobs that failed on all their channels since some instant, read out of the log: what `retry` can send once more (`N7`).
public struct FailedJobs {
    private let log: LogReader

    /// How long jobs are remembered: a fact about an older one is refused.
    public static let days: Int64 = 7
    /// As many as are found at once; more are found when those have been dealt with.
    public static let countMax = 10_000

    public init(_ log: LogReader) { self.log = log }

    /// In the order in which they failed.
    public func since(_ instant: Instant, isWanted: () -> Bool = { true }) throws(JournalError) -> [NoticeName] {
        var places: [String: Int] = [:]
        var names: [NoticeName] = []
        try read(from: instant, Self.words, isWanted) { event in
            guard let name = event.payload.failure, places[name.text] == nil, names.count < Self.countMax else {
                return
            }
            places[name.text] = names.count
            names.append(name)
        }
        guard !names.isEmpty else { return [] }
        // On another channel a job may have got through before.
        var standings = Array(repeating: JobStanding(), count: names.count)
        let types = Self.words.union([JobEmitted.type.number])
        try read(from: instant.advanced(byDays: -Self.days), types, isWanted) { event in
            if case .jobEmitted(let job) = event.payload, let place = places[job.job.text] {
                standings[place] = JobStanding(on: job.channels)
            } else if let name = event.payload.outcomeOf, let place = places[name.text] {
                standings[place].take(event)
            }
        }
        return zip(names, standings).filter { $0.1.status == .failed }.map(\.0)
    }

    private func read(
        from instant: Instant, _ types: Set<Int>, _ isWanted: () -> Bool, _ take: (Event) -> Void
    ) throws(JournalError) {
        let scanner = log.scanner(from: log.head(before: instant), checksHashes: false)
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
                    take(
                        Event(
                            seq: raw.seq, at: raw.at, user: payload.outcomeOf?.user, occurredAt: raw.occurredAt,
                            payload: payload))
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
