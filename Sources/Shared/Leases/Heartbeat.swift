internal import Dispatch
internal import Foundation
internal import Synchronization

/// Renews a worker's lease, on a thread and a connection of its own, for as long as the worker's queue turns.
///
/// A queue that stands still must lose its partitions to somebody who decides. So each renewal is sent after the queue has
/// answered, and a queue that does not answer lets its lease run out.
public final class Heartbeat: Sendable {
    /// What became of one beat.
    public enum Beat: Sendable, Equatable {
        case renewed
        /// The worker's queue did not answer in time; nothing was sent.
        case queueStandsStill
        /// There was no answer, or none that renews. The next beat connects anew.
        case failed(SharedLogError)
        /// The database does not know the worker any more.
        case unknownWorker
    }

    private let lease: Lease
    private let connect: @Sendable () throws(SharedLogError) -> any SharedLogConnection
    private let askQueue: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let connection = Mutex<(any SharedLogConnection)?>(nil)
    private let stopping = DispatchSemaphore(value: 0)

    /// - Parameter askQueue: has the worker's queue call what it is given.
    public init(
        of lease: Lease, askQueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        connect: @escaping @Sendable () throws(SharedLogError) -> any SharedLogConnection
    ) {
        self.lease = lease
        self.askQueue = askQueue
        self.connect = connect
    }

    /// One beat. Whoever has no thread for it calls it every `LeaseTerms.interval`.
    public func beat() -> Beat {
        guard queueAnswers() else { return .queueStandsStill }
        do throws(SharedLogError) {
            let connection = try current()
            let isKnown = try lease.extend { () throws(SharedLogError) in
                try connection.renew(lease.worker, for: lease.terms.lifetime)
            }
            return isKnown ? .renewed : .unknownWorker
        } catch {
            return .failed(error)
        }
    }

    /// Beats until `stop`, and tells each beat. Ends by itself when the database has forgotten the worker.
    public func start(_ told: @escaping @Sendable (Beat) -> Void) {
        let interval = DispatchTimeInterval.nanoseconds(Int(lease.terms.interval.wholeNanoseconds))
        Thread.detachNewThread { [self] in
            Thread.current.name = "belfry.heartbeat"
            var next = DispatchTime.now()
            repeat {
                let beat = beat()
                told(beat)
                if beat == .unknownWorker { break }
                next = max(next + interval, .now())
            } while stopping.wait(timeout: next) == .timedOut
            connection.withLock { $0.take()?.close() }
        }
    }

    /// To be called once, after `start`.
    public func stop() { stopping.signal() }

    private func queueAnswers() -> Bool {
        let answered = DispatchSemaphore(value: 0)
        askQueue { answered.signal() }
        let patience = DispatchTimeInterval.nanoseconds(Int(lease.terms.interval.wholeNanoseconds))
        return answered.wait(timeout: .now() + patience) == .success
    }

    private func current() throws(SharedLogError) -> any SharedLogConnection {
        if let open = connection.withLock({ $0 }), open.isOpen { return open }
        let fresh = try connect()
        connection.withLock { $0 = fresh }
        return fresh
    }
}
