import Queueing
import Synchronization

/// Threads for each worker that something is passed on to: one that stands still takes the time of nobody who asks another.
final class NeighbourLanes: Sendable {
    private let lanes = Mutex<[String: Lane]>([:])
    private let name: String

    private static let threads = 4
    /// As much as waits for one of them, it is refused.
    private static let waitingMax = 256

    init(_ name: String) { self.name = name }

    /// `false` where too much waits for that worker already: then nothing is done.
    func take(to url: String, _ work: @escaping @Sendable () -> Void) -> Bool {
        let lane = lanes.withLock { lanes in
            if let known = lanes[url] { return known }
            let lane = Lane(name, threads: Self.threads, waitingMax: Self.waitingMax)
            lanes[url] = lane
            return lane
        }
        return lane.take(work)
    }

    /// Only these live. What waits for others is done still.
    func keep(_ urls: some Sequence<String>) {
        let living = Set(urls)
        lanes.withLock { lanes in lanes = lanes.filter { living.contains($0.key) } }
    }

    var count: Int { lanes.withLock { $0.count } }
}
