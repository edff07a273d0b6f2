internal import Dispatch

/// One connection: takes requests apart as they come in, has each answered, and sends the answer before it looks at the next.
///
/// ```
/// head ─> body ─> answering ─> writing ─> head …
///   └───────┴──────────────────>  └─────> lingering ─> closed
/// ```
///
/// Belongs to the server's thread. It never waits: whatever cannot go on is taken up when the socket is ready.
final class Connection {
    private enum State {
        case head
        case body
        case answering
        case writing
        /// The last answer was sent. What the client still sends is thrown away until it hangs up: to hang up on it at once
        /// could take the answer from it.
        case lingering
        case closed
    }

    let descriptor: Int32
    private let number: UInt
    private let reception: Reception
    private var state = State.head
    private var input: [UInt8] = []
    /// Up to here `input` is done with.
    private var used = 0
    private var reader: HeadReader
    private var incoming: Incoming?
    /// The head of the request that is being answered.
    private var head: RequestHead?
    /// When that was whole; `nil` until then.
    private var wholeAt: SuspendingClock.Instant?
    private var exchange: Exchange?
    private var outgoing: Outgoing?
    /// Whether the client of the answer that is being sent knows chunks.
    private var knowsChunks = true
    private var thrownAway = 0
    private var isInFlight = false
    /// The other side sends no more.
    private var isParting = false

    init(_ descriptor: Int32, number: UInt, reception: Reception) {
        self.descriptor = descriptor
        self.number = number
        self.reception = reception
        reader = HeadReader(bytesMax: reception.limits.headBytesMax)
    }

    var isClosed: Bool { state == .closed }

    /// What it waits for.
    var interest: PollSet.Interest {
        switch state {
        case .head, .body, .lingering: .reading
        // Nothing more is read before this is answered; but whoever leaves is to be noticed.
        case .answering: isParting ? [] : .parting
        case .writing: .writing
        case .closed: []
        }
    }

    /// - Parameter scratch: room to receive into, for the time of this call.
    func handle(_ happened: PollSet.Interest, _ scratch: UnsafeMutableRawBufferPointer) {
        switch state {
        case .head, .body, .lingering: receive(scratch)
        case .answering: part(isGone: !happened.isDisjoint(with: .broken))
        case .writing: flush()
        case .closed: return
        }
        advance()
    }

    // MARK: Receiving

    private func receive(_ scratch: UnsafeMutableRawBufferPointer) {
        let count = SocketCall.receive(descriptor, scratch)
        if count == -Int(SocketCall.tryAgain) || count == -Int(SocketCall.interrupted) { return }
        guard count > 0 else { return count == 0 ? endOfInput() : close() }
        if state == .lingering {
            thrownAway += count
            return thrownAway > reception.limits.drainBytesMax ? close() : ()
        }
        reception.withLedger { $0.bytesMoved(number, now: $1) }
        input.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
    }

    private func endOfInput() {
        guard state == .body || state == .head && reader.hasBegun else { return close() }
        send(.error(.badRequest, "the request ends before it is whole"), closes: true)
    }

    /// Goes as far as what has come allows.
    private func advance() {
        do throws(WireProblem) {
            while try goesOn() {}
        } catch {
            send(error.response, closes: true)
        }
        if used == input.count {
            input.removeAll(keepingCapacity: input.capacity <= 64 << 10)
        } else if used > 0 {
            input.removeFirst(used)
        }
        used = 0
    }

    private func goesOn() throws(WireProblem) -> Bool {
        switch state {
        case .head: used < input.count ? try takeHead() : false
        case .body: try takeBody()
        case .answering, .writing, .lingering, .closed: false
        }
    }

    /// Whether the head is whole.
    private func takeHead() throws(WireProblem) -> Bool {
        let found = try input[used...].withUnsafeBufferPointer { (bytes) throws(WireProblem) -> HeadReader.Found? in
            try reader.read(UnsafeRawBufferPointer(bytes))
        }
        guard let found else { return false }
        used += found.count
        reader = HeadReader(bytesMax: reception.limits.headBytesMax)
        begin(found.head)
        return true
    }

    private func begin(_ head: consuming RequestHead) {
        let gate = Gate(&head, reception)
        let head = head
        let isStopping = reception.withLedger { ledger, now in
            ledger.headCame(number, isServed: gate.earnsStanding, now: now)
            return ledger.isStopping
        }
        if !isStopping {
            isInFlight = true
            reception.inFlight.enter()
        }
        self.head = head
        wholeAt = nil
        // Who asks first is told at once, and who has too much to say is not listened to.
        if let refusal = gate.refusal, head.awaitsContinue || head.announced ?? 0 > reception.limits.drainBytesMax {
            return send(refusal, closes: true)
        }
        incoming = Incoming(head, refusal: gate.refusal, collector: gate.collector)
        state = .body
        if head.awaitsContinue, used == input.count { sayContinue() }
    }

    /// Nothing else waits to be sent here, so that so little always goes.
    private func sayContinue() {
        let told = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        if told.withUnsafeBytes({ SocketCall.send(descriptor, $0) }) != told.count { close() }
    }

