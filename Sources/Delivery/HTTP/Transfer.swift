internal import CCurl

/// One call under way: libcurl's handle, and what has come of the answer so far.
///
/// libcurl keeps pointers to it, so it must live until the handle is done. Whoever performs the transfer holds it.
/// Belongs to one thread at a time: a client's caller, or a pool's own.
final class Transfer {
    let easy: UnsafeMutableRawPointer
    private let answerBytesMax: Int
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    /// libcurl writes its words here while the handle lives; it is given back only after the handle.
    private let words: UnsafeMutablePointer<CChar>

    private var headers = AnswerHeaders()
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLarge = false

    private static let headerBytesMax = 64 << 10

    init(_ call: HTTPCall) throws(HTTPFailure) {
        CurlLibrary.start()
        guard HTTPAddress(call.url) != nil else { throw HTTPFailure(.badCall, "not a URL of http or https") }
        guard let easy = curl_easy_init() else { preconditionFailure("libcurl gave no handle") }
        self.easy = easy
        answerBytesMax = call.answerBytesMax
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try setUp(call)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerLines)
        words.deallocate()
    }

    /// What came of it, once libcurl says that it is done.
    func result(_ code: CURLcode) -> Result<HTTPAnswer, HTTPFailure> {
        let status = belfry_curl_status(easy)
        if code == CURLE_OK {
            return .success(HTTPAnswer(status: status, headers: headers, body: body))
        }
        var failure =
            isTooLarge
            ? HTTPFailure(.tooLarge, "more than \(answerBytesMax) bytes")
            : HTTPFailure(code, explanation(code))
        // An interim answer (100 to 199) is none.
        if status >= 200 { (failure.status, failure.headers) = (status, headers) }
        return .failure(failure)
    }

    private func explanation(_ code: CURLcode) -> String {
        let own = String(cString: words)
        return own.isEmpty ? String(cString: curl_easy_strerror(code)) : own
    }
}

extension Transfer {
    private func setUp(_ call: HTTPCall) throws(HTTPFailure) {
        try check(belfry_curl_set_words(easy, words))
        try check(belfry_curl_set_text(easy, CURLOPT_URL, call.url))
        try check(belfry_curl_only_http(easy))
        try check(belfry_curl_set_number(easy, CURLOPT_FOLLOWLOCATION, 0))
        // Signals would reach whatever thread they like.
        try check(belfry_curl_set_number(easy, CURLOPT_NOSIGNAL, 1))
        try check(belfry_curl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, call.patience.connectMs))
        try check(belfry_curl_set_number(easy, CURLOPT_TIMEOUT_MS, call.patience.totalMs))
        try check(belfry_curl_set_number(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)))
        if let path = call.socketPath {
            try check(belfry_curl_set_text(easy, CURLOPT_UNIX_SOCKET_PATH, path))
            // A proxy that the environment names has no business with a socket of this machine.
            try check(belfry_curl_set_text(easy, CURLOPT_NOPROXY, "*"))
        }
        // Not retained: `self` outlives the handle, which its deinit ends.
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(belfry_curl_set_sinks(easy, takeHeader, takeBody, context))
        try setContent(call)
    }

    private func setContent(_ call: HTTPCall) throws(HTTPFailure) {
        switch call.method {
        case .get: try check(belfry_curl_set_number(easy, CURLOPT_HTTPGET, 1))
        case .post: try check(belfry_curl_set_number(easy, CURLOPT_POST, 1))
        }
        if call.method != .get {
            try check(
                call.body.withUnsafeBytes { bytes in
                    // Without an address libcurl would ask a reader for the body; an empty one has an address too.
                    withUnsafeBytes(of: 0) { none in
                        belfry_curl_set_body(easy, bytes.baseAddress ?? none.baseAddress, bytes.count)
                    }
                })
            try check(belfry_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, call.method.rawValue))
        }
        // Nobody is asked whether a body is welcome: bodies are small, and the question may cost a second.
        for (name, value) in call.headers + [("Expect", "")] {
            let line = value.isEmpty ? "\(name):" : "\(name): \(value)"
            guard !line.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
                throw HTTPFailure(.badCall, "the header \(name) holds a line end")
            }
            guard let longer = curl_slist_append(headerLines, line) else {
                preconditionFailure("out of memory for a header")
            }
            headerLines = longer
        }
        try check(belfry_curl_set_headers(easy, headerLines))
    }

    private func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else { throw HTTPFailure(.badCall, explanation(code)) }
    }

    /// Takes one header line, or refuses to go on.
    fileprivate func take(header bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.headerBytesMax else {
            isTooLarge = true
            return false
        }
        let line = String(decoding: bytes, as: UTF8.self)
        // Each answer begins with its status line: an interim one's headers are not the answer's.
        if line.hasPrefix("HTTP/") { headers = AnswerHeaders() } else { headers.add(line: line) }
        return true
    }

    fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= answerBytesMax else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }
}

/// libcurl calls these on the thread that performs the transfer, which is the one that holds it.
private let takeHeader: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes, size, count, context in
    guard let context else { return 0 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.take(header: UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

private let takeBody: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes, size, count, context in
    guard let context else { return 0 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.take(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}
