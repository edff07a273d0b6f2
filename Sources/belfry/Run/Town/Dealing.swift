import Journal
import Notices
import Synchronization
import Worker

/// A request's facts on their way to the logs they are about, hand after hand, and what became of each.
///
/// The workers of this process have room for all of theirs; what is another process's is passed on. It lives until it has
/// replied, because the answers it waits for know it.
final class Dealing: Sendable {
    /// What became of the facts, in their order.
    struct Outcome: Sendable {
        var receipts: [FactReceipt]
        /// What others said besides, by the fact's place.
        var warnings: [Int: [String]] = [:]
    }

    /// Facts of one request for another process's log, and where they stand in it.
    typealias PassOn = @Sendable (Deal.Part, _ reply: @escaping Reply<Outcome>) -> Void

    private struct State: Sendable {
        var hands: ArraySlice<Deal.Hand>
        var outcome: Outcome
        /// Whether anything of it is recorded.
        var isBegun = false
    }

    private let state: Mutex<State>
    private let facts: [Fact]
    private let workers: [Int: LiveWorker]
    private let crier: Crier
    private let allOrNothing: Bool
    private let isOwn: Bool
    private let passOn: PassOn?
    private let reply: Reply<Outcome>

    init(
        _ deal: Deal, _ facts: [Fact], to workers: [Int: LiveWorker], _ crier: Crier, allOrNothing: Bool, isOwn: Bool,
        passOn: PassOn?, _ reply: @escaping Reply<Outcome>
    ) {
        state = Mutex(State(hands: deal.hands[...], outcome: Outcome(receipts: deal.withheld)))
        (self.facts, self.workers, self.crier, self.reply) = (facts, workers, crier, reply)
        (self.allOrNothing, self.isOwn, self.passOn) = (allOrNothing, isOwn, passOn)
    }

    /// Gives the next hand; replies when there is none.
    func goOn() {
        switch state.withLock({ $0.hands.popFirst() }) {
        case .people(let parts)?: give(parts)
        case .everyone(let index)?: tellEveryone(index)
        case nil: reply(.success(state.withLock { $0.outcome }))
        }
    }

    private func give(_ parts: [Deal.Part]) {
        let gathering = Gathering<WorkerRefusal?>(parts.count, whole: nil) { [self] whole in
            guard case .some(.some(let refusal)) = whole else { return goOn() }
            // Some may be recorded: of the others nobody knows, and the answer says so.
            if case .journal(.closed) = refusal, state.withLock({ $0.isBegun }) {
                return reply(
                    .failure(.journal(.lost("a partition's worker stopped when others had taken their facts"))))
            }
            reply(.failure(refusal))
        }
        for part in parts {
            let heard: Reply<Outcome> = { [self] result in
                switch result {
                case .success(let outcome):
                    take(outcome, of: part)
                    gathering.add { _ in }
                case .failure(let refusal): gathering.add { $0 = $0 ?? refusal }
                }
            }
            guard let worker = workers[part.log] else {
                guard let passOn else { return heard(.failure(.journal(.closed))) }
                passOn(part, heard)
                continue
            }
            let intake = worker.submit(
                part.facts, bytes: part.bytes, allOrNothing: allOrNothing, isOwn: isOwn, hasRoom: true
            ) { heard($0.map { Outcome(receipts: $0) }) }
            guard intake != .taken else { continue }
            // There is room, so it can only have closed: another has the partition by now, or soon.
            if let passOn { passOn(part, heard) } else { heard(.failure(.journal(.closed))) }
        }
    }

    private func take(_ outcome: Outcome, of part: Deal.Part) {
        state.withLock { state in
            state.isBegun = true
            for (place, index) in part.indices.enumerated() where place < outcome.receipts.count {
                state.outcome.receipts[index] = outcome.receipts[place]
                state.outcome.warnings[index] = outcome.warnings[place]
            }
        }
    }

    private func tellEveryone(_ index: Int) {
        let part = Deal.Part(log: LogName.everyonesNumber, facts: [facts[index]], indices: [index], bytes: 0)
        let heard: Reply<Outcome> = { [self] result in
            switch result {
            case .success(let outcome):
                take(outcome, of: part)
                goOn()
            case .failure(let refusal): reply(.failure(refusal))
            }
        }
        if let passOn, !crier.hasEveryone { return passOn(part, heard) }
        crier.take(facts[index]) { heard($0.map { Outcome(receipts: [$0]) }) }
    }
}
