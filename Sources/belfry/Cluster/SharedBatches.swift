import Journal
import Shared
import Synchronization
import Worker

/// Batches of one partition on their way into the shared log: acknowledged once the database has them, under this epoch.
final class SharedBatches: BatchTaker {
    private let line: AppendLine
    private let partition: Int
    private let epoch: Int64
    /// What the next batch continues.
    private let tail: Mutex<Shared.LogTail>

    init(_ holding: Holding, _ line: AppendLine) {
        (partition, epoch, self.line) = (holding.partition, holding.epoch, line)
        tail = Mutex(holding.tail)
    }

    func take(_ batch: Batch, _ answer: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
        let flush = Flush(
            partition: partition, epoch: epoch, after: tail.withLock { $0 }, head: batch.head.hash, frames: batch.frames
        )
        precondition(flush.after.until == batch.position, "a batch that does not go on where the shared log ends")
        line.append(flush) { [self] outcome in
            switch outcome {
            case .taken:
                tail.withLock { $0 = flush.tail }
                answer(.success(()))
            case .lost:
                // A line that has failed takes nothing more, and says why.
                let words = line.failure.map { "the database did not take it: \($0)" } ?? "another worker has it now"
                answer(.failure(.lost("partition \(partition): \(words)")))
            case .unknown:
                answer(.failure(.lost("nobody can say whether the database took it (partition \(partition))")))
            }
        }
    }
}
