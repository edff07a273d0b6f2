public import CivilTime

/// The last instant at which a call may begin to say what it has to say (SPEC §11: nothing is sent after `not_after`).
///
/// Looking a name up, connecting and shaking hands take their time, so it is asked once more when all that is over. What was
/// said in time is answered whenever the other side likes, within the call's own limits.
public struct Deadline: Sendable {
    private let last: Instant
    private let clock: @Sendable () -> Instant

    public init(_ last: Instant, by clock: @escaping @Sendable () -> Instant) {
        (self.last, self.clock) = (last, clock)
    }

    var isOver: Bool { clock() > last }

    /// Milliseconds until it has surely passed.
    var leftMs: Int { Int(min(max(last.milliseconds(since: clock()), 0), Self.leftMsMax)) + 2 }

    /// Longer than any call may take.
    private static let leftMsMax: Int64 = 3_600_000
}

extension Order {
    func deadline(by clock: @escaping @Sendable () -> Instant) -> Deadline? { notAfter.map { Deadline($0, by: clock) } }
}
