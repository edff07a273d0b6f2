/// Walks the bytes of a JSON text and cuts it into tokens. Knows scalars; `JSONTape` knows how they nest.
struct JSONScanner {
    let bytes: UnsafeMutablePointer<UInt8>
    let end: Int
    var at = 0

    init(bytes: UnsafeMutablePointer<UInt8>, end: Int) {
        self.bytes = bytes
        self.end = end
    }

    /// The byte here; 0 at the end, which no JSON text holds outside a mistake.
    var peek: UInt8 { at < end ? bytes[at] : 0 }

    func error(_ problem: String) -> JSONError {
        JSONError(column: at + 1, problem: at < end ? problem : "the text ends here: " + problem)
    }

    mutating func skipSpace() {
        while at < end {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard at < end, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    mutating func expectEnd() throws(JSONError) {
        skipSpace()
        guard at == end else { throw error("something follows the end of the JSON value") }
    }

    mutating func scalar(into tokens: inout [JSONTape.Token]) throws(JSONError) {
        switch peek {
        case UInt8(ascii: "\""): try string(into: &tokens, as: .string)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(into: &tokens)
        case UInt8(ascii: "t"): try word("true", .yes, into: &tokens)
        case UInt8(ascii: "f"): try word("false", .no, into: &tokens)
        case UInt8(ascii: "n"): try word("null", .null, into: &tokens)
        case 0 where at < end: throw error("a NUL byte")
        case 0xEF where at == 0 && end > 2 && bytes[1] == 0xBB && bytes[2] == 0xBF:
            throw error("a byte order mark; send plain UTF-8 without one")
        default: throw error("expected a JSON value")
        }
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONTape.Kind, into tokens: inout [JSONTape.Token]
    ) throws(JSONError) {
        let length = word.utf8CodeUnitCount
        for index in 0..<length where at + index >= end || bytes[at + index] != word.utf8Start[index] {
            throw error("expected a JSON value")
        }
        append(kind, from: at, to: at + length, &tokens)
        at += length
    }

    private mutating func number(into tokens: inout [JSONTape.Token]) throws(JSONError) {
        let start = at
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            if isDigit(peek) { throw error("a number may not begin with 0") }
        } else {
            try digits()
        }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        guard at - start <= 64 else { throw error("a number of more than 64 characters") }
        append(.number, from: start, to: at, &tokens)
    }

    private mutating func digits() throws(JSONError) {
        guard isDigit(peek) else { throw error("expected a digit") }
        while isDigit(peek) { at += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    mutating func string(into tokens: inout [JSONTape.Token], as kind: JSONTape.Kind) throws(JSONError) {
        at += 1
        let start = at
        var isEscaped = false
        while at < end {
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                append(kind, from: start, to: at, &tokens, isEscaped: isEscaped)
                at += 1
                return
            }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                try escape()
            } else if byte < 0x20 {
                throw error(byte == 0 ? "a NUL byte" : "a control character must be written as an escape")
            } else if byte < 0x80 {
                at += 1
            } else {
                guard let width = utf8Width() else { throw error("not valid UTF-8") }
                at += width
            }
        }
        throw error("expected the closing double quote")
    }

    private mutating func escape() throws(JSONError) {
        guard at + 1 < end else {
            at = end
            throw error("an escape is cut off")
        }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 2
        case UInt8(ascii: "u"): try unicodeEscape()
        default: throw error("this escape does not exist in JSON")
        }
    }

    private mutating func unicodeEscape() throws(JSONError) {
        guard let unit = Self.hex4(bytes, at + 2, end) else { throw error("\\u needs four hexadecimal digits") }
        if unit == 0 { throw error("\\u0000 (NUL) is not accepted") }
        if unit & 0xFC00 == 0xDC00 { throw error("half of a surrogate pair stands alone") }
        if unit & 0xFC00 == 0xD800 {
            guard at + 7 < end, bytes[at + 6] == UInt8(ascii: "\\"), bytes[at + 7] == UInt8(ascii: "u"),
                let low = Self.hex4(bytes, at + 8, end), low & 0xFC00 == 0xDC00
            else { throw error("half of a surrogate pair stands alone") }
            at += 12
        } else {
            at += 6
        }
    }

    static func hex4(_ bytes: UnsafeMutablePointer<UInt8>, _ at: Int, _ end: Int) -> UInt32? {
        guard at + 4 <= end else { return nil }
        var value: UInt32 = 0
        for index in at..<at + 4 {
            let byte = bytes[index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// The width of the well-formed UTF-8 sequence here (Unicode table 3-7), or `nil`.
    private func utf8Width() -> Int? {
        func follows(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            at + offset < end && range.contains(bytes[at + offset])
        }
        switch bytes[at] {
        case 0xC2...0xDF: return follows(1) ? 2 : nil
        case 0xE0: return follows(1, 0xA0...0xBF) && follows(2) ? 3 : nil
        case 0xE1...0xEC, 0xEE, 0xEF: return follows(1) && follows(2) ? 3 : nil
        case 0xED: return follows(1, 0x80...0x9F) && follows(2) ? 3 : nil
        case 0xF0: return follows(1, 0x90...0xBF) && follows(2) && follows(3) ? 4 : nil
        case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : nil
        case 0xF4: return follows(1, 0x80...0x8F) && follows(2) && follows(3) ? 4 : nil
        default: return nil
        }
    }

    private func append(
        _ kind: JSONTape.Kind, from start: Int, to end: Int, _ tokens: inout [JSONTape.Token], isEscaped: Bool = false
    ) {
        tokens.append(
            JSONTape.Token(
                kind: kind, isEscaped: isEscaped, start: Int32(start), end: Int32(end), next: Int32(tokens.count + 1)))
    }
}
