internal import CMicrohttpd
internal import Dispatch
internal import Synchronization

/// One request, from its first line to the last byte of its answer.
///
/// ```
/// receiving ─> waiting ─> answered ─> ended       the library's thread, but for waiting ─> answered,
///     └───────────────────────┘                   which belongs to whoever replies first
/// ```
///
/// Safe to share: `phase` is locked, and everything else is touched by the library's thread alone, or while the
/// library has put the connection aside.
final class Exchange: @unchecked Sendable {
    private enum Phase {
        case receiving
        /// The connection is put aside; its address, to take it up again.
        case waiting(UInt)
        case answered(HTTPResponse)
        case ended
    }

    private let reception: Reception
    private let number: UInt
    private let target: String
    private let phase = Mutex(Phase.receiving)
    private var head: HTTPRequest?
    private var collector: BodyCollector?
    /// Decided by the head; the body is read and thrown away.
    private var refusal: HTTPResponse?
    private var drained = 0
    private var isInFlight = false

    init(target: String, number: UInt, reception: Reception) {
        self.target = target
        self.number = number
        self.reception = reception
    }

    // MARK: What the library's thread calls

    var hasHead: Bool { head != nil }

    func takeHead(_ method: String, _ connection: OpaquePointer) -> MHD_Result {
        let head = HTTPRequest(method: method, target: target, headers: HTTPHeaders(of: connection))
        self.head = head
        reception.withLedger { $0.headCame(number, now: reception.clock()) }
        let announced = head.headers["Content-Length"].flatMap { Int($0.withoutBlanksAround) }
        refusal = refusal(of: head, announced: announced)
        if !reception.isStopping {
            isInFlight = true
            reception.inFlight.enter()
        }
        guard let refusal else { return .YES }
        // Who asks first is told at once, and who has too much to say is not listened to.
        if head.headers["Expect"] != nil || announced ?? 0 > reception.limits.drainBytesMax {
            return queue(refusal, on: connection)
        }
        return .YES
    }

    private func refusal(of head: HTTPRequest, announced: Int?) -> HTTPResponse? {
        if reception.isStopping { return Self.stopping }
        if let answer = reception.handler.atOnce(head) { return answer }
        let bytesMax = reception.limits.bodyBytesMax
        let coding = head.headers.all("Content-Encoding").joined(separator: ",").withoutBlanksAround
        let isGzip = coding.isSameIgnoringCase("gzip") || coding.isSameIgnoringCase("x-gzip")
        guard isGzip || coding.isEmpty || coding.isSameIgnoringCase("identity") else {
            return .error(415, "the content coding may be gzip, or none", [("Accept-Encoding", "gzip")])
        }
        if let announced, announced > bytesMax {
            return BodyCollector.Problem.tooLarge(bytesMax: bytesMax).response
        }
        collector = BodyCollector(bytesMax: bytesMax, isGzip: isGzip)
        return nil
    }

    func takeBody(_ piece: UnsafeRawBufferPointer) -> MHD_Result {
        if refusal == nil, collector?.hasFailed == false {
            collector?.take(piece) { more in reception.withLedger { $0.hold(more, for: number) } }
            if collector?.hasFailed == true { reception.withLedger { $0.letGo(number) } }
        }
        // How much is read of what is refused is limited, and how much is read of what is packed.
        drained += piece.count
        return drained > reception.limits.drainBytesMax ? .NO : .YES
    }

    /// The request is whole, or its answer is there.
    func proceed(_ connection: OpaquePointer) -> MHD_Result {
        if let response = takeReply() { return send(response, on: connection) }
        if let refusal { return queue(refusal, on: connection) }
        guard var request = head, let collector else { return .NO }
        self.collector = nil
        do throws(BodyCollector.Problem) {
            request.body = try collector.finish()
        } catch {
            return queue(error.response, on: connection)
        }
        switch reception.withLedger({ $0.admit() }) {
        case .admitted: putAside(connection, toAnswer: request)
        case .busy: return queue(.notNow("too many requests at once; try again"), on: connection)
        case .closed: return queue(Self.stopping, on: connection)
        }
        return .YES
    }

    /// The reply, if there is one. It is not kept here while it is being sent.
    private func takeReply() -> HTTPResponse? {
        phase.withLock { phase in
            guard case .answered(let response) = phase else { return nil }
            phase = .ended
            return response
        }
    }

    private func putAside(_ connection: OpaquePointer, toAnswer request: HTTPRequest) {
        reception.suspended.enter()
        MHD_suspend_connection(connection)
        phase.withLock { $0 = .waiting(UInt(bitPattern: connection)) }
        guard reception.withLedger({ $0.begin(self, for: number, now: reception.clock()) }) else {
            return reply(Self.stopping)
        }
        reception.work.async { [self] in
            reception.handler.answer(request) { [self] in reply($0) }
        }
    }

    /// The answer is sent, or the connection is gone.
    func end() {
        phase.withLock { $0 = .ended }
        reception.withLedger { $0.finish(number, now: reception.clock()) }
        if isInFlight { reception.inFlight.leave() }
    }

    // MARK: What any thread calls

    /// Only the first reply is heard.
    func reply(_ response: HTTPResponse) {
        let waiting = phase.withLock { phase -> UInt? in
            guard case .waiting(let connection) = phase else { return nil }
            phase = .answered(response)
            return connection
        }
        guard let waiting else { return }
        let fits = reception.withLedger { $0.end(number, answerBytes: response.body.count, now: reception.clock()) }
        // Nobody looks at it before the connection is taken up again.
        if !fits { phase.withLock { $0 = .answered(Self.noRoom) } }
        // Valid, because the library keeps what is put aside until this very call, and nobody else gets here.
        MHD_resume_connection(OpaquePointer(bitPattern: waiting))
        reception.suspended.leave()
    }

    /// Nobody answered in time. What was asked for may happen all the same.
    func giveUp() {
        let seconds = reception.limits.answerTime.components.seconds
        reply(.inDoubt("no answer within \(seconds) s"))
    }

    /// Nobody will wait for the answer.
    func stop() {
        reply(.inDoubt("the worker is stopping", retryAfterSeconds: 5))
    }

    private static let noRoom = HTTPResponse.inDoubt("there is no room for the answer among all that is being answered")
    private static let stopping = HTTPResponse.notNow("the worker is stopping; try again", retryAfterSeconds: 5)

    // MARK: Sending

    private func queue(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        collector = nil
        reception.withLedger { $0.answer(number, bytes: response.body.count, now: reception.clock()) }
        return send(response, on: connection)
    }

    private func send(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        guard let made = response.body.withUnsafeBytes({ belfry_http_response($0.baseAddress, $0.count) }) else {
            return .NO
        }
        defer { MHD_destroy_response(made) }
        for field in response.headers.fields { MHD_add_response_header(made, field.name, field.value) }
        if reception.isStopping { MHD_add_response_header(made, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(response.status), made)
    }
}

extension HTTPHeaders {
    fileprivate init(of connection: OpaquePointer) {
        self.init()
        withUnsafeMutablePointer(to: &self) { headers in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, takeField, headers)
        }
    }
}

/// Captures nothing and belongs to no actor, as the library's thread demands.
private func takeField(
    _ context: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameCount: Int,
    _ value: UnsafePointer<CChar>?, _ valueCount: Int
) -> MHD_Result {
    guard let headers = context?.assumingMemoryBound(to: HTTPHeaders.self) else { return .NO }
    func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    }
    headers.pointee.append(text(name, nameCount), text(value, valueCount))
    return .YES
}
