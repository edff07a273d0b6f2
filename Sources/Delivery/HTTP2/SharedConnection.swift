internal import CCurl
internal import CHTTP2

/// One connection of HTTP/2 and the calls under way on it: nghttp2 makes and reads the frames, libcurl's handle carries them.
/// Belongs to its pool's thread.
final class SharedConnection {
    private let opening: Opening
    let socket: curl_socket_t
    private let session: OpaquePointer
    private var calls: [Int32: SharedCall] = [:]
    /// Those that the server has not looked at before it went away.
    private var leftBehind: [SharedCall] = []

    /// What the server takes at once is known.
    private var hasSettings = false
    /// Nothing new is begun on it: the server goes away, or has not answered for long.
    private(set) var isLeaving = false
    /// Whether a call ever began on it.
    private(set) var hasBegunAny = false
    private var timeOutsInARow = 0
    private var usedAt: ContinuousClock.Instant

    /// What is to be sent and has not been taken yet. It is filled when it is empty alone: TLS takes again what it did not take.
    private var out: [UInt8] = []
    private var outSent = 0

    /// So many time-outs in a row, and it is used no more: a server may be gone without having closed it.
    private static let timeOutsMax = 3
    /// Behind so long a silence a server, or whoever is in between, may have forgotten it.
    private static let idleMax = Duration.seconds(118)
    /// What a server says first is there with the connection, or it is none of HTTP/2.
    private static let settingsMax = Duration.seconds(5)
    private static let outBytes = 64 << 10
    /// A server may allow more streams than anybody needs.
    private static let streamsMax: UInt32 = 1000

    /// - Precondition: it was opened, and the server speaks HTTP/2.
    init?(_ opening: Opening, at now: ContinuousClock.Instant) {
        guard let socket = opening.socket() else { return nil }
        self.opening = opening
        self.socket = socket
        usedAt = now
        var session: OpaquePointer?
        var callbacks: OpaquePointer?
        precondition(nghttp2_session_callbacks_new(&callbacks) == 0, "out of memory for a connection")
        nghttp2_session_callbacks_set_on_header_callback(callbacks, takeField)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, takeData)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, takeFrame)
        // The connection is told of later: it is not whole yet. nghttp2 copies the callbacks.
        let box = Unmanaged<Box>.passRetained(Box())
        precondition(
            nghttp2_session_client_new(&session, callbacks, box.toOpaque()) == 0, "out of memory for a connection")
        nghttp2_session_callbacks_del(callbacks)
        guard let session else { preconditionFailure("nghttp2 gave no session") }
        self.session = session
        self.box = box
        box.takeUnretainedValue().connection = self
        _ = belfry_h2_greet(session)
    }

    deinit {
        nghttp2_session_del(session)
        box.release()
    }

    /// What nghttp2's callbacks are given.
    fileprivate final class Box {
        weak var connection: SharedConnection?
    }

    private let box: Unmanaged<Box>

    var easy: UnsafeMutableRawPointer { opening.easy }
    var isIdle: Bool { calls.isEmpty }
    /// Whether it is still to be seen what it takes.
    var isNew: Bool { !hasSettings && !isLeaving }

    /// Whether nobody can wait any longer for its first word.
    func isMute(at now: ContinuousClock.Instant) -> Bool { muteUntil.map { $0 <= now } ?? false }

    /// Until when its first word is waited for; `nil` where it has come.
    var muteUntil: ContinuousClock.Instant? { hasSettings ? nil : usedAt + Self.settingsMax }
    var underWay: some Collection<SharedCall> { calls.values }

    /// How many calls may begin now.
    var room: Int {
        // What is begun while the socket is full would be sent nobody knows when.
        guard hasSettings, !isLeaving, !mustWait else { return 0 }
        return max(0, Int(min(belfry_h2_streams_max(session), Self.streamsMax)) - calls.count)
    }

    /// Whether it stood idle for so long that it is better not to be relied on.
    func isStale(at now: ContinuousClock.Instant) -> Bool { calls.isEmpty && now - usedAt > Self.idleMax }

    func leave() { isLeaving = true }

    /// Calls that are to begin anew elsewhere.
    func takeLeftBehind() -> [SharedCall] {
        defer { leftBehind = [] }
        return leftBehind
    }

    /// A call was not answered in time: the server is told that nobody waits for it.
    func giveUp(_ call: SharedCall) {
        guard let stream = calls.first(where: { $0.value === call })?.key else { return }
        _ = belfry_h2_cancel(session, stream)
        timeOutsInARow += 1
        if timeOutsInARow >= Self.timeOutsMax { leave() }
    }

    /// Begins a call, unless its headers cannot be sent: then it is answered.
    func begin(_ call: SharedCall, to place: SharedPlace, at now: ContinuousClock.Instant) {
        usedAt = now
        let fields: RequestFields
        do throws(HTTPFailure) { fields = try RequestFields(call.call, call.path, place) } catch {
            return call.fail(error)
        }
        // Not retained: it stays among the calls until its stream is closed.
        let context = Unmanaged.passUnretained(call).toOpaque()
        let stream = fields.withFields { fields in
            belfry_h2_request(
                session, fields.baseAddress, fields.count, call.call.body.isEmpty ? nil : readBody, context)
        }
        guard stream > 0 else {
            // The connection has no numbers left for streams, or is ending.
            leave()
            if call.mayBeginAnew() { return leftBehind.append(call) }
            return call.lose(String(cString: nghttp2_strerror(stream)))
        }
        call.begin()
        hasBegunAny = true
        calls[stream] = call
    }

    /// Sends what there is to send, as far as the socket takes it; `false` when the connection has ended.
    func send() -> Bool {
        while true {
            if outSent == out.count, !fill() {
                // What breaks the rules is told so, and nothing more is heard of it.
                return nghttp2_session_want_read(session) != 0 || nghttp2_session_want_write(session) != 0
            }
            var count = 0
            let code = out.withUnsafeBytes { bytes in
                curl_easy_send(easy, bytes.baseAddress?.advanced(by: outSent), bytes.count - outSent, &count)
            }
            switch code {
            case CURLE_OK: outSent += count
            case CURLE_AGAIN: return true
            default: return false
            }
        }
    }

    /// Whether the socket is full and there is more to send.
    var mustWait: Bool { outSent < out.count }

    /// Frames, as many as go out together; `false` where there are none.
    private func fill() -> Bool {
        out.removeAll(keepingCapacity: true)
        outSent = 0
        while out.count < Self.outBytes {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count > 0, let bytes else { break }
            out.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        }
        return !out.isEmpty
    }

    /// Takes what has come; `false` when the connection has ended.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        while true {
            var count = 0
            switch curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count) {
            case CURLE_OK where count > 0:
                let taken = nghttp2_session_mem_recv(
                    session, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
                guard taken >= 0 else { return false }
            case CURLE_AGAIN:
                return nghttp2_session_want_read(session) != 0 || nghttp2_session_want_write(session) != 0
            default: return false
            }
        }
    }

    /// It has ended, and with it all calls under way.
    func lose(_ words: String) {
        isLeaving = true
        let lost = calls.values
        calls = [:]
        for call in lost { call.lose(words) }
    }
}

