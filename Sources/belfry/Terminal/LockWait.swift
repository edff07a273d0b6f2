import Foundation
import Journal

extension LockPatience {
    private static let pauseMicroseconds: UInt32 = 50_000
    /// As long as a worker takes to stop.
    private static let time = Duration.seconds(5)

    /// Tries again for five seconds: a worker that is being restarted meets the one before it while that stops.
    ///
    /// - Parameters:
    ///   - giveUp: whether there is no point in it any more; asked before every try.
    ///   - first: is told who has the log, once.
    static func short(
        unless giveUp: @escaping @Sendable () -> Bool = { false },
        first: @escaping @Sendable (_ holder: String) -> Void = { _ in }
    ) -> LockPatience {
        let waiting = Waiting(Self.time)
        return LockPatience { holder in
            guard let isFirst = waiting.goOn(), !giveUp() else { return false }
            if isFirst { first(holder) }
            usleep(pauseMicroseconds)
            return true
        }
    }

    /// Safe to share: one thread waits for a lock.
    private final class Waiting: @unchecked Sendable {
        private let time: Duration
        private var end: ContinuousClock.Instant?

        init(_ time: Duration) { self.time = time }

        /// Whether this is the first time; `nil` when the time is over.
        func goOn() -> Bool? {
            guard let end else {
                end = .now + time
                return time > .zero ? true : nil
            }
            return .now < end ? false : nil
        }
    }
}
