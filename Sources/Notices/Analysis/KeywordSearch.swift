/// A text in which words and phrases are looked for: whole, in any case, however they are spaced (`A1`).
///
/// "help" is in "HELP!" and not in "helpful". Characters are compared, so that an accent may be written either way.
/// A search takes time in proportion to the text and to the keyword, whatever they are: both come from outside.
struct KeywordSearch {
    private let text: [Character]

    init(_ text: String) { self.text = Self.folded(text) }

    /// Knuth, Morris and Pratt's search: the text is passed over once.
    func holds(_ keyword: String) -> Bool {
        let pattern = Self.trimmed(Self.folded(keyword))
        guard !pattern.isEmpty, pattern.count <= text.count else { return false }
        let shorter = Self.borders(of: pattern)
        var matched = 0
        for (position, character) in text.enumerated() {
            while matched > 0, pattern[matched] != character { matched = shorter[matched - 1] }
            if pattern[matched] == character { matched += 1 }
            if matched == pattern.count {
                if isWhole(position + 1 - matched...position) { return true }
                matched = shorter[matched - 1]
            }
        }
        return false
    }

    /// For each beginning of the pattern, the longest shorter one that it also ends with.
    private static func borders(of pattern: [Character]) -> [Int] {
        var borders = [0]
        for position in 1..<max(1, pattern.count) {
            var length = borders[position - 1]
            while length > 0, pattern[length] != pattern[position] { length = borders[length - 1] }
            borders.append(pattern[length] == pattern[position] ? length + 1 : 0)
        }
        return borders
    }

    /// Whether no word goes on beyond either end of the range.
    private func isWhole(_ range: ClosedRange<Int>) -> Bool {
        !isWithinWord(range.lowerBound) && !isWithinWord(range.upperBound + 1)
    }

    private func isWithinWord(_ position: Int) -> Bool {
        guard position > 0, position < text.count else { return false }
        return Self.isWordPart(text[position - 1]) && Self.isWordPart(text[position])
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

    /// One form for all cases of a letter, and one space for any run of them.
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

    private static func trimmed(_ characters: [Character]) -> [Character] {
        Array(characters.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
