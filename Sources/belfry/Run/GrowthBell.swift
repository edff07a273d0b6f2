import Synchronization
import Worker

/// Tells those who follow the log that it has grown. The worker is there before they are.
final class GrowthBell: Sendable {
    private let hub = Mutex<EventHub?>(nil)

    func hang(_ hub: EventHub) { self.hub.withLock { $0 = hub } }

    /// What is remembered of events before this one tells what is erased.
    func forget(before seq: UInt64) { hub.withLock { $0 }?.forget(before: seq) }

    func ring() { hub.withLock { $0 }?.logGrew() }
}
