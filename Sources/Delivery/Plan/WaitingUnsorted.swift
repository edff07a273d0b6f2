internal import CivilTime
internal import Queueing

/// Jobs whose targets are not known yet, in their order; some wait for a moment.
struct WaitingUnsorted {
    private var line = WaitingLine<Unsorted>()
    private var pausing: [(due: Instant, job: Unsorted)] = []

    var nextDue: Instant? { pausing.lazy.map(\.due).min() }

    mutating func append(_ job: Unsorted) { line.append(job) }

    mutating func pause(_ job: Unsorted, until due: Instant) { pausing.append((due, job)) }

    mutating func next(at now: Instant) -> Unsorted? {
        if let place = pausing.firstIndex(where: { $0.due <= now }) { return pausing.remove(at: place).job }
        return line.popFirst()
    }

    /// Takes out those of which it is so.
    mutating func take(where isTaken: (Unsorted) -> Bool) -> [Unsorted] {
        let paused = pausing.map(\.job).filter(isTaken)
        if !paused.isEmpty { pausing.removeAll { isTaken($0.job) } }
        return paused + line.take(where: isTaken)
    }
}
