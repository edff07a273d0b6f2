/// How far the conversation with a relay is (RFC 5321 §3): what a refusal is about hangs on it. Before the recipient was
/// named, nothing is about them.
enum MailStage: Int, Sendable, Comparable {
    /// The connection and who this machine is.
    case greeting
    case encryption
    case signIn
    /// Whether we may send at all, and from this address.
    case sender
    case recipient
    /// The mail itself.
    case content

    static func < (left: MailStage, right: MailStage) -> Bool { left.rawValue < right.rawValue }

    /// What a command that we send begins; `nil` for one that begins nothing, the later words of a sign-in among them.
    init?(command: UnsafeRawBufferPointer) {
        let words: [(String, MailStage)] = [
            ("EHLO ", .greeting), ("HELO ", .greeting), ("STARTTLS", .encryption), ("AUTH ", .signIn),
            ("MAIL FROM:", .sender), ("RCPT TO:", .recipient), ("DATA\r\n", .content),
        ]
        guard let known = words.first(where: { command.starts(with: $0.0.utf8) }) else { return nil }
        self = known.1
    }
}
