internal import Dispatch
internal import Synchronization

/// Appends rows without ever keeping a worker waiting: rows are handed in from its queue, sent on a queue of the line's own,
/// and answered from there.
///
/// While one statement is under way the next collects: one row of each partition that has any, so that all partitions of a
/// worker share one commit of the database. A second row of a partition waits for the first.
///
/// The line lives as long as its connection. After the first unknown outcome, or error, it takes nothing more: what still
/// waits is answered `.lost`, because it was never sent. The worker then connects anew, takes its partitions again, and makes
/// another line.
public final class AppendLine: Sendable {
    public typealias Answer = @Sendable (FlushOutcome) -> Void

    private struct Waiting {
        var flush: Flush
        var answer: Answer
    }

    private struct State {
        /// In the order in which they came.
        var waiting: [Waiting] = []
        var isSending = false
        var failure: SharedLogError?
    }

    private let connection: any SharedLogConnection
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "belfry.append", qos: .userInitiated)
    /// About as many bytes go into one statement.
    private let bytesMax: Int

    public init(_ connection: any SharedLogConnection, bytesMax: Int = 4 << 20) {
        self.connection = connection
        self.bytesMax = bytesMax
    }

    /// Why it takes nothing more, if so.
    public var failure: SharedLogError? { state.withLock { $0.failure } }

    /// Hands a row in, and returns at once. The answer comes on the line's queue, and in the order of the rows of a partition.
    public func append(_ flush: Flush, _ answer: @escaping Answer) {
        let mustStart = state.withLock { state in
            state.waiting.append(Waiting(flush: flush, answer: answer))
            defer { state.isSending = true }
            return !state.isSending
        }
        if mustStart { queue.async { self.send() } }
    }

    private func send() {
        while let batch = next() {
            let outcomes: [FlushOutcome]
            do throws(SharedLogError) {
                outcomes = failure == nil ? try connection.append(batch.map(\.flush)) : batch.map { _ in .lost }
                if outcomes.contains(.unknown) { stop(.unknown("an append was not answered")) }
            } catch {
                outcomes = batch.map { _ in .lost }
                stop(error)
            }
            for (waiting, outcome) in zip(batch, outcomes) { waiting.answer(outcome) }
        }
    }

    private func stop(_ error: SharedLogError) {
        state.withLock { state in
            if state.failure == nil { state.failure = error }
        }
    }

    /// The first waiting row of each partition, as many as one statement should have.
    private func next() -> [Waiting]? {
        state.withLock { state in
            var batch: [Waiting] = []
            var left: [Waiting] = []
            var seen: Set<Int> = []
            var bytes = 0
            for waiting in state.waiting {
                let size = waiting.flush.frames.count
                if (batch.isEmpty || bytes + size <= bytesMax) && seen.insert(waiting.flush.partition).inserted {
                    batch.append(waiting)
                    bytes += size
                } else {
                    // Nothing of a partition overtakes what came before it.
                    seen.insert(waiting.flush.partition)
                    left.append(waiting)
                }
            }
            state.waiting = left
            state.isSending = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }
}
