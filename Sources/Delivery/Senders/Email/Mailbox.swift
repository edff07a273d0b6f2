internal import Notices

/// An address of email, and the name beside it.
public struct Mailbox: Sendable, Equatable {
    /// `anna@example.org`
    public let address: String
    public let name: String?
    /// What follows the @.
    var domain: Substring { address[address.index(after: address.lastIndex(of: "@") ?? address.startIndex)...] }

    /// `nil` for what is none. A line end, a bracket or a quote in an address would begin a header or a command of its own.
    public init?(_ address: String, name: String? = nil) {
        let isNamed = name.map { !$0.isEmpty && !$0.unicodeScalars.contains(where: Self.isControl) } ?? true
        guard MailAddress.problem(with: address) == nil, isNamed else { return nil }
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

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
