import Dispatch
import Synchronization

/// One value that somebody else will put here, waited for on a thread that may wait.
final class Waited<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func put(_ value: Value?) {
        self.value.withLock { $0 = value }
        isThere.signal()
    }

    func wait() -> Value? {
        isThere.wait()
        return value.withLock { $0 }
    }
}

/// Something that has happened once it is raised.
final class Flag: Sendable {
    private let state = Atomic(false)
    func raise() { state.store(true, ordering: .releasing) }
    var isRaised: Bool { state.load(ordering: .acquiring) }
}
