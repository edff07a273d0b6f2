internal import CClock
internal import Dispatch

/// Tells when somebody sets the machine's clock, so that what is due by the new time is handled at once (`T7`, `C5`).
///
/// Linux tells of it. Elsewhere, and where the kernel will not, the two clocks are compared every second.
///
/// Safe to send: it is used on its own queue alone.
final class ClockWatch: @unchecked Sendable {
    private let source: any DispatchSourceProtocol
    private let descriptor: Int32

    init(on queue: DispatchQueue, whenSet: @escaping @Sendable () -> Void) {
        let descriptor = belfry_clock_watch_open()
        if descriptor >= 0, belfry_clock_watch_arm(descriptor) == 0 {
            self.descriptor = descriptor
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler {
                guard belfry_clock_watch_was_set(descriptor) == 1 else { return }
                _ = belfry_clock_watch_arm(descriptor)
                whenSet()
            }
            source.setCancelHandler { close(descriptor) }
            self.source = source
        } else {
            if descriptor >= 0 { close(descriptor) }
            self.descriptor = -1
            source = Self.watchdog(on: queue, whenSet)
        }
        source.activate()
    }

    func cancel() { source.cancel() }

    /// A step shows as the wall clock moving otherwise than the clock that nobody can set.
    private static func watchdog(
        on queue: DispatchQueue, _ whenSet: @escaping @Sendable () -> Void
    ) -> any DispatchSourceProtocol {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        nonisolated(unsafe) var offset = Self.offset  // Touched by the handler alone, on the queue.
        timer.setEventHandler {
            let now = Self.offset
            if abs(now - offset) > 100 { whenSet() }
            offset = now
        }
        timer.schedule(deadline: .now() + 1, repeating: 1)
        return timer
    }

    /// Milliseconds between the wall clock and the one that nobody can set.
    private static var offset: Int64 { milliseconds(CLOCK_REALTIME) - milliseconds(CLOCK_MONOTONIC) }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
