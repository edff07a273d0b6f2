internal import CClock
internal import CivilTime
internal import Dispatch

/// The one timer, armed for an instant of the wall clock.
///
/// Safe to send: it is used on its own queue alone.
final class WakeTimer: @unchecked Sendable {
    private let source: any DispatchSourceTimer
    private var armed: Instant?

    init(on queue: DispatchQueue, fire: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        source.setEventHandler { [weak self] in
            self?.armed = nil
            fire()
        }
        source.activate()
    }

    /// Arms it for `instant`, or for nothing. Armed for the same it stays as it is.
    func arm(for instant: Instant?) {
        guard instant != armed else { return }
        armed = instant
        guard let instant else { return source.schedule(wallDeadline: .distantFuture) }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let moment = Self.moment(for: instant, now: Instant(seconds: Int64(now.tv_sec)))
        let (seconds, rest) = moment.milliseconds.quotientAndRemainder(dividingBy: 1000)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000)
        source.schedule(wallDeadline: DispatchWallTime(timespec: time), leeway: .nanoseconds(0))
    }

    /// When it fires. Dispatch counts nanoseconds, and takes what it has no number for, from the year 2116 on, for a moment that has
    /// passed: so it is looked once a day whether a far moment has come nearer.
    static func moment(for instant: Instant, now: Instant) -> Instant { min(instant, now.advanced(byDays: 1)) }

    /// After the clock was set: what was armed is armed anew.
    func rearm() {
        let instant = armed
        armed = nil
        arm(for: instant)
    }

    func cancel() { source.cancel() }
}
