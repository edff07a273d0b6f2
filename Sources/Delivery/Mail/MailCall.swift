internal import CCurl

/// A mail to hand to a relay (SMTP submission, RFC 6409), or only the greeting before one.
struct MailCall: Sendable {
    enum Errand: Sendable {
        case mail(EmailMessage.Envelope)
        /// Greeting, encryption, sign-in and farewell: whether the relay would take a mail from us.
        case greeting
    }

    /// The relay and how it is spoken to: the same for every mail of a sender, so that connections are used again.
    struct Relay: Sendable, Equatable {
        /// `smtp://host:587`, or `smtps://host` where the connection begins encrypted.
        var address: MailRelayAddress
        var user: String?
        var password: String?
        /// How this machine names itself.
        var greeting: String
        var caFile: String?
    }

    var relay: Relay
    var errand: Errand
    var patience: HTTPCall.Patience
    /// Until when the mail may be given; `nil` for whenever.
    var deadline: Deadline?
    /// Whether it goes over no connection that was kept.
    var isOnNewConnection = false
}

/// Where a relay is.
struct MailRelayAddress: Sendable, Equatable {
    let url: String
    let host: String
    /// What to write instead, where the port mostly speaks the other way: the two are easily mixed up.
    let doubt: String?

    /// `nil` for anything but `smtp:` or `smtps:` with a host, and for what holds a password.
    init?(_ text: String) {
        let isEncrypted = text.hasPrefix("smtps://")
        guard isEncrypted || text.hasPrefix("smtp://"),
            let address = HTTPAddress("https://" + text.dropFirst(isEncrypted ? 8 : 7)), !address.hasPassword,
            !text.dropFirst(8).contains(where: { "/?#".contains($0) })
        else { return nil }
        url = text
        host = address.host
        doubt =
            switch (isEncrypted, address.origin.split(separator: ":").last) {
            case (false, "465"): "name it smtps://: a connection to port 465 begins encrypted"
            case (true, "587"): "name it smtp://: a connection to port 587 is encrypted behind its greeting (STARTTLS)"
            default: nil
            }
        isOfThisMachine = address.isOfThisMachine
    }

    /// Without a password nothing on the way there needs to be kept from anyone.
    let isOfThisMachine: Bool
}

/// What a relay said in the end.
struct MailReply: Sendable, Equatable {
    /// 250, or 400 to 599 for a refusal.
    var status: Int
    /// RFC 3463: class, subject, detail.
    var enhanced: [Int]?
    /// What the relay calls the mail.
    var queueID: String?
    /// What it answered to.
    var stage = MailStage.recipient
}
