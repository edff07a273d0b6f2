internal import CCurl

/// A mail under way to its relay.
final class MailTransfer: Transfer {
    private let bytes: [UInt8]
    private var sent = 0
    /// The last reply's line.
    private var line = ""
    /// The last that refused: libcurl takes its leave after that, and the relay answers politely.
    private var refusal = ""
    /// How far the conversation was when that came.
    private var refusedAt = MailStage.greeting
    private var stage = MailStage.greeting
    private let mustSignIn: Bool
    /// Whether the relay of a new connection was greeted, and then shown who we are. One that was used before knows us.
    private var (hasGreeted, hasSignedIn) = (false, false)

    init(_ call: MailCall) throws(HTTPFailure) {
        bytes = if case .mail(let envelope) = call.errand { envelope.bytes } else { [] }
        let relay = call.relay
        mustSignIn = relay.user != nil && relay.password != nil
        super.init(answerBytesMax: 0)
        try check(relay.greeting)
        try setUp(
            url: "\(relay.address.url)/\(relay.greeting)", call.patience, HTTPCall.Route(caFile: relay.caFile),
            call.deadline)
        // Never in the clear, whatever the relay offers; but on this machine, without a password, nobody listens, and what relays
        // there have for a certificate is mostly nobody's. Who names an authority wants it asked.
        let isInTheClear = relay.address.isOfThisMachine && relay.user == nil && relay.caFile == nil
        try check(
            belfry_curl_set_number(
                easy, CURLOPT_USE_SSL, isInTheClear ? Int(CURLUSESSL_NONE.rawValue) : Int(CURLUSESSL_ALL.rawValue)))
        if call.isOnNewConnection { try check(belfry_curl_set_number(easy, CURLOPT_FRESH_CONNECT, 1)) }
        if let user = relay.user, let password = relay.password {
            try check(belfry_curl_set_text(easy, CURLOPT_USERNAME, user))
            try check(belfry_curl_set_text(easy, CURLOPT_PASSWORD, password))
        }
        // Of an answer to a farewell too, which no other limit ends.
        let seconds = max(1, (call.patience.totalMs + 999) / 1000)
        try check(belfry_curl_set_number(easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, seconds))
        try check(belfry_curl_listen(easy, hearCommand, Unmanaged.passUnretained(self).toOpaque()))
        if mustSignIn { _ = try askBeforeRequest() }
        switch call.errand {
        case .mail(let envelope): try carry(envelope)
        case .greeting: try check(belfry_curl_set_greeting(easy))
        }
    }

    // What libcurl still says while the handle ends would be said to what is no more.
    deinit { _ = belfry_curl_set_number(easy, CURLOPT_VERBOSE, 0) }

    private func carry(_ envelope: EmailMessage.Envelope) throws(HTTPFailure) {
        try check(envelope.sender)
        try check(envelope.recipient)
        try check(belfry_curl_set_text(easy, CURLOPT_MAIL_FROM, "<\(envelope.sender)>"))
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(
            belfry_curl_set_mail(easy, list(of: ["<\(envelope.recipient)>"]), bytes.count, giveBytes, context))
    }

