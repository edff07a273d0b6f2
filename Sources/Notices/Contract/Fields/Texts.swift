internal import CivilTime

/// A piece of text with a rule about what it may be. Conforming types differ only in that rule.
public protocol TextValue: SealedValue, Startable, Hashable, CustomStringConvertible {
    var text: String { get set }
    init(_ text: String)
    /// `utf8` is never empty of meaning to the rule: an empty text is given too.
    static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool
    /// What is said of one that is refused, where people are shown it as it is; `nil` for the usual words.
    static var complaint: String? { get }
}

extension TextValue {
    public static var protoType: String { "string" }
    public static var start: Self { Self("") }
    public static var complaint: String? { nil }

    /// Whether a text may be such a value.
    public static func isAccepted(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { accepts(UnsafeRawBufferPointer($0)) }
    }

    public static var isLengthDelimited: Bool { true }
    public var description: String { text }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) { buffer.appendText(number, text) }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        guard type == .bytes else { throw .wrongWireType(field: 0) }
        text = try reader.text()
    }

    public func writeJSON(into buffer: inout ByteBuffer) { buffer.appendJSONString(text) }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        if let plain = node.plainBytes {
            guard Self.accepts(plain) else { throw Self.objection(to: node) }
            text = String(decoding: plain, as: UTF8.self)
            return
        }
        guard var given = node.string, given.withUTF8({ Self.accepts(UnsafeRawBufferPointer($0)) }) else {
            throw Self.objection(to: node)
        }
        text = given
    }

    private static func objection(to node: JSONNode) -> FieldError {
        complaint.map { FieldError($0) } ?? refusal(node)
    }
}

/// The name of a person, fact, goal, conversation, kind or subject (SPEC §2).
public struct Identifier: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static let bytesMax = 128
    public static var allowed: String { "an id (1 to 128 characters of A-Z a-z 0-9 . _ : @ -)" }
    public static var sample: Identifier { Identifier("sample:1") }

    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool {
        !utf8.isEmpty && utf8.count <= bytesMax && utf8.allSatisfy(isIdentifierByte)
    }

    static func isIdentifierByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte == UInt8(ascii: "@") || byte == UInt8(ascii: "-")
    }
}

/// The readable name of a notice or job, made of ids: `anna/check_in/2026-03-02T09:00~1` (SPEC §12).
public struct NoticeName: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var allowed: String { "the id of a notice or job, such as anna/check_in/2026-03-02T09:00" }
    public static var sample: NoticeName { NoticeName("anna/check_in/2026-03-02T09:00") }

    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool {
        !utf8.isEmpty && utf8.count <= 512
            && utf8.allSatisfy {
                Identifier.isIdentifierByte($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "#")
                    || $0 == UInt8(ascii: "~")
            }
    }
}

/// Words for people: a title, a body, a reason.
public struct Text: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var allowed: String { "a text of at most 4096 bytes" }
    public static var sample: Text { Text("Prêt pour « demain » ?") }
    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool { utf8.count <= 4096 }
}

/// An opaque value that a provider or device gave: a push token, a message id, a URL.
public struct Token: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var allowed: String { "a text of 1 to 4096 printable characters without spaces" }
    public static var sample: Token { Token("f3a9c1d2") }
    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool {
        !utf8.isEmpty && utf8.count <= 4096 && utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}

/// What someone wrote to someone. It is never written down and never shown in a message (`A1`).
public struct PrivateText: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var allowed: String { "a text of at most 65536 bytes" }
    public static var isPrivate: Bool { true }
    public static var sample: PrivateText { PrivateText("") }
    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool { utf8.count <= 65536 }
}

/// A six-digit code as someone typed it. Any digits are taken, so that a slip is a wrong code and not an error.
public struct PhoneCode: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var allowed: String { "a code of 1 to 12 digits" }
    public static var isPrivate: Bool { true }
    public static var sample: PhoneCode { PhoneCode("") }
    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool {
        !utf8.isEmpty && utf8.count <= 12 && utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
}

/// The name of a time zone. Its form is checked here, that the zone exists where the tz database is at hand.
public struct ZoneName: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var allowed: String { "an IANA time zone such as Europe/Paris" }
    public static var sample: ZoneName { ZoneName("Europe/Paris") }
    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool {
        guard !utf8.isEmpty, utf8.count <= 64, let first = utf8.first, first != UInt8(ascii: "/") else { return false }
        return utf8.allSatisfy {
            $0.isLetterOrDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: "/")
        }
    }
}

/// An address with one `@`, something on both sides of it, and no spaces. Only delivery proves more.
public struct EmailAddress: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var allowed: String { "an email address" }
    public static var sample: EmailAddress { EmailAddress("anna@example.com") }
    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool {
        guard utf8.count <= 254, utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
        let parts = utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }
}

/// A telephone number in E.164: `+` and 7 to 15 digits, the first not 0 (SPEC §11).
public struct PhoneNumber: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var allowed: String { "a phone number in international form, such as +14155550123" }
    public static var sample: PhoneNumber { PhoneNumber("+14155550123") }
    public static var complaint: String? {
        "This phone number format is invalid; write it as + and 7 to 15 digits, such as +14155550123"
    }
    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool {
        guard utf8.count >= 8, utf8.count <= 16, utf8[0] == UInt8(ascii: "+"), utf8[1] != UInt8(ascii: "0") else {
            return false
        }
        return utf8.dropFirst().allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
}

/// A slot's nominal date and time, `2026-03-02T09:00` (`T8`).
public struct LocalSlot: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var protoNote: String? { "local date and time, YYYY-MM-DDTHH:MM" }
    public static var allowed: String { "a local date and time such as 2026-03-02T09:00" }
    public static var sample: LocalSlot { LocalSlot("2026-03-02T09:00") }
    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool {
        SlotWord(String(decoding: utf8, as: UTF8.self)) != nil
    }
}

/// The last four digits of a phone number, which is all that decisions say of it.
public struct PhoneTail: TextValue {
    public var text: String
    public init(_ text: String) { self.text = text }
    public static var allowed: String { "the last 4 digits of a phone number" }
    public static var sample: PhoneTail { PhoneTail("0123") }
    public static func accepts(_ utf8: UnsafeRawBufferPointer) -> Bool {
        utf8.count == 4 && utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
}
