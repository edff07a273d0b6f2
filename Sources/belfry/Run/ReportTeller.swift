import CivilTime
import Dispatch
import Synchronization

/// Has what becomes of providers' reports in the worker's log, in bounds, and counts it for `/metrics`.
final class ReportTeller: Sendable {
    private struct State: Sendable {
        var tally = ReportTally()
        var isArmed = false
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Instant
    private let log: RunLog
    private let queue = DispatchQueue(label: "belfry.reports.told")

    init(clock: @escaping @Sendable () -> Instant, log: RunLog) { (self.clock, self.log) = (clock, log) }

    /// How many reports there were of each provider and sort since the start.
    var counts: [(provider: String, sort: ReportTally.Sort, count: Int)] {
        let counts = state.withLock { $0.tally.counts }
        return counts.sorted { $0.key < $1.key }.flatMap { provider, sorts in
            ReportTally.Sort.allCases.compactMap { sort in sorts[sort].map { (provider, sort, $0) } }
        }
    }

    /// - Parameter detail: which field, or why; holds nothing of what the report said of anybody.
    func hear(_ sort: ReportTally.Sort, from provider: String, _ detail: String = "") {
        let now = clock()
        let (lines, due) = state.withLock { state in
            (state.tally.hear(sort, from: provider, detail, at: now), arm(&state))
        }
        say(lines)
        if let due { wake(at: due, since: now) }
    }

    /// The worker stops: what was only counted is told.
    func finish() { say(state.withLock { $0.tally.tellRest() }) }

    /// When to look again, where nobody is going to yet.
    private func arm(_ state: inout State) -> Instant? {
        guard !state.isArmed, let due = state.tally.nextDue else { return nil }
        state.isArmed = true
        return due
    }

    private func wake(at due: Instant, since now: Instant) {
        let milliseconds = min(max(due.milliseconds(since: now), 1), 60_000)
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(milliseconds))) { [weak self] in self?.look() }
    }

    private func look() {
        let now = clock()
        let (lines, due) = state.withLock { state in
            state.isArmed = false
            return (state.tally.tell(at: now), arm(&state))
        }
        say(lines)
        if let due { wake(at: due, since: now) }
    }

    private func say(_ lines: [ReportTally.Line]) {
        for line in lines {
            log.say(line.level, line.message, line.fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
    }
}
