internal import CivilTime
internal import Hashing
internal import Notices

/// A job as a mail: composed here byte for byte, so that the same job is the same mail whenever it is sent.
struct EmailMessage {
    /// What goes to the relay.
    struct Envelope: Equatable {
        var sender: String
        var recipient: String
        /// Lines end in CR LF; the relay's client sees to lines that begin with a dot.
        var bytes: [UInt8]
    }

    let order: Order
    let from: Mailbox
    /// Where bounces go, if the relay gives them back by mail.
    var bounceDomain: String?
    /// What people reach of Belfry, without a slash at its end.
    let publicURL: String
    let secret: [UInt8]
    /// Why this kind cannot be stopped, if it cannot (`N6`).
    var lockedReason: String?
    /// Who reports of mails and names their jobs by a header of its own.
    var reporters: Set<MailReporter> = []

    func envelope(to recipient: Mailbox) -> Envelope {
        let sender = bounceDomain.map { "\(MailID.bounces)\(JobToken.text(order.place, secret: secret))@\($0)" }
        return Envelope(sender: sender ?? from.address, recipient: recipient.address, bytes: bytes(to: recipient))
    }

    private func bytes(to recipient: Mailbox) -> [UInt8] {
        let name = MessageNames.uuid(order.id, for: recipient.address)
        // The same whenever it is sent, so that mailboxes show it once; and relays' reports name it.
        let id = "\(JobToken.text(order.place, secret: secret)).\(name)"
        let boundary = "=_\(name)"
        let parts = [("text/plain", plainText), ("text/html", html)]
        var mail = Array(header(to: recipient, id: id, boundary: boundary).utf8)
        for (type, text) in parts {
            mail += Array(
                """
                --\(boundary)\r\nContent-Type: \(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n
                """.utf8)
            mail += QuotedPrintable.encode(text)
        }
        return mail + Array("--\(boundary)--\r\n".utf8)
    }

    private func header(to recipient: Mailbox, id: String, boundary: String) -> String {
        [
            HeaderField.token("Date", MailDate.text(order.at)), HeaderField.mailbox("From", from),
            HeaderField.mailbox("To", recipient), HeaderField.text("Subject", order.job.title.text),
            HeaderField.token("Message-ID", "<\(id)@\(from.domain)>"), HeaderField.token("MIME-Version", "1.0"),
            HeaderField.token("Content-Type", "multipart/alternative; boundary=\"\(boundary)\""),
            // Nobody's absence note answers it (RFC 3834).
            HeaderField.token("Auto-Submitted", "auto-generated"), jobFields, stopFields,
        ].joined() + "\r\n"
    }

    private var jobFields: String {
        let token = JobToken.text(order.place, secret: secret)
        return MailReporter.allCases.filter(reporters.contains).map { $0.field(token) }.joined()
    }

    private var stopFields: String {
        guard let stopLink else { return "" }
        // Not folded: some readers take the first line for the whole.
        return StopLink.fields(stopLink).map { "\($0.name): \($0.value)\r\n" }.joined()
    }

    private var stopLink: String? {
        StopLink(of: order, isLocked: lockedReason != nil)?.url(at: publicURL, secret: secret)
    }

    private var page: String? { WebPushMessage.page(of: order, or: nil) }

    private var plainText: String {
        var paragraphs = [order.job.title.text, order.job.body.text].filter { !$0.isEmpty }
        if let page { paragraphs.append(page) }
        var foot = ["--"]
        if let lockedReason { foot.append(lockedReason) }
        if let link = stopLink {
            foot.append(lockedReason == nil ? "Stop these emails: \(link)" : "Stop other emails: \(link)")
        }
        if foot.count > 1 { paragraphs.append(foot.joined(separator: "\n")) }
        return paragraphs.joined(separator: "\n\n")
    }

    private var html: String {
        var parts = ["<!doctype html>", "<html><head><meta charset=\"utf-8\"></head>", "<body>"]
        let title = HTMLText.escaped(order.job.title.text)
        if !title.isEmpty { parts.append("<h1 style=\"font-size:1.25em\">\(title)</h1>") }
        for paragraph in order.job.body.text.split(whereSeparator: \.isNewline) {
            parts.append("<p>\(HTMLText.escaped(paragraph))</p>")
        }
        if let page { parts.append("<p><a href=\"\(HTMLText.escaped(page))\">\(HTMLText.escaped(page))</a></p>") }
        if let lockedReason { parts.append("<p style=\"color:#666\">\(HTMLText.escaped(lockedReason))</p>") }
        if let link = stopLink {
            let words = lockedReason == nil ? "Stop these emails" : "Stop other emails"
            parts.append("<p style=\"color:#666\"><a href=\"\(HTMLText.escaped(link))\">\(words)</a></p>")
        }
        return (parts + ["</body></html>"]).joined(separator: "\n")
    }
}

/// An instant as mail writes it: `Mon, 02 Mar 2026 14:00:00 +0000`.
enum MailDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// 1970 began on a Thursday.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    static func text(_ instant: Instant) -> String {
        // 2026-03-02T14:00:00.000Z
        let written = Array(instant.description)
        func part(_ range: Range<Int>) -> String { String(written[range]) }
        let days = (instant.wholeSeconds / 86_400) % 7
        let weekday = weekdays[Int(days < 0 ? days + 7 : days)]
        let month = months[(Int(part(5..<7)) ?? 1) - 1]
        return "\(weekday), \(part(8..<10)) \(month) \(part(0..<4)) \(part(11..<19)) +0000"
    }
}

/// A relay that gives back what a header of its own says, where its reports do not name the Message-ID: Postmark gives a mail another,
/// and SendGrid leaves it out of complaints.
enum MailReporter: Sendable, CaseIterable {
    case postmark, sendGrid

    fileprivate func field(_ token: String) -> String {
        switch self {
        case .postmark: HeaderField.token("X-PM-Metadata-job", token)
        case .sendGrid:
            HeaderField.token("X-SMTPAPI", #"{"unique_args": {"\#(SendGridReports.argument)": "\#(token)"}}"#)
        }
    }
}
