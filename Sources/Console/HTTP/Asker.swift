internal import Synchronization

/// The client that waits for an answer. Long work checks now and then whether it still waits, and ends if it does not
/// (`G11`).
public final class Asker: Sendable {
    private let gone = Atomic(false)

    public init() {}

    public var isGone: Bool { gone.load(ordering: .relaxed) }

    /// Nobody wants the answer any more.
    public func leave() { gone.store(true, ordering: .relaxed) }
}