    /// Whether the body is whole, or at an end.
    private func takeBody() throws(WireProblem) -> Bool {
        let hadFailed = incoming?.collector.hasFailed ?? true
        let count = try input[used...].withUnsafeBufferPointer { (bytes) throws(WireProblem) -> Int? in
            try incoming?.take(UnsafeRawBufferPointer(bytes)) { more in
                reception.withLedger { ledger, _ in ledger.hold(more, for: number) }
            }
        }
        used += count ?? 0
        guard let incoming else { return false }
        if incoming.collector.hasFailed, !hadFailed { reception.withLedger { ledger, _ in ledger.letGo(number) } }
        guard incoming.isWhole else {
            // How much is read of what is refused is limited.
            if incoming.taken > reception.limits.drainBytesMax { close() }
            return false
        }
        self.incoming = nil
        proceed(incoming)
        return true
    }

    /// The request is whole.
    private func proceed(_ incoming: Incoming) {
        wholeAt = reception.clocks.passing()
        if let refusal = incoming.refusal ?? incoming.collector.failure { return send(refusal) }
        switch reception.withLedger({ ledger, _ in ledger.admit() }) {
        case .admitted: break
        case .busy: return send(.notNow("too many requests at once; try again"))
        case .closed: return send(Gate.stopping)
        }
        let request = incoming.head.request
        let isOrder = request.method != "GET" && request.method != "HEAD"
        let exchange = Exchange(connection: number, for: request.party, isOrder: isOrder, reception: reception)
        self.exchange = exchange
        state = .answering
        guard reception.withLedger({ $0.begin(exchange, for: number, now: $1) }) else { return exchange.stop() }
        exchange.begin(request, incoming.collector)
    }

    // MARK: Answering

    /// The client has left, or will send no more, which can mean either.
    private func part(isGone: Bool) {
        isParting = true
        if isGone { return close() }
        guard let exchange, !exchange.isOrder else { return }
        reception.withLedger { $0.hungUp(number, now: $1) }
    }

    /// The reply to the request that is being answered.
    func answer(_ response: HTTPResponse) {
        exchange = nil
        send(response)
        advance()
    }

    /// - Parameter closes: whatever the client wants, the connection ends with it.
    private func send(_ wanted: HTTPResponse, closes: Bool = false) {
        let response = admitted(wanted)
        tell(response)
        let isStopping = reception.withLedger { ledger, now in
            ledger.answer(number, bytes: response.body.count, now: now)
            return ledger.isStopping
        }
        let closes = closes || isStopping || head?.keepsAlive != true || response.stream != nil
        knowsChunks = head?.knowsChunks != false
        let bytes = response.head(at: reception.clocks.wall(), closes: closes, isChunked: knowsChunks)
        outgoing = Outgoing(
            response, head: bytes, isBodyWanted: head?.request.method != "HEAD", closes: closes)
        (incoming, head) = (nil, nil)
        state = .writing
        flush()
    }

    private func tell(_ response: HTTPResponse) {
        let took = wholeAt.map { reception.clocks.passing() - $0 } ?? .zero
        reception.handler.answered(head?.request, response, took)
        wholeAt = nil
    }

    /// A stream needs a place among the streams, and somebody who wants more of it than the head.
    private func admitted(_ response: HTTPResponse) -> HTTPResponse {
        guard let stream = response.stream else { return response }
        guard head?.request.method != "HEAD" else {
            stream.close()
            return response
        }
        if reception.streams?.reserve() == true { return response }
        stream.close()
        return .notNow("too many streams at once; try again", retryAfterSeconds: 5)
    }

    /// From here on the connection is the streams'.
    private func giveAway(_ stream: BodyStream) {
        state = .closed
        _ = reception.withLedger { ledger, _ in ledger.disconnect(number) }
        outgoing = nil
        leaveFlight()
        reception.streams?.take(StreamArrival(descriptor: descriptor, stream: stream, isChunked: knowsChunks))
    }

    private func flush() {
        while state == .writing {
            switch outgoing?.send(to: descriptor) {
            case .waits: return
            case .more: reception.withLedger { $0.bytesMoved(number, now: $1) }
            case .done: finish()
            case .failed, nil: close()
            }
        }
    }

    private func finish() {
        if let stream = outgoing?.stream { return giveAway(stream) }
        let closes = outgoing?.closes != false
        outgoing = nil
        leaveFlight()
        if closes {
            reception.withLedger { $0.linger(number, now: $1) }
            SocketCall.finishSending(descriptor)
            state = .lingering
            used = input.count
        } else {
            reception.withLedger { $0.finish(number, now: $1) }
            state = .head
        }
    }

    // MARK: Ending

    /// Ends a connection that has to go, with a last word where the client still owes something and could read it.
    func end(saying last: HTTPResponse) {
        if state == .body || state == .head && reader.hasBegun {
            tell(last)
            let bytes = last.head(at: reception.clocks.wall(), closes: true) + last.body
            _ = bytes.withUnsafeBytes { SocketCall.send(descriptor, $0) }
        }
        close()
    }

    func close() {
        guard state != .closed else { return }
        state = .closed
        SocketCall.close(descriptor)
        _ = reception.withLedger { ledger, _ in ledger.disconnect(number) }
        exchange?.abandon()
        if let stream = outgoing?.stream {
            stream.close()
            reception.streams?.leave()
        }
        (exchange, incoming, outgoing) = (nil, nil, nil)
        leaveFlight()
    }

    private func leaveFlight() {
        guard isInFlight else { return }
        isInFlight = false
        reception.inFlight.leave()
    }
}
