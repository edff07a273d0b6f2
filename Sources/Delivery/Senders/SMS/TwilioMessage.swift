internal import CivilTime
internal import Notices

/// A job as Twilio takes it.
struct TwilioMessage {
    /// Who sends: a number, or the service that picks one.
    enum Sender: Equatable, Sendable {
        case number(String)
        case service(String)

        /// `nil` for what is neither.
        init?(_ text: String) {
            if text.hasPrefix("MG"), TwilioMessage.isSID(text) {
                self = .service(text)
            } else if TwilioMessage.isE164(text) || TwilioMessage.isShortCode(text) || TwilioMessage.isName(text) {
                self = .number(text)
            } else {
                return nil
            }
        }
    }

    let order: Order
    let sender: Sender
    /// Where Twilio is to tell what became of it.
    var statusCallback: String?

    /// Twilio keeps a message for ten hours at most.
    private static let validitySecondsMax = 36_000

    /// - Parameter authorization: the value of `Authorization` (Basic).
    func request(
        to phone: String, origin: String, account: String, authorization: String, at now: Instant
    ) throws(MessageObjection) -> ProviderRequest {
        try Self.request(
            text.text, to: phone, sender: sender, statusCallback: statusCallback,
            validForSeconds: Int(Lifetime(order).seconds(at: now)), origin: origin, account: account,
            authorization: authorization)
    }

    static func request(
        _ text: String, to phone: String, sender: Sender, statusCallback: String? = nil, validForSeconds: Int,
        origin: String, account: String, authorization: String
    ) throws(MessageObjection) -> ProviderRequest {
        guard isE164(phone) else { throw .badAddress("the number is not written as E.164 (+14155550100)") }
        var fields = [("To", phone)]
        switch sender {
        case .number(let number): fields.append(("From", number))
        case .service(let service): fields.append(("MessagingServiceSid", service))
        }
        fields.append(("Body", text))
        if let statusCallback { fields.append(("StatusCallback", statusCallback)) }
        fields.append(("ValidityPeriod", "\(min(max(validForSeconds, 1), validitySecondsMax))"))
        return ProviderRequest(
            url: "\(origin)/2010-04-01/Accounts/\(account)/Messages.json",
            headers: [("Authorization", authorization), ("Content-Type", "application/x-www-form-urlencoded")],
            body: FormEncoding.bytes(fields))
    }

    /// A text has no title: it stands in front.
    var text: SMSText {
        SMSText(TextSegments.joined(order.job.title.text, order.job.body.text))
    }

    /// `+` and 7 to 15 digits, the first of which is no 0.
    static func isE164(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.hasPrefix("+") && (7...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
            && digits.allSatisfy(isDigit)
    }

    static func isSID(_ text: String) -> Bool {
        text.utf8.count == 34
            && text.utf8.dropFirst(2).allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }

    private static func isShortCode(_ text: String) -> Bool {
        (5...6).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit)
    }

    /// An alphanumeric sender: at most 11 characters, one of which is a letter.
    private static func isName(_ text: String) -> Bool {
        (1...11).contains(text.utf8.count) && text.contains { $0.isLetter }
            && text.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == 0x20 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

/// `application/x-www-form-urlencoded`.
enum FormEncoding {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func bytes(_ fields: [(String, String)]) -> [UInt8] {
        var form: [UInt8] = []
        for (name, value) in fields {
            if !form.isEmpty { form.append(UInt8(ascii: "&")) }
            append(name, to: &form)
            form.append(UInt8(ascii: "="))
            append(value, to: &form)
        }
        return form
    }

    private static func append(_ text: String, to form: inout [UInt8]) {
        for byte in text.utf8 {
            if plain.contains(byte) {
                form.append(byte)
            } else {
                form += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }
}
