internal import CCurl

/// A mail under way to its relay.
final class MailTransfer: Transfer {
    private let bytes: [UInt8]
    private var sent = 0
    /// The last reply's line.
    private var line = ""
    /// The last that refused: libcurl takes its leave after that, and the relay answers politely.
    private var refusal = ""

    init(_ call: MailCall) throws(HTTPFailure) {
        bytes = if case .mail(let envelope) = call.errand { envelope.bytes } else { [] }
        super.init(answerBytesMax: 0)
        let relay = call.relay
        try check(relay.greeting)
        try setUp(
            url: "\(relay.address.url)/\(relay.greeting)", call.patience, HTTPCall.Route(caFile: relay.caFile),
            call.deadline)
        // Never in the clear, whatever the relay offers; but on this machine, without a password, nobody listens.
        let isInTheClear = relay.address.isOfThisMachine && relay.user == nil
        try check(
            belfry_curl_set_number(
                easy, CURLOPT_USE_SSL, isInTheClear ? Int(CURLUSESSL_NONE.rawValue) : Int(CURLUSESSL_ALL.rawValue)))
        if let user = relay.user, let password = relay.password {
            try check(belfry_curl_set_text(easy, CURLOPT_USERNAME, user))
            try check(belfry_curl_set_text(easy, CURLOPT_PASSWORD, password))
        }
        switch call.errand {
        case .mail(let envelope): try carry(envelope)
        case .greeting: try check(belfry_curl_set_greeting(easy))
        }
    }

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

    override func take(line: String) {
        self.line = line.trimmed
        if line.hasPrefix("4") || line.hasPrefix("5") { refusal = self.line }
    }

    func result(_ code: CURLcode) -> Result<MailReply, HTTPFailure> {
        if isTooLate(code) { return .failure(failure(code)) }
        let status = status
        // Where a relay refuses, libcurl says only that it could not send. A status before the last word (354) is none.
        if code == CURLE_OK {
            return .success(MailReply(status: 250, queueID: MailReplyLine.queueID(line)))
        }
        if (400...599).contains(status) {
            let isRefusal = refusal.hasPrefix("\(status)")
            return .success(MailReply(status: status, enhanced: isRefusal ? MailReplyLine.enhanced(refusal) : nil))
        }
        return .failure(failure(code))
    }

    /// A relay may take its time over sender and recipient too. A mail whose end never came is none (RFC 5321 §4.1.1.4).
    fileprivate func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
        guard isInTime() else { return Int(CURL_READFUNC_ABORT) }
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
