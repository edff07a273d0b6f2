/// Which addresses mail can be sent to: those of RFC 5321 in ASCII, without quoted local parts and addresses in brackets.
public enum MailAddress {
    /// RFC 5321 §4.5.3.1.
    private static let localBytesMax = 64
    private static let domainBytesMax = 255

    /// A phrase to follow the field's name; `nil` for one that is good.
    public static func problem(with address: String) -> String? {
        guard let at = address.lastIndex(of: "@") else { return "has no @" }
        let (local, domain) = (address[..<at], address[address.index(after: at)...])
        guard local.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "has letters beyond ASCII before the @, which most mail relays do not take"
        }
        guard domain.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "has letters beyond ASCII after the @; write the domain as mail servers know it (xn--…)"
        }
        guard (1...localBytesMax).contains(local.utf8.count), isDotAtom(local) else {
            return "has something before the @ that is no name of a mailbox"
        }
        guard (1...domainBytesMax).contains(domain.utf8.count), isDomain(domain) else {
            return "has something after the @ that is no domain"
        }
        return nil
    }

    private static func isDotAtom(_ local: Substring) -> Bool {
        local.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { $0.isLetterOrDigit || atomBytes.contains($0) }
        }
    }

    /// A name; an address in brackets leads past every rule of the relay, and is none.
    private static func isDomain(_ domain: Substring) -> Bool {
        domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
        }
    }

    private static let atomBytes = Set("!#$%&'*+-/=?^_`{|}~".utf8)
}
