/// The server's thread: waits for all connections at once and lets each go as far as it can. It works on nothing that takes
/// long, so that `/health` is answered whatever else goes on.
///
/// Safe to share: made by one thread and from then on touched by the server's alone. Others post to its mailbox.
final class ServerLoop: @unchecked Sendable {
    private static let acceptedAtOnce = 32

    private let reception: Reception
    /// `nil` once nobody is let in any more.
    private var listener: Int32?
    private var connections: [UInt: Connection] = [:]
    private var polled = PollSet()
    private var polledConnections: [(place: Int, number: UInt)] = []
    private var nextLook = SuspendingClock.now
    /// There were no descriptors left; until the next look nobody is accepted.
    private var isShortOfDescriptors = false
    private var hasEnded = false
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

    init(listener: Int32, _ reception: Reception) {
        self.listener = listener
        self.reception = reception
    }

    deinit { scratch.deallocate() }

    func run() {
        while !hasEnded { turn() }
        for connection in connections.values { connection.close() }
        connections = [:]
        stopListening()
    }

    private func turn() {
        let (bell, door) = prepare()
        polled.wait(
            milliseconds: connections.isEmpty && !isShortOfDescriptors ? nil : reception.limits.lookMilliseconds)
        if !polled.happened(at: bell).isEmpty { readMail() }
        for (place, number) in polledConnections {
            let happened = polled.happened(at: place)
            guard !happened.isEmpty, let connection = connections[number] else { continue }
            connection.handle(happened, scratch)
            if connection.isClosed { connections[number] = nil }
        }
        // Whoever is there was heard before anybody is asked to give up a place.
        if let door, !polled.happened(at: door).isEmpty { accept() }
        if nextLook <= SuspendingClock.now { look() }
    }

    private func prepare() -> (bell: Int, door: Int?) {
        polled.removeAll()
        polledConnections.removeAll(keepingCapacity: true)
        let bell = polled.add(reception.mailbox.bell.reading, .reading)
        for (number, connection) in connections {
            let interest = connection.interest
            // Who has left is told of again and again, wanted or not.
            if !interest.isEmpty { polledConnections.append((polled.add(connection.descriptor, interest), number)) }
        }
        guard let listener, !isShortOfDescriptors, reception.withLedger({ ledger, _ in ledger.hasRoom() }) else {
            return (bell, nil)
        }
        return (bell, polled.add(listener, .reading))
    }

    // MARK: Accepting

    private func accept() {
        // Nobody is asked to go for the next before what they have sent was looked at.
        let last = reception.withLedger { ledger, _ in ledger.lastNumber }
        for _ in 0..<Self.acceptedAtOnce {
            let hasRoom = reception.withLedger { ledger, _ in ledger.hasRoom(sparingThoseAfter: last) }
            guard let listener, hasRoom else { return }
            let (descriptor, origin) = SocketCall.accept(listener)
            switch descriptor {
            case 0...: welcome(descriptor, origin)
            case -SocketCall.aborted, -SocketCall.interrupted: continue
            case -SocketCall.tryAgain: return
            default:
                // Whoever waits to be accepted would be told of for ever.
                guard SocketCall.tooManyOpen.contains(-descriptor), let number = leastStanding else {
                    isShortOfDescriptors = true
                    return
                }
                end(number, saying: Self.crowded)
            }
        }
    }

    private var leastStanding: UInt? { reception.withLedger { ledger, _ in ledger.leastStanding } }

    private func welcome(_ descriptor: Int32, _ origin: Origin?) {
        switch reception.withLedger({ ledger, _ in ledger.room(for: origin) }) {
        case .free: break
        case .after(let number): end(number, saying: Self.crowded)
        case .refused, .none:
            let refused = Self.crowded.head(at: reception.clocks.wall(), closes: true) + Self.crowded.body
            _ = refused.withUnsafeBytes { SocketCall.send(descriptor, $0) }
            return SocketCall.close(descriptor)
        }
        let number = reception.withLedger { $0.connect(from: origin, now: $1) }
        connections[number] = Connection(descriptor, number: number, reception: reception)
    }

    private static let crowded = HTTPResponse.notNow("too many connections at once; try again")
    private static let tooSlow = HTTPResponse.error(.tooSlow, "the request did not come in time")

    private func end(_ number: UInt, saying last: HTTPResponse) {
        connections.removeValue(forKey: number)?.end(saying: last)
    }

    private func stopListening() {
        if let listener { SocketCall.close(listener) }
        listener = nil
    }

    // MARK: Mail

    private func readMail() {
        for letter in reception.mailbox.takeAll() {
            switch letter {
            case .answer(let exchange, let response): pass(response, to: exchange)
            case .look: look()
            case .stopListening: stopListening()
            case .end: hasEnded = true
            }
        }
    }

    private func pass(_ response: HTTPResponse, to exchange: Exchange) {
        let ending = reception.withLedger {
            $0.end(exchange.connection, answerBytes: response.body.count, now: $1)
        }
        guard ending != .gone, let connection = connections[exchange.connection] else { return }
        connection.answer(ending == .fits ? response : Self.noRoom)
        if connection.isClosed { connections[exchange.connection] = nil }
    }

    private static let noRoom = HTTPResponse.inDoubt("there is no room for the answer among all that is being answered")

    // MARK: Deadlines

    /// Ends what has taken too long.
    private func look() {
        nextLook = SuspendingClock.now + reception.limits.lookInterval
        isShortOfDescriptors = false
        for late in reception.withLedger({ $0.overdue(now: $1) }) {
            switch late {
            case .giveUp(let exchange): exchange.giveUp()
            case .end(let number): end(number, saying: Self.tooSlow)
            }
        }
    }
}

extension HTTPLimits {
    fileprivate var lookMilliseconds: Int32 {
        let parts = lookInterval.components
        return Int32(clamping: parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000 + 1)
    }
}
