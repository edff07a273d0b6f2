import Dispatch
import Journal
import Notices
import Synchronization
import Worker

/// Has facts about everyone recorded in their own log, and copies them into each partition, in order (`M6`).
///
/// Whoever told one is answered when every partition holds it. A crash in between is made good by the next start (`Copies`).
final class Crier: Sendable {
    private struct Line: Sendable {
        /// What the partition is still to be given, the first one under way.
        var waiting: ArraySlice<Copies.Told> = []
        var isUnderway = false
        /// The number of the last copy that it holds.
        var through: UInt64 = 0
    }

    private struct State: Sendable {
        var lines: [Line]
        var askers: [(seq: UInt64, done: @Sendable (JournalError?) -> Void)] = []
        var failure: JournalError?
    }

    private let everyone: LiveWorker
    private let workers: [LiveWorker]
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "belfry.crier", qos: .userInitiated)
    private let failed: @Sendable (Failure) -> Void

    private static let pause = DispatchTimeInterval.milliseconds(50)

    /// - Parameters:
    ///   - through: the last copy that each partition is given before anything else; the crier waits for none of them.
    ///   - failed: a partition cannot take a copy; the process is to end, so that it goes on under no other policy.
    init(
        everyone: LiveWorker, to workers: [LiveWorker], through: UInt64, failed: @escaping @Sendable (Failure) -> Void
    ) {
        (self.everyone, self.workers, self.failed) = (everyone, workers, failed)
        state = Mutex(State(lines: workers.map { _ in Line(through: through) }))
    }

    func take(_ fact: Fact, _ reply: @escaping @Sendable (Result<FactReceipt, WorkerRefusal>) -> Void) {
        let intake = everyone.submit([fact], bytes: Self.bytes(of: fact)) { [self] result in
            switch result {
            case .failure(let refusal): reply(.failure(refusal))
            case .success(let receipts):
                guard let receipt = receipts.first else { return reply(.failure(.journal(.closed))) }
                switch receipt {
                // Answers come in the order of the log, so copies do.
                case .recorded(let seq, warnings: _):
                    send(Copies.Told(seq: seq, fact: fact))
                    wait(for: seq, receipt, reply)
                case .duplicate(let seq): wait(for: seq, receipt, reply)
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

    private func wait(
        for seq: UInt64, _ receipt: FactReceipt,
        _ reply: @escaping @Sendable (Result<FactReceipt, WorkerRefusal>) -> Void
    ) {
        state.withLock { state in
            state.askers.append((seq, { reply($0.map { .failure(.journal($0)) } ?? .success(receipt)) }))
        }
        tellAskers()
    }

    private func tellAskers() {
        let (told, failure) = state.withLock { state -> ([@Sendable (JournalError?) -> Void], JournalError?) in
            let through = state.failure == nil ? state.lines.map(\.through).min() ?? .max : .max
            let told = state.askers.filter { $0.seq <= through }.map(\.done)
            state.askers.removeAll { $0.seq <= through }
            return (told, state.failure)
        }
        for done in told { done(failure) }
    }

    // MARK: Copying

    private func send(_ told: Copies.Told) {
        for place in workers.indices {
            state.withLock { $0.lines[place].waiting.append(told) }
            goOn(place)
        }
    }

    private func goOn(_ place: Int) {
        let next = state.withLock { state -> Copies.Told? in
            guard state.failure == nil, !state.lines[place].isUnderway else { return nil }
            state.lines[place].isUnderway = !state.lines[place].waiting.isEmpty
            return state.lines[place].waiting.first
        }
        guard let next else { return }
        let intake = workers[place].submit([next.copy], bytes: Self.bytes(of: next.fact)) { [self] result in
            switch result {
            case .success(let receipts): copied(next, to: place, receipts.first)
            case .failure(.journal(let error)): giveUp(error)
            case .failure(.problem(let problem)): fail(Copies.refusal(of: next, in: .partition(place), problem))
            }
        }
        switch intake {
        case .taken: break
        case .busy:
            queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
                state.withLock { $0.lines[place].isUnderway = false }
                goOn(place)
            }
        case .closed: giveUp(.closed)
        }
    }

    private func copied(_ told: Copies.Told, to place: Int, _ receipt: FactReceipt?) {
        if let failure = Copies.failure(of: told, in: .partition(place), receipt) { return fail(failure) }
        state.withLock { state in
            state.lines[place].waiting.removeFirst()
            state.lines[place].isUnderway = false
            state.lines[place].through = told.seq
        }
        tellAskers()
        goOn(place)
    }

    private func fail(_ failure: Failure) {
        failed(failure)
        giveUp(.closed)
    }

    private func giveUp(_ error: JournalError) {
        state.withLock { $0.failure = $0.failure ?? error }
        tellAskers()
    }
}
