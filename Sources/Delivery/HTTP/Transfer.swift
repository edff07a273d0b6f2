internal import CCurl

/// One call under way: libcurl's handle, and what has come of the answer so far. Each protocol has a kind of its own.
///
/// libcurl keeps pointers to it, so it must live until the handle is done. Whoever performs the transfer holds it.
/// Belongs to one thread at a time: a client's caller, or a pool's own.
class Transfer {
    let easy: UnsafeMutableRawPointer
    private let answerBytesMax: Int
    /// libcurl writes its words here while the handle lives; it is given back only after the handle.
    private let words: UnsafeMutablePointer<CChar>
    /// What libcurl reads while the handle lives: header lines, recipients.
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    /// What must live as long as the handle.
    private var kept: [AnyObject] = []

    private var headerBytes = 0
    private(set) var body: [UInt8] = []
    private var isTooLarge = false
    private var isForbidden = false
    private var deadline: Deadline?
    /// Whether the time to connect was cut to what the deadline leaves.
    private var isCutShort = false
    /// Whether what there is to say has begun to be said.
    private var hasBegun = false
    /// Whether it was not said because its time had passed.
    private var isLate = false

    private static let headerBytesMax = 64 << 10

    init(answerBytesMax: Int) {
        CurlLibrary.start()
        guard let easy = curl_easy_init() else { preconditionFailure("libcurl gave no handle") }
        self.easy = easy
        self.answerBytesMax = answerBytesMax
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
        words.deallocate()
    }

    /// One line of what stands before the body, or one of the replies of a protocol that has no body.
    func take(line: UnsafeRawBufferPointer) {}

    /// Whether the protocol has nothing against going on, now that the connection stands.
    var mayGoOn: Bool { true }

    /// What became of a piece of the body.
    enum Taking { case taken, refused, later }

    /// A piece of the body, which is kept until all of it is there.
    func take(body bytes: UnsafeRawBufferPointer) -> Taking {
        guard body.count + bytes.count <= answerBytesMax else {
            isTooLarge = true
            return .refused
        }
        body.append(contentsOf: bytes)
        return .taken
    }

    /// The answer's reader, where it is read while it comes.
    var stream: AnswerStream? { nil }

    var status: Int { belfry_curl_status(easy) }

    /// Whether the transfer ended because its deadline passed while nothing had been taken.
    func isTooLate(_ code: CURLcode) -> Bool {
        if isLate { return true }
        let isUnsaid = !hasBegun && belfry_curl_sent_something(easy) == 0
        return code == CURLE_OPERATION_TIMEDOUT && isCutShort && isUnsaid
    }

    /// Whether it may still be said. Once it may not, it never may.
    func isInTime() -> Bool {
        isLate = isLate || deadline?.isOver ?? false
        return !isLate
    }

    /// Why there is no answer. Whatever status came is for the protocol to judge.
    func failure(_ code: CURLcode) -> HTTPFailure {
        if isTooLate(code) { return HTTPFailure(.tooLate, explanation(code)) }
        var failure =
            isTooLarge
            ? HTTPFailure(
                .tooLarge, answerBytesMax > 0 ? "more than \(answerBytesMax) bytes" : "more than any answer has")
            : HTTPFailure(code, explanation(code))
        if isForbidden { failure.reason = .forbidden }
        failure.mayHaveArrived = belfry_curl_sent_something(easy) != 0
        failure.isConnectionLost = HTTPFailure.isConnectionLost(code)
        return failure
    }

    private func explanation(_ code: CURLcode) -> String {
        let own = String(cString: words)
        return own.isEmpty ? String(cString: curl_easy_strerror(code)) : own
    }
}

