/// Base64 (RFC 4648): the standard alphabet (§4), in which webhooks write secrets and signatures, and the one for URLs
/// (§5) without padding, in which tokens are written.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let alphabetOfURLs = alphabet.map { byte in
        byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
    }
    private static let padding = UInt8(ascii: "=")

    static func encode(_ bytes: [UInt8]) -> String { encode(bytes, alphabet, isPadded: true) }

    static func encodeURL(_ bytes: [UInt8]) -> String { encode(bytes, alphabetOfURLs, isPadded: false) }

    /// `nil` for anything but whole groups of the alphabet. The padding may be left out.
    ///
    /// - Parameter mayEndOddly: whether the last digit may hold bits that belong to no byte (RFC 4648 §3.5). Otherwise bytes
    ///   are written in one way only: what is signed cannot be changed and still be right.
    static func decode(_ text: some StringProtocol, mayEndOddly: Bool = false) -> [UInt8]? {
        decode(text, alphabet, mayEndOddly)
    }

    static func decodeURL(_ text: some StringProtocol) -> [UInt8]? { decode(text, alphabetOfURLs, false) }

    private static func encode(_ bytes: [UInt8], _ alphabet: [UInt8], isPadded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(3 - group.count) * 8
            for place in 0..<4 {
                let six = Int(bits >> UInt32(18 - place * 6) & 63)
                if place <= group.count { text.append(alphabet[six]) } else if isPadded { text.append(padding) }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func decode(
        _ text: some StringProtocol, _ alphabet: [UInt8], _ mayEndOddly: Bool
    ) -> [UInt8]? {
        var digits = Array(text.utf8)
        if digits.count % 4 == 0 { for _ in 0..<2 where digits.last == padding { digits.removeLast() } }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        for (index, digit) in digits.enumerated() {
            guard let six = alphabet.firstIndex(of: digit) else { return nil }
            bits = bits << 6 | UInt32(six)
            // A byte is whole with the second, third and fourth digit of a group.
            let spare = UInt32(6 - 2 * (index % 4))
            if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> spare)) }
        }
        let spare = UInt32(digits.count % 4 == 0 ? 0 : 8 - 2 * (digits.count % 4))
        guard mayEndOddly || bits & (1 << spare - 1) == 0 else { return nil }
        return bytes
    }
}
