import Journal
import Notices
import Synchronization
import Worker

/// A request's facts on their way to the logs they are about, hand after hand, and what became of each.
///
/// The workers of this process have room for all of theirs; what is another process's is passed on. It lives until it has
/// replied, because the answers it waits for know it.
final class Dealing: Sendable {
    /// Facts of one request for another process's log, and where they stand in it.
    typealias PassOn = @Sendable (Deal.Part, _ reply: @escaping Reply<[FactReceipt]>) -> Void

    private struct State: Sendable {
        var hands: ArraySlice<Deal.Hand>
        /// What became of the facts, in their order.
        var receipts: [FactReceipt]
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
    private let reply: Reply<[FactReceipt]>

    init(
        _ deal: Deal, _ facts: [Fact], to workers: [Int: LiveWorker], _ crier: Crier, allOrNothing: Bool, isOwn: Bool,
        passOn: PassOn?, _ reply: @escaping Reply<[FactReceipt]>
    ) {
        state = Mutex(State(hands: deal.hands[...], receipts: deal.withheld))
        (self.facts, self.workers, self.crier, self.reply) = (facts, workers, crier, reply)
        (self.allOrNothing, self.isOwn, self.passOn) = (allOrNothing, isOwn, passOn)
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
            guard case .some(.some(let refusal)) = whole else { return goOn() }
            // Some may be recorded: of the others nobody knows, and the answer says so.
            if case .journal(.closed) = refusal, state.withLock({ $0.isBegun }) {
                return reply(
                    .failure(.journal(.lost("a partition's worker stopped when others had taken their facts"))))
            }
            reply(.failure(refusal))
        }
        for part in parts {
            let heard: Reply<[FactReceipt]> = { [self] result in
                switch result {
                case .success(let receipts):
                    take(receipts, of: part)
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
                part.facts, bytes: part.bytes, allOrNothing: allOrNothing, isOwn: isOwn, hasRoom: true, reply: heard)
            guard intake != .taken else { continue }
            // There is room, so it can only have closed: another has the partition by now, or soon.
            if let passOn { passOn(part, heard) } else { heard(.failure(.journal(.closed))) }
        }
    }

    private func take(_ receipts: [FactReceipt], of part: Deal.Part) {
        state.withLock { state in
            state.isBegun = true
            for (index, receipt) in zip(part.indices, receipts) { state.receipts[index] = receipt }
        }
    }

    private func tellEveryone(_ index: Int) {
        let part = Deal.Part(log: LogName.everyonesNumber, facts: [facts[index]], indices: [index], bytes: 0)
        let heard: Reply<[FactReceipt]> = { [self] result in
            switch result {
            case .success(let receipts):
                take(receipts, of: part)
                goOn()
            case .failure(let refusal): reply(.failure(refusal))
            }
        }
        if let passOn, !crier.hasEveryone { return passOn(part, heard) }
        crier.take(facts[index]) { heard($0.map { [$0] }) }
    }
}
