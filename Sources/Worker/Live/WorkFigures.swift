public import CivilTime
public import Measuring
public import Notices
internal import Synchronization

/// What a worker has done since it started, and in the last minute: counted where it happens, to be asked from any thread.
///
/// It grows with kinds and types, never with people. One lock a commit, which nobody holds for long.
public final class WorkFigures: Sendable {
    /// What became of facts of one type.
    public struct FactResult: Sendable, Hashable {
        public enum Result: String, Sendable, CaseIterable { case recorded, duplicate, refused }

        public var type: String
        public var result: Result
    }

    /// What was decided.
    public struct Decision: Sendable, Hashable {
        public enum Outcome: String, Sendable, CaseIterable { case emitted, held, gathered, dropped, skipped }

        public var kind: String
        public var outcome: Outcome
        public var reason: Reason?
    }

    /// All since the start.
    public struct Totals: Sendable {
        public var facts: [FactResult: Int] = [:]
        public var decisions: [Decision: Int] = [:]
        /// A job's commit durable, minus the moment it was due.
        public var fireLag = Durations(upTo: WorkFigures.boundsMs)
        /// Of a batch to be on the disk.
        public var sync = Durations(upTo: WorkFigures.boundsMs)
        public var clockSteps = 0

        public init() {}

        /// What the workers of other partitions of this process have done.
        public mutating func add(_ other: Totals) {
            facts.merge(other.facts, uniquingKeysWith: +)
            decisions.merge(other.decisions, uniquingKeysWith: +)
            fireLag.add(other.fireLag)
            sync.add(other.sync)
            // All of them see the same clock.
            clockSteps = max(clockSteps, other.clockSteps)
        }
    }

    /// The last sixty seconds.
    public struct Minute: Sendable, Equatable {
        public var facts = 0
        public var decisions = 0
        public var jobs = 0
        public var dropped = 0
        public var held = 0
        public var lag = Durations(upTo: WorkFigures.boundsMs)

        public init() {}
    }

    fileprivate struct State: Sendable {
        var totals = Totals()
        /// By the second it is of.
        var seconds: [Int64: Minute] = [:]
    }

    /// From what a sync takes to what a worker is late after a night.
    public static let boundsMs: [Double] = [
        0.5, 1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000,
    ]

    private let state = Mutex(State())

    public init() {}

    public var totals: Totals { state.withLock { $0.totals } }

    public func lastMinute(at now: Instant) -> Minute {
        let last = now.wholeSeconds
        return state.withLock { state in
            state.seconds.reduce(into: Minute()) { whole, second in
                if second.key > last - 60, second.key <= last { whole.add(second.value) }
            }
        }
    }

    // MARK: Counting

    func take(_ tally: CommitTally, at now: Instant) {
        state.withLock { state in
            for (decision, count) in tally.decisions { state.totals.decisions[decision, default: 0] += count }
            state.note(now) { second in
                second.facts += tally.facts
                for (decision, count) in tally.decisions {
                    second.decisions += count
                    switch decision.outcome {
                    case .emitted: second.jobs += count
                    case .dropped: second.dropped += count
                    case .held: second.held += count
                    case .gathered, .skipped: break
                    }
                }
            }
        }
    }

    func take(_ results: inout FactTally) {
        guard results.isAnything else { return }
        let counts = results.takeAll()
        state.withLock { state in
            for (result, count) in counts { state.totals.facts[result, default: 0] += count }
        }
    }

    /// Facts were refused before they came to the worker, by what they said they were.
    public func refused(_ facts: [String: Int]) {
        state.withLock { state in
            for (type, count) in facts {
                state.totals.facts[FactResult(type: type, result: .refused), default: 0] += count
            }
        }
    }

    /// Jobs have become durable that were due at these moments.
    func fired(due: [Instant], at now: Instant) {
        guard !due.isEmpty else { return }
        state.withLock { state in
            state.note(now) { second in
                for moment in due { second.lag.add(milliseconds: Double(now.milliseconds(since: moment))) }
            }
            for moment in due { state.totals.fireLag.add(milliseconds: Double(now.milliseconds(since: moment))) }
        }
    }

