internal import CCurl

/// A call to a server of http or https.
final class HTTPTransfer: Transfer {
    private var headers = AnswerHeaders()
    private var version = ""
    private let reader: AnswerStream?
    /// Whether the body goes to the reader, who was told of the head.
    private var isRead = false

    init(_ call: HTTPCall) throws(HTTPFailure) {
        reader = call.stream
        super.init(answerBytesMax: call.answerBytesMax)
        guard HTTPAddress(call.url) != nil else { throw HTTPFailure(.badCall, "not a URL of http or https") }
        try setUp(url: call.url, call.patience, call.route, call.deadline)
        try check(belfry_curl_only_http(easy))
        try check(belfry_curl_set_number(easy, CURLOPT_FOLLOWLOCATION, 0))
        // Else `/v1/people/../state` would be another address, and `..` is a person's id.
        try check(belfry_curl_set_number(easy, CURLOPT_PATH_AS_IS, 1))
        if let path = call.socketPath {
            try check(belfry_curl_set_text(easy, CURLOPT_UNIX_SOCKET_PATH, path))
            // A proxy that the environment names has no business with a socket of this machine.
            try check(belfry_curl_set_text(easy, CURLOPT_NOPROXY, "*"))
        }
        // Between the pieces of a stream nothing is sent for as long as nothing happens: a peer that has gone is found out.
        if reader != nil { try check(belfry_curl_keep_alive(easy, Self.keepAliveSeconds)) }
        try setContent(call)
    }

    private static let keepAliveSeconds = 15

    override var stream: AnswerStream? { reader }

    override func take(body bytes: UnsafeRawBufferPointer) -> Taking {
        isRead ? reader?.take(bytes) ?? .refused : super.take(body: bytes)
    }

    override func take(line: UnsafeRawBufferPointer) {
        // Each answer begins with its status line: an interim one's headers are not the answer's.
        guard line.starts(with: "HTTP/".utf8) else {
            headers.add(line: line)
            if let reader, line.allSatisfy({ $0 == 0x0A || $0 == 0x0D }), status == 200, !isRead {
                isRead = true
                reader.meet(headers)
            }
            return
        }
        headers = AnswerHeaders()
        version = String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self)
    }

    /// What came of it, once libcurl says that it is done.
    func result(_ code: CURLcode) -> Result<HTTPAnswer, HTTPFailure> {
        let status = status
        reader?.end(isWhole: code == CURLE_OK)
        if code == CURLE_OK {
            return .success(HTTPAnswer(status: status, headers: headers, body: body, version: version))
        }
        var failure = failure(code)
        // An interim answer (100 to 199) is none.
        if status >= 200 { (failure.status, failure.headers, failure.isConnectionLost) = (status, headers, false) }
        return .failure(failure)
    }

    private func setContent(_ call: HTTPCall) throws(HTTPFailure) {
        switch call.method {
        case .get: try check(belfry_curl_set_number(easy, CURLOPT_HTTPGET, 1))
        case .post, .patch, .delete: try check(belfry_curl_set_number(easy, CURLOPT_POST, 1))
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
        var lines: [String] = []
        // Nobody is asked whether a body is welcome: bodies are small, and the question may cost a second.
        for (name, value) in call.headers + [("Expect", "")] {
            try HTTPCall.check(name, value)
            lines.append(value.isEmpty ? "\(name):" : "\(name): \(value)")
        }
        try check(belfry_curl_set_headers(easy, list(of: lines)))
    }
}

extension HTTPCall: PooledCall {
    func transfer() throws(HTTPFailure) -> HTTPTransfer {
        guard isWanted?() ?? true else { throw HTTPFailure(.cancelled, "nobody wants it any more") }
        return try HTTPTransfer(self)
    }

    static func result(_ transfer: HTTPTransfer, _ code: CURLcode) -> Result<HTTPAnswer, HTTPFailure> {
        transfer.result(code)
    }
}
