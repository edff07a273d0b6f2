public import Dispatch

/// A serial Dispatch queue as the executor of an actor, so that the actor, its timer and its watches share one queue.
public final class SerialQueue: SerialExecutor {
    public let queue: DispatchQueue

    public init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// Asked by `assumeIsolated`: work that the queue itself started is the actor's.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
