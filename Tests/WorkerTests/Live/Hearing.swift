import Synchronization
import Worker

/// What somebody who asked a worker has heard.
final class Hearing<Answer: Sendable>: Sendable {
    private let heard = Mutex<[Result<Answer, WorkerRefusal>]>([])

    var all: [Result<Answer, WorkerRefusal>] { heard.withLock { $0 } }
    var hear: Reply<Answer> { { [self] result in heard.withLock { $0.append(result) } } }
}
