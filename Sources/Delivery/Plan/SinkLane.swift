internal import CivilTime
internal import Queueing

/// What waits for one sink. A job that pauses between two tries takes no room in the window, so it holds up no other.
struct SinkLane {
    private let window: Int
    private var inFlight = 0
    private var fresh = WaitingLine<UInt32>()
    private var pausing = RetryHeap()
    /// Those whose pause is over and who wait for room.
    private var again = WaitingLine<Retry>()
    private var isTurnOfAgain = true

    init(window: Int) {
        precondition(window > 0, "a sink that takes nothing")
        self.window = window
    }

    /// When the next pause ends.
    var nextDue: Instant? { pausing.first?.due }

    var hasRoom: Bool { inFlight < window }

    mutating func append(_ slots: some Sequence<UInt32>) { fresh.append(contentsOf: slots) }

    mutating func pause(_ retry: Retry) { pausing.insert(retry) }

    mutating func endPauses(at now: Instant) {
        while let retry = pausing.popDue(at: now) { again.append(retry) }
    }

    /// The next to try and what it has behind it. New ones and old ones take turns, so that neither starves the other.
    mutating func next() -> (slot: UInt32, tries: Tries)? {
        guard hasRoom else { return nil }
        let isAgain = isTurnOfAgain ? !again.isEmpty : fresh.isEmpty
        let next = isAgain ? again.popFirst().map { ($0.slot, $0.tries) } : fresh.popFirst().map { ($0, Tries()) }
        guard let next else { return nil }
        isTurnOfAgain = !isAgain
        inFlight += 1
        return next
    }

    /// One has been answered for and makes room.
    mutating func leave() { inFlight -= 1 }

    /// Those who come next, as far as that is known.
    func upcoming(_ limit: Int) -> [UInt32] {
        again.prefix(limit).map(\.slot) + fresh.prefix(limit)
    }
}
