internal import CHTTP2

/// A call that shares a connection with others, and what has come of its answer so far. Belongs to its pool's thread.
final class SharedCall {
    let call: HTTPCall
    let path: String
    private let reply: HTTPPool.Reply

    /// When it has taken as long as it may.
    private let end: ContinuousClock.Instant
    /// When it was of no use any more if it had not begun, by the clock that runs on.
    private let lastBeginning: ContinuousClock.Instant?

    private(set) var hasBegun = false
    private(set) var isAnswered = false
    /// How much of the body was given to the connection.
    private var sent = 0
    private var status = 0
    private var headers = AnswerHeaders()
    private var headerBytes = 0
    private var body: [UInt8] = []
    private(set) var isTooLarge = false

    private var refusals = 0

    private static let headerBytesMax = 64 << 10
    private static let refusalsMax = 5

    init(_ call: HTTPCall, _ path: String, at now: ContinuousClock.Instant, reply: @escaping HTTPPool.Reply) {
        (self.call, self.path, self.reply) = (call, path, reply)
        end = now + .milliseconds(call.patience.totalMs)
        lastBeginning = call.deadline.map { now + .milliseconds($0.leftMs) }
    }

    /// When it is looked at whether it has lasted too long.
    var due: ContinuousClock.Instant { hasBegun ? end : min(end, lastBeginning ?? end) }

    func answer(_ result: Result<HTTPAnswer, HTTPFailure>) {
        guard !isAnswered else { return }
        isAnswered = true
        reply(result)
    }

    /// To the pool for servers that speak no HTTP/2, which answers it.
    func pass(to pool: some CallPool) {
        guard !isAnswered else { return }
        isAnswered = true
        pool.ask(call, reply: reply)
    }

    func fail(_ failure: HTTPFailure) { answer(.failure(failure)) }

    /// Whether it may begin now; else it is answered.
    func mayBegin() -> Bool {
        guard !isAnswered, isInTime() else { return false }
        guard call.isWanted?() ?? true else {
            fail(HTTPFailure(.cancelled, "nobody wants it any more"))
            return false
        }
        return true
    }

    /// Whether it may still begin; else it is answered.
    func isInTime() -> Bool {
        guard call.deadline?.isOver != true else {
            fail(HTTPFailure(.tooLate, "its time had passed"))
            return false
        }
        return true
    }

    func begin() { hasBegun = true }

    /// A server that goes away has not looked at it: it begins anew on another connection. Not for ever: servers could go away
    /// in turn.
    func mayBeginAnew() -> Bool {
        guard !isAnswered, refusals < Self.refusalsMax else { return false }
        refusals += 1
        (hasBegun, sent, status, headers, headerBytes, body) = (false, 0, 0, AnswerHeaders(), 0, [])
        return true
    }

    /// It has lasted too long.
    func expire(at now: ContinuousClock.Instant) {
        if !hasBegun, let lastBeginning, lastBeginning <= now {
            return fail(HTTPFailure(.tooLate, "its time had passed"))
        }
        fail(broken(.timedOut, "no answer after \(call.patience.totalMs) milliseconds"))
    }

    // MARK: What the connection brings

    /// The next bytes of the body, and whether they are the last.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool) {
        let count = min(buffer.count, call.body.count - sent)
        call.body.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
        sent += count
        return (count, sent == call.body.count)
    }

    /// `false` for more than anybody reads.
    func take(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        headerBytes += name.count + value.count
        guard headerBytes <= Self.headerBytesMax else {
            isTooLarge = true
            return false
        }
        if name.elementsEqual(":status".utf8) {
            // An interim answer (100 to 199) comes before the answer, with headers of its own.
            status = value.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
            headers = AnswerHeaders()
        } else {
            headers.add(name: name, value: value)
        }
        return true
    }

    /// `false` for more than is read.
    func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= call.answerBytesMax else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    // MARK: How it ends

    /// Its stream is closed.
    func close(_ code: UInt32) {
        if isTooLarge { return fail(broken(.tooLarge, "more than \(call.answerBytesMax) bytes")) }
        if code == NGHTTP2_NO_ERROR.rawValue, status >= 200 {
            return answer(.success(HTTPAnswer(status: status, headers: headers, body: body, version: "HTTP/2")))
        }
        let name = String(cString: nghttp2_http2_strerror(code))
        var failure = broken(.broken, "the server ended the stream: \(name)")
        // What a server refuses it has not looked at.
        if code == NGHTTP2_REFUSED_STREAM.rawValue { failure.mayHaveArrived = false }
        fail(failure)
    }

    /// Whoever asked is stopping.
    func cancel() { fail(broken(.cancelled, "stopping")) }

    /// Its connection is no more.
    func lose(_ words: String) { fail(broken(.broken, words)) }

    private func broken(_ reason: HTTPFailure.Reason, _ words: String) -> HTTPFailure {
        var failure = HTTPFailure(reason, words)
        failure.mayHaveArrived = hasBegun
        // An interim answer is none.
        if status >= 200 { (failure.status, failure.headers) = (status, headers) }
        failure.isConnectionLost = reason == .broken && hasBegun && failure.status == nil
        return failure
    }
}
