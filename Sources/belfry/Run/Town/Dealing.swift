import Console
import Journal
import Notices
import Synchronization
import Worker

/// What became of one fact of a request whose facts went to several logs, or why nothing is heard of it.
typealias FactOutcome = Result<FactReceipt, WorkerRefusal>

/// A request's facts on their way to the logs they are about, hand after hand, and what became of each.
///
/// A log that does not answer holds back its own facts and the hands behind, and nothing else. The workers of this process
/// have room for all of theirs; what is another process's is passed on. It lives until it has replied, because the answers it
/// waits for know it.
final class Dealing: Sendable {
    /// Facts of one request for another process's log, and where they stand in it.
    typealias PassOn = @Sendable (Deal.Part, _ reply: @escaping Reply<[FactReceipt]>) -> Void

    private struct State: Sendable {
        var hands: ArraySlice<Deal.Hand>
        /// What became of the facts, in their order.
        var outcomes: [FactOutcome]
        /// Whether any log has answered.
        var isBegun = false
        /// Why one did not answer: the first, or the first that may have taken its facts all the same.
        var refusal: WorkerRefusal?

        var answer: Answer { .success(outcomes) }
    }

    private typealias Answer = Result<[FactOutcome], WorkerRefusal>

    private let state: Mutex<State>
    private let facts: [Fact]
    private let workers: [Int: LiveWorker]
    private let crier: Crier
    private let allOrNothing: Bool
    private let isOwn: Bool
    private let passOn: PassOn?
    private let reply: Reply<[FactOutcome]>

    /// - Parameter reply: fails where no log took anything.
    init(
        _ deal: Deal, _ facts: [Fact], to workers: [Int: LiveWorker], _ crier: Crier, allOrNothing: Bool, isOwn: Bool,
        passOn: PassOn?, _ reply: @escaping Reply<[FactOutcome]>
    ) {
        var outcomes = [FactOutcome](repeating: .failure(Self.notGiven), count: facts.count)
        for (index, problem) in deal.refused { outcomes[index] = .success(.refused(problem)) }
        state = Mutex(State(hands: deal.hands[...], outcomes: outcomes))
        (self.facts, self.workers, self.crier, self.reply) = (facts, workers, crier, reply)
        (self.allOrNothing, self.isOwn, self.passOn) = (allOrNothing, isOwn, passOn)
    }

    /// Of the hands behind one that was not taken whole: what they tell might build on it.
    private static let notGiven = WorkerRefusal.elsewhere(
        "it is not taken before what stands above it in the request; try again", isInDoubt: false)

    /// Gives the next hand; replies when there is none, or the last was not taken whole.
    func goOn() {
        let (hand, rest, answer) = state.withLock { state -> (Deal.Hand?, ArraySlice<Deal.Hand>, Answer) in
            guard let refusal = state.refusal else { return (state.hands.popFirst(), [], state.answer) }
            return (nil, state.hands, state.isBegun ? state.answer : .failure(refusal))
        }
        switch hand {
        case .people(let parts)?: give(parts)
        case .everyone(let index)?: tellEveryone(index)
        case nil:
            giveBackRoom(of: rest)
            reply(answer)
        }
    }

    /// Of hands that are not given any more.
    private func giveBackRoom(of hands: ArraySlice<Deal.Hand>) {
        for case .people(let parts) in hands {
            for part in parts { workers[part.log]?.giveBackRoom(bytes: part.bytes) }
        }
    }

    private func give(_ parts: [Deal.Part]) {
        let gathering = Gathering(parts.count, whole: ()) { [self] _ in goOn() }
        for part in parts {
            let heard: Reply<[FactReceipt]> = { [self] result in
                take(result, of: part)
                gathering.add { _ in }
            }
            guard let worker = workers[part.log] else {
                if let passOn { passOn(part, heard) } else { heard(.failure(.journal(.closed))) }
                continue
            }
            let intake = worker.submit(
                part.facts, bytes: part.bytes, allOrNothing: allOrNothing, isOwn: isOwn, hasRoom: true, reply: heard)
            guard intake != .taken else { continue }
            // There is room, so it can only have closed: another has the partition by now, or soon.
            if let passOn { passOn(part, heard) } else { heard(.failure(.journal(.closed))) }
        }
    }

    private func take(_ result: Result<[FactReceipt], WorkerRefusal>, of part: Deal.Part) {
        state.withLock { state in
            switch result {
            case .success(let receipts):
                state.isBegun = true
                for (index, receipt) in zip(part.indices, receipts) { state.outcomes[index] = .success(receipt) }
            case .failure(let refusal):
                let isCertain = state.refusal.map { !$0.inability.leavesDoubt } ?? true
                if state.refusal == nil || isCertain && refusal.inability.leavesDoubt { state.refusal = refusal }
                for index in part.indices { state.outcomes[index] = .failure(refusal) }
            }
        }
    }

    private func tellEveryone(_ index: Int) {
        let part = Deal.Part(log: LogName.everyonesNumber, facts: [facts[index]], indices: [index], bytes: 0)
        let heard: Reply<[FactReceipt]> = { [self] result in
            take(result, of: part)
            goOn()
        }
        if let passOn, !crier.hasEveryone { return passOn(part, heard) }
        crier.take(facts[index]) { heard($0.map { [$0] }) }
    }
}

extension Result where Success == [FactOutcome], Failure == WorkerRefusal {
    /// For whoever needs all of it: the first that was not heard of is what became of the whole, which then may be there in part.
    var whole: Result<[FactReceipt], WorkerRefusal> {
        flatMap { outcomes in
            var receipts: [FactReceipt] = []
            for outcome in outcomes {
                switch outcome {
                case .success(let receipt): receipts.append(receipt)
                case .failure(let refusal): return .failure(.elsewhere("\(refusal)", isInDoubt: true))
                }
            }
            return .success(receipts)
        }
    }
}
