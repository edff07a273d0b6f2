import Foundation
import Synchronization

/// Something that waits for the database, on a thread of its own while the test does something to what it waits for.
final class Aside<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let result = Result(catching: work)
            self.result.withLock { $0 = result }
            done.signal()
        }
    }

    var hasEnded: Bool { result.withLock { $0 != nil } }

    /// Waits for its end.
    func value() throws -> Value {
        done.wait()
        done.signal()
        guard let result = result.withLock({ $0 }) else { preconditionFailure("it has ended") }
        return try result.get()
    }
}
