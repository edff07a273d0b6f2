import Notices
import Simulation
import Testing

/// Keywords are found by the numbers of characters; characters compared one by one find the same.
@Suite("Properties of looking for keywords")
struct KeywordSearchTests {
    private static let letters: [String] = [
        "a", "B", "k", "_", "7", ".", ";", "`", "'", "\u{37E}", "\u{1FEF}", "\u{212A}", " ", " ", "\n", "\r\n",
        "\u{A0}",
        "\u{2000}", "\u{1C}", "é", "e\u{301}", "\u{301}", "\u{345}", "ß", "ẞ", "ss", "σ", "ς", "Σ", "İ", "ı", "i", "ǅ",
        "ǆ", "ﬁ", "fi",
        "ΐ", "ŉ", "か\u{3099}", "が", "助", "\u{F900}", "\u{8C48}", "ช่", "က", "ក", "א\u{5B0}\u{591}", "\u{591}", "\u{5B0}",
        "٣", "½", "각", "\u{1100}\u{1161}\u{11A8}", "🚨", "👩\u{200D}👩\u{200D}👧", "\u{200D}", "=\u{338}", "≠", "Å",
        "\u{212B}",
        "\u{0}", "ж", "Ж",
    ]

    /// Of a few letters, so that much is found, or nearly.
    private struct Words {
        var random: SeededRandom
        let alphabet: [String]

        init(_ seed: UInt64, ofASCII: Bool) {
            random = SeededRandom(seed: seed)
            let letters = KeywordSearchTests.letters.filter { !ofASCII || $0.utf8.allSatisfy { $0 < 0x80 } }
            var alphabet: [String] = []
            for _ in 0..<4 { alphabet.append(letters[Int.random(in: letters.indices, using: &random)]) }
            self.alphabet = alphabet
        }

        mutating func word(_ lengths: ClosedRange<Int>) -> String {
            var word = ""
            for _ in 0..<Int.random(in: lengths, using: &random) {
                let letter = alphabet[Int.random(in: alphabet.indices, using: &random)]
                switch Int.random(in: 0..<6, using: &random) {
                case 0: word += letter.uppercased()
                case 1: word += letter.lowercased()
                default: word += letter
                }
            }
            return word
        }
    }

    private func found(_ text: String, _ keywords: [String]) -> [String] {
        var message = MessageReceived()
        message.messageText = PrivateText(text)
        return message.reduced(keywords: keywords).keywords.map(\.text)
    }

    @Test(arguments: 0..<40 as Range<UInt64>) func `the same keywords are found as by comparing characters`(
        seed: UInt64
    ) {
        var foundSome = false
        for round in 0..<40 as Range<UInt64> {
            var words = Words(seed &* 100 &+ round, ofASCII: round.isMultiple(of: 8))
            let text = words.word(0...24)
            let keywords = (0..<20).map { _ in words.word(0...4) }
            let plain = PlainSearch(text)
            let found = found(text, keywords)
            #expect(found == keywords.filter(plain.holds), "\(text.debugDescription): \(keywords.debugDescription)")
            foundSome = foundSome || !found.isEmpty
        }
        #expect(foundSome)
    }

    @Test func `a character is found however it is written, also one of ASCII`() {
        #expect(found("é; \u{1FEF}", ["\u{37E}", "`", "e\u{301}"]) == ["\u{37E}", "`", "e\u{301}"])
        #expect(found("plain; text", ["\u{37E}"]) == ["\u{37E}"])
        #expect(found("\u{37E}", [";"]) == [";"])
    }
}

/// Compares the characters themselves.
private struct PlainSearch {
    private let text: Folded

    init(_ text: String) { self.text = Folded(text) }

    func holds(_ keyword: String) -> Bool {
        let keyword = Folded(keyword)
        if case .ascii(let text) = text, case .ascii(let pattern) = keyword {
            return Self.find(pattern, in: text, space: UInt8(ascii: " "), Self.isWordPart)
        }
        return Self.find(keyword.characters, in: text.characters, space: " ", Self.isWordPart)
    }

    /// Knuth, Morris and Pratt's search: the text is passed over once.
    private static func find<Letter: Equatable>(
        _ keyword: [Letter], in text: [Letter], space: Letter, _ isWordPart: (Letter) -> Bool
    ) -> Bool {
        let pattern = Array(keyword.drop { $0 == space }.reversed().drop { $0 == space }.reversed())
        guard !pattern.isEmpty, pattern.count <= text.count else { return false }
        /// Whether a word goes on from the letter before a place to the one there.
        func isWithinWord(_ place: Int) -> Bool {
            place > 0 && place < text.count && isWordPart(text[place - 1]) && isWordPart(text[place])
        }
        let shorter = borders(of: pattern)
        var matched = 0
        for place in text.indices {
            while matched > 0, pattern[matched] != text[place] { matched = shorter[matched - 1] }
            if pattern[matched] == text[place] { matched += 1 }
            if matched == pattern.count {
                if !isWithinWord(place + 1 - matched), !isWithinWord(place + 1) { return true }
                matched = shorter[matched - 1]
            }
        }
        return false
    }

    /// For each beginning of the pattern, the longest shorter one that it also ends with.
    private static func borders<Letter: Equatable>(of pattern: [Letter]) -> [Int] {
        var borders = [0]
        for position in 1..<max(1, pattern.count) {
            var length = borders[position - 1]
            while length > 0, pattern[length] != pattern[position] { length = borders[length - 1] }
            borders.append(pattern[length] == pattern[position] ? length + 1 : 0)
        }
        return borders
    }

    private static func isWordPart(_ byte: UInt8) -> Bool {
        Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber || byte == UInt8(ascii: "_")
    }

    private static func isWordPart(_ character: Character) -> Bool {
        (character.isLetter || character.isNumber || character == "_") && !isUnspaced(character)
    }

    /// Scripts that put no space between words: there any place may be a word's end.
    private static func isUnspaced(_ character: Character) -> Bool {
        switch character.unicodeScalars.first?.value ?? 0 {
        // Thai, Lao and Tibetan; Myanmar; Khmer; kana and Han.
        case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}

/// A text in one form for all cases of a letter, with one space for any run of them.
private enum Folded {
    /// Of nothing but ASCII, as most texts are: to ask what kind of character each is takes far longer than to search.
    case ascii([UInt8])
    case any([Character])

    init(_ text: String) {
        let bytes = Array(text.utf8)
        self = bytes.allSatisfy { $0 < 0x80 } ? .ascii(Self.folded(bytes)) : .any(Self.folded(text))
    }

    var characters: [Character] {
        switch self {
        case .ascii(let bytes): bytes.map { Character(UnicodeScalar($0)) }
        case .any(let characters): characters
        }
    }

    private static func folded(_ text: String) -> [Character] {
        // Up and down again: some letters have one upper-case form and several lower-case ones (σ and ς).
        var folded: [Character] = []
        for character in text.uppercased().lowercased() {
            if !character.isWhitespace {
                folded.append(character)
            } else if folded.last != " " {
                folded.append(" ")
            }
        }
        return folded
    }

    private static func folded(_ bytes: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(bytes.count)
        for byte in bytes {
            switch byte {
            case 0x09...0x0D, UInt8(ascii: " "):
                if folded.last != UInt8(ascii: " ") { folded.append(UInt8(ascii: " ")) }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): folded.append(byte | 0x20)
            default: folded.append(byte)
            }
        }
        return folded
    }
}
