internal import COpenSSL

/// A UUID derived from a name (RFC 9562 §5.5, version 5): the same name has the same UUID everywhere.
public enum NameUUID {
    /// - Parameter space: the 16 bytes of the UUID under which names are told apart.
    public static func text(_ name: String, in space: [UInt8]) -> String {
        precondition(space.count == 16, "a UUID has 16 bytes")
        let named = space + Array(name.utf8)
        var hash = [UInt8](repeating: 0, count: 20)
        precondition(belfry_sha1(named, named.count, &hash) == 1, "libcrypto failed to hash")
        hash[6] = hash[6] & 0x0F | 0x50
        hash[8] = hash[8] & 0x3F | 0x80
        return Hexadecimal.uuid(hash[..<16])
    }
}

/// Bytes as hexadecimal digits.
public enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func text(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (place, byte) in bytes.enumerated() { (text[2 * place], text[2 * place + 1]) = digits(of: byte) }
            return 2 * bytes.count
        }
    }

    /// The 16 bytes of a UUID, as it is written.
    public static func uuid(_ bytes: some Collection<UInt8>) -> String {
        precondition(bytes.count == 16, "a UUID has 16 bytes")
        return String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for (place, byte) in bytes.enumerated() {
                if [4, 6, 8, 10].contains(place) {
                    text[end] = UInt8(ascii: "-")
                    end += 1
                }
                (text[end], text[end + 1]) = digits(of: byte)
                end += 2
            }
            return end
        }
    }

    private static func digits(of byte: UInt8) -> (UInt8, UInt8) {
        (digits[Int(byte >> 4)], digits[Int(byte & 15)])
    }

    /// What `text` made; `nil` for anything else, capital letters among it.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map { byte in Self.digits.firstIndex(of: byte).map { UInt8($0) } }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place], let low = digits[place + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
