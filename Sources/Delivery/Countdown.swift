internal import Synchronization

/// Calls back when so many have said that they are done.
final class Countdown: Sendable {
    private let left: Mutex<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
        left = Mutex(count)
        self.done = done
        if count == 0 { done() }
    }

    func one() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { done() }
    }
}
