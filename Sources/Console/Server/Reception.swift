public import CivilTime
internal import Dispatch
internal import Queueing
internal import Synchronization

/// What all connections of a server share: its limits, its handler, and the ledger they are entered in.
final class Reception: Sendable {
    typealias Ledger = ConnectionLedger<Exchange>

    let limits: HTTPLimits
    let handler: HTTPHandler
    let clocks: HTTPClocks
    let mailbox: Mailbox
    /// Who goes on with answers that come in pieces; `nil` where there are none.
    let streams: StreamServer?
    /// Where bodies are unpacked and read, so that a large one does not hold up the thread of all connections. Nothing else
    /// is done here that may take long: it is the way of facts.
    let intake: Lane
    /// Requests from their head to the end of their answer.
    let inFlight = DispatchGroup()
    private let ledger: Mutex<Ledger>

    init(limits: HTTPLimits, clocks: HTTPClocks, handler: HTTPHandler, mailbox: Mailbox, streams: StreamServer?) {
        self.limits = limits
        self.clocks = clocks
        self.handler = handler
        self.mailbox = mailbox
        self.streams = streams
        intake = Lane("belfry.intake", threads: 2, waitingMax: limits.requestsMax)
        ledger = Mutex(Ledger(limits: limits))
    }

    func withLedger<Result: Sendable>(_ body: (inout Ledger, SuspendingClock.Instant) -> Result) -> Result {
        let now = clocks.passing()
        return ledger.withLock { body(&$0, now) }
    }

    var isStopping: Bool { withLedger { ledger, _ in ledger.isStopping } }
}

/// The clocks of a server.
public struct HTTPClocks: Sendable {
    /// By which limits of time are kept.
    let passing: @Sendable () -> SuspendingClock.Instant
    /// What answers are dated by.
    let wall: @Sendable () -> Instant

    public init(
        passing: @escaping @Sendable () -> SuspendingClock.Instant, wall: @escaping @Sendable () -> Instant
    ) {
        self.passing = passing
        self.wall = wall
    }
}

/// What other threads tell the server's own.
final class Mailbox: Sendable {
    enum Letter: Sendable {
        case answer(Exchange, HTTPResponse)
        /// Somebody set the clock.
        case look
        case stopListening
        case end
    }

    private let letters = Mutex<[Letter]>([])
    let bell: Bell

    init?() {
        guard let bell = Bell() else { return nil }
        self.bell = bell
    }

    func post(_ letter: Letter) {
        let isFirst = letters.withLock { letters in
            letters.append(letter)
            return letters.count == 1
        }
        if isFirst { bell.ring() }
    }

    func takeAll() -> [Letter] {
        // In this order: whoever posts once the letters are taken rings again.
        bell.silence()
        return letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}
