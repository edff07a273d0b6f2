import Dispatch
import Journal
import Notices
import Synchronization
import Worker

/// Has facts about everyone recorded in their own log, and copies them into each partition of this process, in order (`M6`).
///
/// Whoever told one is answered when every partition holds it. A crash in between is made good when a partition is opened
/// (`Copies`).
final class Crier: Sendable {
    private struct Line: Sendable {
        var worker: LiveWorker
        /// What the partition is still to be given, the first one under way.
        var waiting: ArraySlice<Copies.Told>
        var isUnderway = false
        /// The number of the last copy that it holds.
        var through: UInt64
    }

    private struct State: Sendable {
        var everyone: LiveWorker?
        /// All that was ever told everyone, as far as it is known here.
        var told: [Copies.Told] = []
        var lines: [Int: Line] = [:]
        /// Those who wait for something that is still to be heard of.
        var hopeful: [(seq: UInt64, done: @Sendable (JournalError?) -> Void)] = []
        var askers: [(seq: UInt64, done: @Sendable (JournalError?) -> Void)] = []
        var failure: JournalError?
    }

    /// Has other processes copy everything up to a fact, and says whether they have.
    typealias TellOthers = @Sendable (_ through: UInt64, _ done: @escaping @Sendable (Bool) -> Void) -> Void

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "belfry.crier", qos: .userInitiated)
    private let tellOthers: TellOthers?
    private let failed: @Sendable (Failure) -> Void

    private static let pause = DispatchTimeInterval.milliseconds(50)

    /// - Parameter failed: a partition cannot take a copy; the process is to end, so that it goes on under no other policy.
    init(tellOthers: TellOthers? = nil, failed: @escaping @Sendable (Failure) -> Void) {
        (self.tellOthers, self.failed) = (tellOthers, failed)
    }

    // MARK: Who hears

    /// Whether facts about everyone are recorded in this process.
    var hasEveryone: Bool { state.withLock { $0.everyone != nil } }

    /// How many of them a partition of this process still lacks, at most.
    var behind: Int { state.withLock { $0.lines.values.map(\.waiting.count).max() ?? 0 } }

    func record(through everyone: LiveWorker?) { state.withLock { $0.everyone = everyone } }

    /// From now on the partition is given all that is told.
    ///
    /// - Parameter through: the last copy that it is given before anything else, of which nothing is to be waited for.
    func add(_ partition: Int, _ worker: LiveWorker, through: UInt64) {
        state.withLock { state in
            let missing = state.told.filter { $0.seq > through }
            state.lines[partition] = Line(worker: worker, waiting: missing[...], through: through)
        }
        goOn(partition)
    }

    func remove(_ partition: Int) {
        state.withLock { $0.lines[partition] = nil }
        tellAskers()
    }

    /// What the log of everyone holds by now.
    func hear(_ told: [Copies.Told]) {
        let places = state.withLock { state -> [Int] in
            let last = state.told.last?.seq ?? 0
            let fresh = told.filter { $0.seq > last }
            state.told += fresh
            for place in state.lines.keys {
                let through = state.lines[place].map { $0.waiting.last?.seq ?? $0.through } ?? 0
                state.lines[place]?.waiting += fresh.filter { $0.seq > through }
            }
            let known = state.told.last?.seq ?? 0
            state.askers += state.hopeful.filter { $0.seq <= known }
            state.hopeful.removeAll { $0.seq <= known }
            return Array(state.lines.keys)
        }
        for place in places { goOn(place) }
        tellAskers()
    }

    /// Answers once every partition of this process holds everything up to a fact.
    func wait(through seq: UInt64, _ done: @escaping @Sendable (JournalError?) -> Void) {
        state.withLock { $0.askers.append((seq, done)) }
        tellAskers()
    }

    /// The same of a fact of which nothing may be known here yet.
    func hearAndWait(through seq: UInt64, _ done: @escaping @Sendable (JournalError?) -> Void) {
        let isKnown = state.withLock { state in
            guard (state.told.last?.seq ?? 0) < seq, state.failure == nil else { return true }
            // Under the same lock: what is heard from now on finds it.
            state.hopeful.append((seq, done))
            return false
        }
        guard !isKnown else { return wait(through: seq, done) }
        // Nobody may ever hear of it, and who asked has a place until they are answered.
        queue.asyncAfter(deadline: .now() + Self.hearing) { [weak self] in self?.giveUpHoping(through: seq) }
    }

    private func giveUpHoping(through seq: UInt64) {
        let (lost, known) = state.withLock { state -> ([@Sendable (JournalError?) -> Void], UInt64) in
            let known = state.told.last?.seq ?? 0
            defer { state.hopeful.removeAll { $0.seq <= seq } }
            return (state.hopeful.filter { $0.seq <= seq }.map(\.done), known)
        }
        for done in lost {
            done(.lost("nothing was heard of fact \(seq) about everyone, and the last known is \(known)"))
        }
    }

    /// Longer than anybody waits for the answer.
    private static let hearing = DispatchTimeInterval.seconds(60)

    // MARK: Recording

    func take(_ fact: Fact, _ reply: @escaping @Sendable (Result<FactReceipt, WorkerRefusal>) -> Void) {
        guard let everyone = state.withLock({ $0.everyone }) else {
            return reply(.failure(.problem(FieldError("what is about everyone is recorded by another worker"))))
        }
        let intake = everyone.submit([fact], bytes: Self.bytes(of: fact)) { [self] result in
            switch result {
            case .failure(let refusal): reply(.failure(refusal))
            case .success(let receipts):
                guard let receipt = receipts.first else { return reply(.failure(.journal(.closed))) }
                switch receipt {
                // Answers come in the order of the log, so copies do.
                case .recorded(let seq, warnings: _):
                    hear([Copies.Told(seq: seq, fact: fact)])
                    waitForAll(seq, receipt, reply)
                case .duplicate(let seq): waitForAll(seq, receipt, reply)
                case .refused, .leftOut: reply(.success(receipt))
                }
            }
        }
        switch intake {
        case .taken: break
        case .busy: queue.asyncAfter(deadline: .now() + Self.pause) { self.take(fact, reply) }
        case .closed: reply(.failure(.journal(.closed)))
        }
    }

    private static func bytes(of fact: Fact) -> Int {
        if case .policyAdopted(let adopted) = fact.payload { adopted.policy.text.utf8.count + 256 } else { 512 }
    }

    private func waitForAll(
        _ seq: UInt64, _ receipt: FactReceipt,
        _ reply: @escaping @Sendable (Result<FactReceipt, WorkerRefusal>) -> Void
    ) {
        wait(through: seq) { [tellOthers] failure in
            // It is recorded: whoever hears that it was not taken would send it again.
            if let failure {
                let doubt = JournalError.lost("not every partition holds what is about everyone")
                return reply(.failure(.journal(failure == .closed ? doubt : failure)))
            }
            guard let tellOthers else { return reply(.success(receipt)) }
            tellOthers(seq) { isDone in
                // It is recorded; whoever has not heard copies it all the same, but not by now.
                let doubt = JournalError.lost("not every worker said that its partitions hold what is about everyone")
                reply(isDone ? .success(receipt) : .failure(.journal(doubt)))
            }
        }
    }

    private func tellAskers() {
        let (told, failure) = state.withLock { state -> ([@Sendable (JournalError?) -> Void], JournalError?) in
            let through = state.failure == nil ? state.lines.values.map(\.through).min() ?? .max : .max
            let told = state.askers.filter { $0.seq <= through }.map(\.done)
            state.askers.removeAll { $0.seq <= through }
            return (told, state.failure)
        }
        for done in told { done(failure) }
    }

    // MARK: Copying

    private func goOn(_ place: Int) {
        let next = state.withLock { state -> (told: Copies.Told, worker: LiveWorker)? in
            guard state.failure == nil, let line = state.lines[place], !line.isUnderway, let first = line.waiting.first
            else { return nil }
            state.lines[place]?.isUnderway = true
            return (first, line.worker)
        }
        guard let (told, worker) = next else { return }
        let intake = worker.submit([told.copy], bytes: Self.bytes(of: told.fact)) { [self] result in
            switch result {
            case .success(let receipts): copied(told, to: place, receipts.first)
            case .failure(.journal(let error)): lost(place, error)
            case .failure(.problem(let problem)): fail(Copies.refusal(of: told, in: .partition(place), problem))
            case .failure(.elsewhere(let words, isInDoubt: _)): lost(place, .lost(words))
            }
        }
        switch intake {
        case .taken: break
        case .busy:
            queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
                state.withLock { $0.lines[place]?.isUnderway = false }
                goOn(place)
            }
        case .closed: lost(place, .closed)
        }
    }

    private func copied(_ told: Copies.Told, to place: Int, _ receipt: FactReceipt?) {
        if let failure = Copies.failure(of: told, in: .partition(place), receipt) { return fail(failure) }
        state.withLock { state in
            guard state.lines[place]?.waiting.first?.seq == told.seq else { return }
            state.lines[place]?.waiting.removeFirst()
            state.lines[place]?.isUnderway = false
            state.lines[place]?.through = told.seq
        }
        tellAskers()
        goOn(place)
    }

    private func fail(_ failure: Failure) {
        failed(failure)
        giveUp(.closed)
    }

    /// The partition takes no more. Among several processes another opens it, and copies before it decides.
    private func lost(_ place: Int, _ error: JournalError) {
        if tellOthers == nil { giveUp(error) } else { remove(place) }
    }

    private func giveUp(_ error: JournalError) {
        state.withLock { state in
            state.failure = state.failure ?? error
            // Nothing more is heard.
            state.askers += state.hopeful
            state.hopeful = []
        }
        tellAskers()
    }
}
