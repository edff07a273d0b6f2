/// An address of email, and the name beside it.
public struct Mailbox: Sendable, Equatable {
    /// `anna@example.org`
    public let address: String
    public let name: String?
    /// What follows the @.
    var domain: Substring { address[address.index(after: address.lastIndex(of: "@") ?? address.startIndex)...] }

    /// RFC 5321 §4.5.3.1.
    private static let localBytesMax = 64
    private static let domainBytesMax = 255

    /// `nil` for what is none. A line end, a bracket or a quote in an address would begin a header or a command of its own.
    public init?(_ address: String, name: String? = nil) {
        guard let at = address.lastIndex(of: "@") else { return nil }
        let (local, domain) = (address[..<at], address[address.index(after: at)...])
        let isNamed = name.map { !$0.isEmpty && !$0.unicodeScalars.contains(where: Self.isControl) } ?? true
        guard (1...Self.localBytesMax).contains(local.utf8.count), Self.isDotAtom(local),
            (1...Self.domainBytesMax).contains(domain.utf8.count), Self.isDomain(domain), isNamed
        else { return nil }
        self.address = address
        self.name = name
    }

    /// `Name <address>`, `"Name" <address>` or the address alone, as the senders' document writes it.
    public init?(written text: String) {
        guard text.hasSuffix(">"), let open = text.lastIndex(of: "<") else {
            self.init(text.trimmed)
            return
        }
        var name = text[..<open].trimmed
        if name.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") { name = String(name.dropFirst().dropLast()) }
        self.init(String(text[text.index(after: open)...].dropLast()), name: name.isEmpty ? nil : name)
    }

    /// Letters beyond ASCII are taken in the local part only where the relay speaks SMTPUTF8, which is not asked here: such
    /// addresses are refused, with a clear word, rather than sent to somebody else.
    private static func isDotAtom(_ local: Substring) -> Bool {
        local.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { isLetterOrDigit($0) || atomBytes.contains($0) }
        }
    }

    /// A name; an address in brackets leads past every rule of the relay, and is none.
    private static func isDomain(_ domain: Substring) -> Bool {
        domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }

    private static let atomBytes = Set("!#$%&'*+-/=?^_`{|}~".utf8)

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