    /// No line end, no bracket: an address is checked when it is read (`Mailbox`), and here again.
    private func check(_ word: String) throws(HTTPFailure) {
        guard word.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3C && $0 != 0x3E }) else {
            throw HTTPFailure(.badCall, "an address holds a blank, a line end or a bracket")
        }
    }

    override func take(line bytes: UnsafeRawBufferPointer) {
        line = String(decoding: bytes, as: UTF8.self).trimmed
        if let first = bytes.first, first == UInt8(ascii: "4") || first == UInt8(ascii: "5") {
            (refusal, refusedAt) = (line, stage)
        }
    }

    /// A command has been sent. Of a sign-in's no more is looked at than its first word.
    fileprivate func hear(command: UnsafeRawBufferPointer) {
        guard let next = MailStage(command: command) else { return }
        stage = next
        switch next {
        case .greeting: hasGreeted = true
        case .signIn: hasSignedIn = true
        case .encryption, .sender, .recipient, .content: break
        }
    }

    /// libcurl goes on without signing in where a relay does not offer it.
    override var mayGoOn: Bool { !mustSignIn || !hasGreeted || hasSignedIn }

    func result(_ code: CURLcode) -> Result<MailReply, HTTPFailure> {
        if isTooLate(code) { return .failure(failure(code)) }
        if !mayGoOn, code == CURLE_ABORTED_BY_CALLBACK { return .failure(withoutSignIn(code)) }
        if hadHungUp(code) { return .failure(failure(code)) }
        let status = status
        // Where a relay refuses, libcurl says only that it could not send. A status before the last word (354) is none.
        if code == CURLE_OK {
            return .success(MailReply(status: 250, queueID: MailReplyLine.queueID(line)))
        }
        if (400...599).contains(status) {
            let isRefusal = refusal.hasPrefix("\(status)")
            return .success(
                MailReply(
                    status: status, enhanced: isRefusal ? MailReplyLine.enhanced(refusal) : nil,
                    stage: isRefusal ? refusedAt : stage))
        }
        // Of the ways that the relay offers libcurl knows none.
        if mustSignIn, code == CURLE_LOGIN_DENIED { return .failure(withoutSignIn(code)) }
        return .failure(failure(code))
    }

    /// Whether the relay had closed a connection that was kept (421, or without a word), and heard nothing of this mail. Of a refusal
    /// libcurl says the same as of a lost connection, but there is a status.
    private func hadHungUp(_ code: CURLcode) -> Bool {
        let isWithoutWord = !(400...599).contains(status) && HTTPFailure.isConnectionLost(code)
        return !hasGreeted && stage > .greeting && stage < .content && (status == 421 || isWithoutWord)
    }

    override func failure(_ code: CURLcode) -> HTTPFailure {
        var failure = super.failure(code)
        failure.isConnectionLost = hadHungUp(code)
        return failure
    }

    private func withoutSignIn(_ code: CURLcode) -> HTTPFailure {
        var failure = failure(code)
        failure.isWithoutSignIn = true
        return failure
    }

    /// A relay may take its time over sender and recipient too. A mail whose end never came is none (RFC 5321 §4.1.1.4).
    fileprivate func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
        guard isInTime(), mayGoOn else { return Int(CURL_READFUNC_ABORT) }
        let count = min(room.count, bytes.count - sent)
        bytes.withUnsafeBytes { bytes in
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[sent..<sent + count]))
        }
        sent += count
        return count
    }
}

/// libcurl calls it on the thread that performs the transfer, which is the one that holds it.
private let giveBytes: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes, size, count, context in
    guard let context else { return 0 }
    let transfer = Unmanaged<MailTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

private let hearCommand:
    @convention(c) (
        UnsafeMutableRawPointer?, curl_infotype, UnsafeMutablePointer<CChar>?, Int, UnsafeMutableRawPointer?
    )
        -> Int32 = { _, kind, bytes, count, context in
            guard kind == CURLINFO_HEADER_OUT, let context else { return 0 }
            let transfer = Unmanaged<MailTransfer>.fromOpaque(context).takeUnretainedValue()
            transfer.hear(command: UnsafeRawBufferPointer(start: bytes, count: count))
            return 0
        }

extension MailCall: PooledCall {
    func transfer() throws(HTTPFailure) -> MailTransfer { try MailTransfer(self) }

    static func result(_ transfer: MailTransfer, _ code: CURLcode) -> Result<MailReply, HTTPFailure> {
        transfer.result(code)
    }
}

/// One line of a relay: `550 5.1.1 …`.
enum MailReplyLine {
    /// The enhanced status (RFC 3463), if the relay gives one.
    static func enhanced(_ line: String) -> [Int]? {
        let words = line.dropFirst(4).split(separator: " ", maxSplits: 1)
        let numbers = (words.first ?? "").split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard numbers.count == 3, [2, 4, 5].contains(numbers[0]), numbers.allSatisfy({ (0...999).contains($0) }) else {
            return nil
        }
        return numbers
    }

    /// What Postfix and Exim call a mail they took: `250 2.0.0 Ok: queued as 4XyZ`, `250 OK id=1abc`.
    static func queueID(_ line: String) -> String? {
        let words = line.split(separator: " ").map(String.init)
        if let place = words.firstIndex(of: "queued"), words.count > place + 2, words[place + 1] == "as" {
            return ProviderAnswer.providerID(words[place + 2])
        }
        return words.first { $0.hasPrefix("id=") }.flatMap { ProviderAnswer.providerID(String($0.dropFirst(3))) }
    }
}
