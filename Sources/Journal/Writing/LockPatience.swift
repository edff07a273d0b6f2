/// How long to wait for a log that another process holds. One that is stopping soon lets go of it.
public struct LockPatience: Sendable {
    /// Waits a little and says whether to try again. Told what the holder says of itself.
    public let mayTryAgain: @Sendable (_ holder: String) -> Bool

    public init(mayTryAgain: @escaping @Sendable (_ holder: String) -> Bool) { self.mayTryAgain = mayTryAgain }

    public static let none = LockPatience { _ in false }
}
