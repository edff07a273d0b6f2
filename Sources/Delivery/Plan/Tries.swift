internal import CivilTime

/// How often a job was tried at one sink.
///
/// Only failures use up the tries (SPEC §11). Waits that the sink asked for are bounded in time instead, so that a
/// sink that says "later" for ever is not asked for ever.
public struct Tries: Sendable, Equatable {
    var failed: UInt8 = 0
    /// How often it was told to come again later.
    var waits: UInt32 = 0
    /// When it was told so first; of no meaning before that.
    var waitingSince = Instant(milliseconds: 0)

    /// How often it was tried.
    var count: Int { Int(failed) + Int(waits) }

    func withFailure() -> Tries {
        var next = self
        next.failed += 1
        return next
    }

    func withWait(at now: Instant) -> Tries {
        var next = self
        if waits == 0 { next.waitingSince = now }
        next.waits += 1
        return next
    }
}
