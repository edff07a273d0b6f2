import CivilTime
import Synchronization

@testable import Delivery

extension HTTPCall.Patience {
    /// For a call that is to hang.
    static let none = HTTPCall.Patience(connectMs: 600_000, totalMs: 300)
}

/// The time that senders believe it is.
final class SenderClock: Sendable {
    let now = Mutex(newYear)
    var read: @Sendable () -> Instant { { self.now.withLock { $0 } } }

    func advance(minutes: Int64) { now.withLock { $0 = $0.advanced(byMinutes: minutes) } }
}