// What nghttp2 calls while it reads and writes, on the pool's thread.
extension SharedConnection {
    fileprivate func call(_ stream: Int32) -> SharedCall? { calls[stream] }

    fileprivate func close(_ stream: Int32, _ code: UInt32) {
        guard let call = calls.removeValue(forKey: stream) else { return }
        if !call.isAnswered { timeOutsInARow = 0 }
        if code == NGHTTP2_REFUSED_STREAM.rawValue, isLeaving, call.mayBeginAnew() { return leftBehind.append(call) }
        call.close(code)
    }

    fileprivate func giveUp(_ stream: Int32) { _ = belfry_h2_cancel(session, stream) }

    fileprivate func meet(_ frame: UnsafePointer<nghttp2_frame>) {
        if belfry_h2_is_settings(frame) != 0 { hasSettings = true }
        if belfry_h2_is_goaway(frame) != 0 { isLeaving = true }
    }
}

private func connection(_ context: UnsafeMutableRawPointer?) -> SharedConnection? {
    context.flatMap { Unmanaged<SharedConnection.Box>.fromOpaque($0).takeUnretainedValue().connection }
}

private let takeField: nghttp2_on_header_callback = { _, frame, name, nameCount, value, valueCount, _, context in
    guard let frame, let connection = connection(context) else { return 0 }
    let stream = frame.pointee.hd.stream_id
    let isTaken = connection.call(stream)?.take(
        name: UnsafeRawBufferPointer(start: name, count: nameCount),
        value: UnsafeRawBufferPointer(start: value, count: valueCount))
    if isTaken == false { connection.giveUp(stream) }
    return 0
}

private let takeData: nghttp2_on_data_chunk_recv_callback = { _, _, stream, bytes, count, context in
    guard let connection = connection(context), let call = connection.call(stream), !call.isTooLarge else { return 0 }
    if !call.take(body: UnsafeRawBufferPointer(start: bytes, count: count)) { connection.giveUp(stream) }
    return 0
}

private let streamClosed: nghttp2_on_stream_close_callback = { _, stream, code, context in
    connection(context)?.close(stream, code)
    return 0
}

private let takeFrame: nghttp2_on_frame_recv_callback = { _, frame, context in
    if let frame { connection(context)?.meet(frame) }
    return 0
}

private let readBody: nghttp2_data_source_read_callback = { _, _, buffer, count, flags, source, _ in
    guard let context = source?.pointee.ptr else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    let call = Unmanaged<SharedCall>.fromOpaque(context).takeUnretainedValue()
    let (read, isLast) = call.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
    if isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return read
}