    func synced(in duration: Duration) {
        state.withLock { $0.totals.sync.add(milliseconds: duration / .milliseconds(1)) }
    }

    public func clockWasSet() { state.withLock { $0.totals.clockSteps += 1 } }
}

extension WorkFigures.State {
    fileprivate mutating func note(_ now: Instant, _ change: (inout WorkFigures.Minute) -> Void) {
        let second = now.wholeSeconds
        change(&seconds[second, default: WorkFigures.Minute()])
        guard seconds.count > 64 else { return }
        seconds = seconds.filter { $0.key > second - 60 && $0.key <= second }
    }
}

extension WorkFigures.Minute {
    public mutating func add(_ other: Self) {
        facts += other.facts
        decisions += other.decisions
        jobs += other.jobs
        dropped += other.dropped
        held += other.held
        lag.add(other.lag)
    }
}

/// What one commit adds to the figures.
struct CommitTally: Sendable {
    private(set) var facts = 0
    /// Few are different in one commit.
    private(set) var decisions: [(decision: WorkFigures.Decision, count: Int)] = []
    /// The fact that asked for a sample last: what follows from it stands behind it in its commit.
    private var sample: UInt64?

    mutating func count(_ event: borrowing Event) {
        switch event.payload {
        case .testRequested:
            sample = event.seq
            facts += 1
        // A sample counts for nothing, sent or dropped (`N8`).
        case .jobEmitted(let job) where job.isTest == true: break
        case .noticeDropped(let dropped) where sample != nil && dropped.notice.cause == sample: break
        case .jobEmitted(let job): count(job.kind, .emitted, nil)
        case .noticeHeld(let held): count(held.kind, .held, held.reason)
        case .noticeGathered(let gathered): count(gathered.kind, .gathered, gathered.reason)
        case .noticeDropped(let dropped): count(dropped.kind, .dropped, dropped.reason)
        case .slotsSkipped(let skipped): count(skipped.kind, .skipped, skipped.reason, skipped.count)
        default: if event.isFact { facts += 1 }
        }
    }

    private mutating func count(
        _ kind: Identifier, _ outcome: WorkFigures.Decision.Outcome, _ reason: Reason?, _ count: Int = 1
    ) {
        let found = decisions.lastIndex {
            $0.decision.outcome == outcome && $0.decision.reason == reason && $0.decision.kind == kind.text
        }
        if let found {
            decisions[found].count += count
        } else {
            decisions.append((WorkFigures.Decision(kind: kind.text, outcome: outcome, reason: reason), count))
        }
    }
}

/// What became of facts in one turn, by the numbers of their types: nothing is hashed for each.
struct FactTally {
    private static let results = WorkFigures.FactResult.Result.allCases
    private static let names = Dictionary(
        Payload.all.map { ($0.type.number, $0.type.text) }, uniquingKeysWith: { first, _ in first })

    private var counts = [Int](repeating: 0, count: 256 * results.count)
    private(set) var isAnything = false

    mutating func count(_ payload: borrowing Payload, _ receipt: FactReceipt) {
        let result: Int
        switch receipt {
        case .recorded: result = 0
        case .duplicate: result = 1
        case .refused: result = 2
        case .leftOut: return
        }
        counts[(payload.type.number & 255) * Self.results.count + result] += 1
        isAnything = true
    }

    fileprivate mutating func takeAll() -> [(WorkFigures.FactResult, Int)] {
        isAnything = false
        var all: [(WorkFigures.FactResult, Int)] = []
        for place in counts.indices where counts[place] > 0 {
            let (number, result) = (place / Self.results.count, place % Self.results.count)
            all.append((.init(type: Self.names[number] ?? "\(number)", result: Self.results[result]), counts[place]))
            counts[place] = 0
        }
        return all
    }
}
