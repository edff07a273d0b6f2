import Journal
import Notices
import Synchronization
import Worker

/// A request's facts on their way to the logs they are about, hand after hand, and what became of each.
///
/// The workers have room for all of them. It lives until it has replied, because the answers it waits for know it.
final class Dealing: Sendable {
    private struct State: Sendable {
        var hands: ArraySlice<Deal.Hand>
        var receipts: [FactReceipt]
    }

    private let state: Mutex<State>
    private let facts: [Fact]
    private let workers: [LiveWorker]
    private let crier: Crier
    private let allOrNothing: Bool
    private let isOwn: Bool
    private let reply: Reply<[FactReceipt]>

    init(
        _ deal: Deal, _ facts: [Fact], to workers: [LiveWorker], _ crier: Crier, allOrNothing: Bool, isOwn: Bool,
        _ reply: @escaping Reply<[FactReceipt]>
    ) {
        state = Mutex(State(hands: deal.hands[...], receipts: deal.withheld))
        (self.facts, self.workers, self.crier, self.reply) = (facts, workers, crier, reply)
        (self.allOrNothing, self.isOwn) = (allOrNothing, isOwn)
    }

    /// Gives the next hand; replies when there is none.
    func goOn() {
        switch state.withLock({ $0.hands.popFirst() }) {
        case .people(let parts)?: give(parts)
        case .everyone(let index)?: tellEveryone(index)
        case nil: reply(.success(state.withLock { $0.receipts }))
        }
    }

    private func give(_ parts: [Deal.Part]) {
        let gathering = Gathering<WorkerRefusal?>(parts.count, whole: nil) { [self] whole in
            // Some may be recorded: of the others nobody knows, and the answer says so.
            if case .some(.some(let refusal)) = whole { reply(.failure(refusal)) } else { goOn() }
        }
        for part in parts {
            let intake = workers[part.log].submit(
                part.facts, bytes: part.bytes, allOrNothing: allOrNothing, isOwn: isOwn, hasRoom: true
            ) { [self] result in
                switch result {
                case .success(let receipts):
                    state.withLock { state in
                        for (index, receipt) in zip(part.indices, receipts) { state.receipts[index] = receipt }
                    }
                    gathering.add { _ in }
                case .failure(let refusal): gathering.add { $0 = $0 ?? refusal }
                }
            }
            // There is room, so it can only have closed.
            if intake != .taken { gathering.add { $0 = $0 ?? .journal(.closed) } }
        }
    }

    private func tellEveryone(_ index: Int) {
        crier.take(facts[index]) { [self] result in
            switch result {
            case .success(let receipt):
                state.withLock { $0.receipts[index] = receipt }
                goOn()
            case .failure(let refusal): reply(.failure(refusal))
            }
        }
    }
}
