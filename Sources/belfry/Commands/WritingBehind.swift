import Foundation
import Synchronization
import Worker

/// Commits that are written on a core of their own, in order, some batches behind whoever decides.
///
/// Safe to share: a batch belongs to whoever decides until it is handed over, and `write` is called by one thread at a time.
final class WritingBehind: @unchecked Sendable {
    private let write: (Chronicle.Commit) -> Bool
    /// `nil` where there is one core, which writes each commit as it is made.
    private let queue: DispatchQueue?
    private let room = DispatchSemaphore(value: 0)
    private let failed = Atomic(false)
    private var batch: [Chronicle.Commit] = []
    private var events = 0

    private static let batchEvents = 256
    private static let batchesMax = 16

    /// - Parameter write: `false` where it could not, and nothing more is to be written.
    init(on cores: Cores, _ write: @escaping (Chronicle.Commit) -> Bool) {
        self.write = write
        queue = cores.count > 1 ? DispatchQueue(label: "belfry.writing", qos: .userInitiated) : nil
        // Not from the beginning: as in `ReadingAhead`.
        for _ in 0..<Self.batchesMax { room.signal() }
    }

    /// Whether something could not be written, so that more need not be made.
    var hasFailed: Bool { failed.load(ordering: .acquiring) }

    func take(_ commit: Chronicle.Commit) {
        guard queue != nil else { return put(commit) }
        batch.append(commit)
        events += commit.count
        if events >= Self.batchEvents { handOver() }
    }

    /// To be called last: all of it has been written, or could not be.
    func finish() {
        handOver()
        queue?.sync {}
    }

    private func handOver() {
        guard let queue, !batch.isEmpty else { return }
        room.wait()
        let full = batch
        batch = []
        events = 0
        queue.async { [self] in
            for commit in full { put(commit) }
            room.signal()
        }
    }

    private func put(_ commit: Chronicle.Commit) {
        guard !hasFailed else { return }
        if !write(commit) { failed.store(true, ordering: .releasing) }
    }
}
