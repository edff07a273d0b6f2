/// A text in which words and phrases are looked for: whole, in any case, however they are spaced (`A1`).
///
/// "help" is in "HELP!" and not in "helpful". Characters are compared, so that an accent may be written either way; each has a
/// number, since to compare numbers takes a fraction of the time. A search takes time in proportion to the text and to the
/// keyword, whatever they are: both come from outside.
struct KeywordSearch {
    private let text: [UInt32]
    /// Whether the letter at a place is part of a word.
    private let wordParts: [Bool]
    private let numbers: LetterNumbers

    init(_ text: String) {
        var numbers = LetterNumbers()
        var letters: [UInt32] = []
        var wordParts: [Bool] = []
        letters.reserveCapacity(text.utf8.count)
        wordParts.reserveCapacity(text.utf8.count)
        Self.fold(text) { character in
            letters.append(numbers.number(character))
            wordParts.append(Self.isWordPart(character))
        }
        (self.text, self.wordParts, self.numbers) = (letters, wordParts, numbers)
    }

    /// How much there is to look at to look for some keywords, in what a desk counts by.
    static func work(in text: String, for keywords: Int) -> Int { text.utf8.count * (keywords + 20) / 256 }

    func holds(_ keyword: String) -> Bool {
        var letters: [UInt32] = []
        var isStrange = false
        Self.fold(keyword) { character in
            guard let number = numbers.known(character) else { return isStrange = true }
            letters.append(number)
        }
        return !isStrange && holds(letters)
    }

    /// Knuth, Morris and Pratt's search: the text is passed over once.
    private func holds(_ keyword: [UInt32]) -> Bool {
        let space = LetterNumbers.space
        let pattern = Array(keyword.drop { $0 == space }.reversed().drop { $0 == space }.reversed())
        guard !pattern.isEmpty, pattern.count <= text.count else { return false }
        /// Whether a word goes on from the letter before a place to the one there.
        func isWithinWord(_ place: Int) -> Bool {
            place > 0 && place < text.count && wordParts[place - 1] && wordParts[place]
        }
        let shorter = Self.borders(of: pattern)
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
    private static func borders(of pattern: [UInt32]) -> [Int] {
        var borders = [0]
        for position in 1..<max(1, pattern.count) {
            var length = borders[position - 1]
            while length > 0, pattern[length] != pattern[position] { length = borders[length - 1] }
            borders.append(pattern[length] == pattern[position] ? length + 1 : 0)
        }
        return borders
    }

    // MARK: Letters

    /// A text in one form for all cases of a letter, with one space for any run of them.
    private static func fold(_ text: String, _ hear: (Letter) -> Void) {
        var isBehindSpace = false
        func hearUnlessSpace(_ letter: Letter, isSpace: Bool) {
            if !isSpace { hear(letter) } else if !isBehindSpace { hear(.ascii(UInt8(ascii: " "))) }
            isBehindSpace = isSpace
        }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            // As most texts are: to ask what kind of character each is takes far longer than to search.
            for byte in text.utf8 {
                let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                let isSpace = byte == UInt8(ascii: " ") || byte >= 0x09 && byte <= 0x0D
                hearUnlessSpace(.ascii(isCapital ? byte | 0x20 : byte), isSpace: isSpace)
            }
            return
        }
        // Up and down again: some letters have one upper-case form and several lower-case ones (σ and ς).
        for character in text.uppercased().lowercased() {
            hearUnlessSpace(Letter(character), isSpace: character.isWhitespace)
        }
    }

    private static func isWordPart(_ letter: Letter) -> Bool {
        switch letter {
        case .ascii(let byte): byte.isLetterOrDigit || byte == UInt8(ascii: "_")
        case .other(let character): (character.isLetter || character.isNumber) && !isUnspaced(character)
        }
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

private enum Letter {
    case ascii(UInt8)
    case other(Character)

    init(_ character: Character) {
        let utf8 = character.utf8
        self = if utf8.count == 1, let byte = utf8.first { .ascii(byte) } else { .other(character) }
    }
}

/// Numbers of the characters of a text: the same for two that are the same character, however each is written.
private struct LetterNumbers {
    /// By character. Of ASCII too, since some that are not are the same: U+037E is a semicolon.
    private var numbers = LetterNumbers.ascii
    private static let ascii = Dictionary(
        uniqueKeysWithValues: (0..<UInt32(0x80)).map { (Character(Unicode.Scalar(UInt8($0))), $0) })
    static let space = UInt32(UInt8(ascii: " "))

    mutating func number(_ letter: Letter) -> UInt32 {
        switch letter {
        case .ascii(let byte): return UInt32(byte)
        case .other(let character):
            if let known = numbers[character] { return known }
            let number = UInt32(numbers.count)
            numbers[character] = number
            return number
        }
    }

    /// `nil` for one that is nowhere in the text.
    func known(_ letter: Letter) -> UInt32? {
        switch letter {
        case .ascii(let byte): UInt32(byte)
        case .other(let character): numbers[character]
        }
    }
}
