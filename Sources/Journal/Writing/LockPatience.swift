/// How long to wait for a log that another has: one who is stopping is gone in a moment.
public struct LockPatience: Sendable {
    /// Waits a little and says whether to try again. Told what the holder says of itself.
    public let mayTryAgain: @Sendable (_ holder: String) -> Bool

    public init(mayTryAgain: @escaping @Sendable (_ holder: String) -> Bool) { self.mayTryAgain = mayTryAgain }

    public static let none = LockPatience { _ in false }
}
