internal import Notices

/// A text as mobile networks carry it: in segments, of which every one is paid for.
struct SMSText: Equatable {
    let text: String
    let alphabet: TextSegments.Alphabet
    let segments: Int

    /// Control characters but the line end are blanks, and what exceeds `segmentsMax` is cut at a character.
    init(_ text: String, segmentsMax: Int = Self.segmentsMax) {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            plain.append(Mailbox.isControl(scalar) && scalar != "\n" ? " " : scalar)
        }
        var characters = Array(String(plain))
        var (alphabet, segments) = TextSegments.measure(String(characters))
        if segments > segmentsMax {
            // Cut by halves: a text of one character is one segment.
            var (low, high) = (0, characters.count)
            while low + 1 < high {
                let middle = (low + high) / 2
                let fits =
                    TextSegments.measure(String(characters[..<middle]) + alphabet.ellipsis).segments <= segmentsMax
                if fits { low = middle } else { high = middle }
            }
            characters = characters[..<low] + Array(alphabet.ellipsis)
            (alphabet, segments) = TextSegments.measure(String(characters))
        }
        self.text = String(characters)
        self.alphabet = alphabet
        self.segments = segments
    }

    /// A provider takes ten; nobody reads, or wants to pay, that many for a notice.
    static let segmentsMax = 4
}
