/// A text as mobile networks carry it: in segments, of which every one is paid for.
struct SMSText: Equatable {
    enum Alphabet: Equatable { case gsm7, ucs2 }

    let text: String
    let alphabet: Alphabet
    let segments: Int

    /// Control characters but the line end are blanks, and what exceeds `segmentsMax` is cut at a character.
    init(_ text: String, segmentsMax: Int = Self.segmentsMax) {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            plain.append(Mailbox.isControl(scalar) && scalar != "\n" ? " " : scalar)
        }
        var characters = Array(String(plain))
        var (alphabet, segments) = Self.measure(String(characters))
        if segments > segmentsMax {
            // Cut by halves: a text of one character is one segment.
            var (low, high) = (0, characters.count)
            while low + 1 < high {
                let middle = (low + high) / 2
                let fits = Self.measure(String(characters[..<middle]) + Self.ellipsis(alphabet)).segments <= segmentsMax
                if fits { low = middle } else { high = middle }
            }
            characters = characters[..<low] + Array(Self.ellipsis(alphabet))
            (alphabet, segments) = Self.measure(String(characters))
        }
        self.text = String(characters)
        self.alphabet = alphabet
        self.segments = segments
    }

    /// A provider takes ten; nobody reads, or wants to pay, that many for a notice.
    static let segmentsMax = 4

    /// "…" would turn a text of GSM 7 into one of UCS-2, which has half the room.
    private static func ellipsis(_ alphabet: Alphabet) -> String { alphabet == .gsm7 ? "..." : "…" }

    /// 160 characters of GSM 7, 153 where there are more segments than one; 70 and 67 of UCS-2.
    static func measure(_ text: String) -> (alphabet: Alphabet, segments: Int) {
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
