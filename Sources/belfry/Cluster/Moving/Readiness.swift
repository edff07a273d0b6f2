import Dispatch
import Shared
import Synchronization

/// Whether those that partitions are to be given to could go on with them at once. The owner decides until they can (`M4`).
final class Readiness: Sendable {
    private struct Candidate: Hashable, Sendable {
        var partition: Int
        var worker: WorkerID
    }

    private struct Standing: Sendable {
        var readyAt: ContinuousClock.Instant?
        var wantedAt: ContinuousClock.Instant
        var isAsking = false
    }

    private let neighbours: Neighbours
    private let standings = Mutex<[Candidate: Standing]>([:])

    private static let queue = DispatchQueue(label: "belfry.readiness", qos: .utility)
    private static let pause = 0.2
    /// Who was ready so long ago may have much to fetch again, and who is wanted no more is asked no more.
    private static let lasting = Duration.seconds(15)

    init(_ neighbours: Neighbours) { self.neighbours = neighbours }

    /// Has them get ready where they are not; whoever waits for everyone's facts is woken when they are.
    func isReady(_ worker: WorkerID, for partition: Int, at url: String) -> Bool {
        let (candidate, now) = (Candidate(partition: partition, worker: worker), ContinuousClock.now)
        let (isReady, mustAsk) = standings.withLock { standings in
            standings = standings.filter { now - $0.value.wantedAt < Self.lasting }
            var standing = standings[candidate] ?? Standing(wantedAt: now)
            standing.wantedAt = now
            let isReady = standing.readyAt.map { now - $0 < Self.lasting } ?? false
            let mustAsk = !isReady && !standing.isAsking
            if mustAsk { standing.isAsking = true }
            standings[candidate] = standing
            return (isReady, mustAsk)
        }
        if mustAsk { ask(candidate, url) }
        return isReady
    }

    /// The moves that can be made: those who are not ready for a partition get it later, and keep nobody else waiting.
    ///
    /// - Parameter wanted: what a view calls for.
    func moves(in view: ClusterView, _ wanted: (ClusterView) -> [Move]) -> [Move] {
        var rest = view
        while true {
            let moves = wanted(rest)
            let waiting = moves.compactMap { move -> Int? in
                guard case .handOver(let partition, _, let target) = move else { return nil }
                let url = view.living.first { $0.id == target }?.url ?? ""
                return isReady(target, for: partition, at: url) ? nil : partition
            }
            guard !waiting.isEmpty else { return moves }
            rest.partitions.removeAll { waiting.contains($0.number) }
        }
    }

    private func ask(_ candidate: Candidate, _ url: String) {
        neighbours.prepare(candidate.partition, at: url) { [self] isReady in
            let mustGoOn = standings.withLock { standings in
                guard var standing = standings[candidate] else { return false }
                let isWanted = ContinuousClock.now - standing.wantedAt < Self.lasting
                if isReady { standing.readyAt = .now }
                standing.isAsking = isWanted && !isReady
                standings[candidate] = standing
                return standing.isAsking
            }
            if isReady { neighbours.wantEveryone() }
            if mustGoOn {
                Self.queue.asyncAfter(deadline: .now() + Self.pause) { self.ask(candidate, url) }
            }
        }
    }
}