extension Transfer {
    func setUp(
        url: String, _ patience: HTTPCall.Patience, _ route: HTTPCall.Route, _ deadline: Deadline?
    ) throws(HTTPFailure) {
        try check(belfry_curl_set_words(easy, words))
        try check(belfry_curl_set_text(easy, CURLOPT_URL, url))
        // Signals would reach whatever thread they like.
        try check(belfry_curl_set_number(easy, CURLOPT_NOSIGNAL, 1))
        try limit(patience, deadline)
        try check(belfry_curl_set_number(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)))
        if let caFile = route.caFile { try check(belfry_curl_set_text(easy, CURLOPT_CAINFO, caFile)) }
        switch route.connections {
        case .kept, .shared: break
        case .single:
            try check(belfry_curl_set_number(easy, CURLOPT_FRESH_CONNECT, 1))
            try check(belfry_curl_set_number(easy, CURLOPT_FORBID_REUSE, 1))
        }
        // Not retained, here and below: `self` outlives the handle, which its deinit ends.
        let context = Unmanaged.passUnretained(self).toOpaque()
        if route.mustBePublic {
            try check(belfry_curl_set_opener(easy, openPublic, context))
            // A proxy would be the one that looks the name up, and its own address would be looked at in place of it.
            try check(belfry_curl_set_text(easy, CURLOPT_NOPROXY, "*"))
        }
        try check(belfry_curl_set_sinks(easy, takeHeader, takeBody, context))
    }

    private func limit(_ patience: HTTPCall.Patience, _ deadline: Deadline?) throws(HTTPFailure) {
        var patience = patience
        if let deadline {
            self.deadline = deadline
            guard isInTime() else { throw HTTPFailure(.tooLate, "its time had passed") }
            let left = deadline.leftMs
            isCutShort = left < min(patience.connectMs, patience.totalMs)
            patience.connectMs = min(patience.connectMs, left)
            // Where nobody is asked the answer has to come in time too.
            if try !askBeforeRequest() { patience.totalMs = min(patience.totalMs, left) }
        }
        try check(belfry_curl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, patience.connectMs))
        try check(belfry_curl_set_number(easy, CURLOPT_TIMEOUT_MS, patience.totalMs))
    }

    /// Has libcurl ask when the connection stands. Whether it does: before 7.80 it asks nobody.
    func askBeforeRequest() throws(HTTPFailure) -> Bool {
        let code = belfry_curl_ask_before_request(easy, mayBegin, Unmanaged.passUnretained(self).toOpaque())
        if code == CURLE_UNKNOWN_OPTION { return false }
        try check(code)
        return true
    }

    /// The connection stands, and the request would be written next.
    fileprivate func begin() -> Bool {
        hasBegun = isInTime() && mayGoOn
        return hasBegun
    }

    /// A list of lines that libcurl reads while the handle lives.
    func list(of lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else { preconditionFailure("out of memory for a line") }
            list = longer
        }
        if let list { lists.append(list) }
        return list
    }

    func keep(_ object: AnyObject) { kept.append(object) }

    func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else { throw HTTPFailure(.badCall, explanation(code)) }
    }

    /// Takes one header line, or refuses to go on.
    fileprivate func take(header bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.headerBytesMax else {
            isTooLarge = true
            return false
        }
        take(line: bytes)
        return true
    }

    fileprivate func mayConnect(to address: NetworkAddress?) -> Bool {
        if address?.isPublic == true { return true }
        isForbidden = true
        return false
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
    return switch transfer.take(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) {
    case .taken: size * count
    case .refused: 0
    case .later: belfry_curl_later
    }
}

private let mayBegin: belfry_curl_gate = { context, _, _, _, _ in
    guard let context else { return 1 }
    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().begin() ? 0 : 1
}

private let openPublic:
    @convention(c) (UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t = {
        context, _, address in
        guard let context, let address else { return belfry_curl_refuse() }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = Int(belfry_curl_address(address, &bytes))
        let known = count > 0 ? NetworkAddress(bytes: Array(bytes[..<count])) : nil
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.mayConnect(to: known) ? belfry_curl_open(address) : belfry_curl_refuse()
    }
