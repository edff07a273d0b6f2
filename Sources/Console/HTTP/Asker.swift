internal import Synchronization

/// Whoever waits for an answer. Long work asks now and then whether anybody still does, and ends when nobody does (`G11`).
public final class Asker: Sendable {
    private let gone = Atomic(false)

    public init() {}

    public var isGone: Bool { gone.load(ordering: .relaxed) }

    /// Nobody wants the answer any more.
    public func leave() { gone.store(true, ordering: .relaxed) }
}
