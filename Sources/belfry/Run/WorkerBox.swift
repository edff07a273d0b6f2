import Delivery
import Journal
import Notices
import Synchronization
import Worker

/// The worker, for those that are made before it and that it knows: the courier records through it, and the disk's failure
/// comes out of it.
final class WorkerBox: Sendable {
    private struct Contents: Sendable {
        var worker: LiveWorker?
        var whenFailed: (@Sendable (JournalError) -> Void)?
    }

    private let contents = Mutex(Contents())

    func begin(_ worker: LiveWorker, whenFailed: @escaping @Sendable (JournalError) -> Void) {
        contents.withLock { $0 = Contents(worker: worker, whenFailed: whenFailed) }
    }

    /// Lets go of the worker, which knows whoever knows this.
    func end() { contents.withLock { $0 = Contents() } }

    func failed(_ error: JournalError) { contents.withLock { $0.whenFailed }?(error) }

    /// Where people can be reached.
    var book: Courier.Book {
        { [self] people, answer in
            let worker = contents.withLock { $0.worker }
            let intake = worker?.contacts(of: people) { result in answer(try? result.get()) }
            if intake != .taken { answer(nil) }
        }
    }

    /// Records what an analyser said. Where that cannot be done the fallback decides, when its time has come.
    func tell(_ fact: Payload, about user: String) {
        let worker = contents.withLock { $0.worker }
        _ = worker?.submit([Fact(user: user, payload: fact)], bytes: 4096, isOwn: true) { _ in }
    }

    /// What became of jobs, as facts of Belfry's own.
    var record: Courier.Record {
        { [self] facts, done in
            let worker = contents.withLock { $0.worker }
            let intake = worker?.submit(facts, bytes: 256 * facts.count, isOwn: true) { result in
                if case .success = result { done(true) } else { done(false) }
            }
            if intake != .taken { done(false) }
        }
    }
}
