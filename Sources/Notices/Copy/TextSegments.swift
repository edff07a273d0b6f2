/// How mobile networks carry a text: in segments, of which every one is paid for.
public enum TextSegments {
    public enum Alphabet: Equatable, Sendable {
        case gsm7, ucs2

        /// What ends a text that was cut: "…" would turn a text of GSM 7 into one of UCS-2, which has half the room.
        public var ellipsis: String { self == .gsm7 ? "..." : "…" }
    }

    /// 160 characters of GSM 7, 153 where there are more segments than one; 70 and 67 of UCS-2.
    public static func measure(_ text: String) -> (alphabet: Alphabet, segments: Int) {
        let widths = text.unicodeScalars.map { GSMAlphabet.width(of: $0) }
        if widths.allSatisfy({ $0 > 0 }) {
            let septets = widths.reduce(0, +)
            return (.gsm7, septets <= 160 ? 1 : segments(of: widths, room: 153))
        }
        let units = text.utf16.count
        // A pair of surrogates is not parted between two segments.
        return (.ucs2, units <= 70 ? 1 : segments(of: text.unicodeScalars.map { $0.value > 0xFFFF ? 2 : 1 }, room: 67))
    }

    private static func segments(of widths: [Int], room: Int) -> Int {
        var (segments, used) = (1, 0)
        for width in widths {
            if used + width > room { (segments, used) = (segments + 1, 0) }
            used += width
        }
        return segments
    }

    /// A title and what follows it as one text.
    public static func joined(_ title: String, _ body: String) -> String {
        title.isEmpty || body.isEmpty ? title + body : "\(title)\n\(body)"
    }

    /// A title and a body that fit one segment where they can, and are no longer than `most` where they are of UCS-2: one
    /// segment of it would hold a sentence at best.
    static func clipped(_ title: String, _ body: String, to most: (title: Int, body: Int)) -> (
        title: String, body: String
    ) {
        let (alphabet, segments) = measure(joined(title, body))
        guard segments > 1 else { return (title, body) }
        let head = Plain.clipped(title, to: most.title, alphabet.ellipsis)
        guard alphabet == .gsm7 else { return (head, Plain.clipped(body, to: most.body)) }
        var (low, high) = (0, body.count)
        while low < high {
            let middle = (low + high + 1) / 2
            let fits = measure(joined(head, Plain.clipped(body, to: middle, alphabet.ellipsis))).segments == 1
            if fits { low = middle } else { high = middle - 1 }
        }
        return (head, Plain.clipped(body, to: low, alphabet.ellipsis))
    }
}

/// The alphabet of GSM 03.38 that every phone has.
enum GSMAlphabet {
    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
            + "abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    private static let extended = Set("\u{0C}^{}\\[~]|€".unicodeScalars)

    /// Septets a character takes; 0 where it is none of the alphabet.
    static func width(of scalar: Unicode.Scalar) -> Int {
        basic.contains(scalar) ? 1 : extended.contains(scalar) ? 2 : 0
    }
}
