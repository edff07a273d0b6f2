/// One value on a `JSONTape`. Good until the tape is parsed into again.
public struct JSONNode {
    let tape: JSONTape
    let index: Int

    private var token: JSONTape.Token { tape.tokens[index] }

    public var isNull: Bool { token.kind == .null }
    public var isObject: Bool { token.kind == .object }
    public var isArray: Bool { token.kind == .array }
    /// Members of an object or elements of an array.
    public var count: Int { Int(token.count) }

    public var string: String? {
        guard token.kind == .string else { return nil }
        return tape.text(of: token)
    }

    /// The bytes of a string that has no escapes; they are checked without making a `String`.
    var plainBytes: UnsafeRawBufferPointer? {
        guard token.kind == .string, !token.isEscaped else { return nil }
        return tape.slice(token)
    }

    public var bool: Bool? {
        switch token.kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    /// A whole number that fits; `3.0` and `1e2` are not written as whole numbers and are not taken for ones.
    public var integer: Int? {
        guard token.kind == .number else { return nil }
        return Int(tape.text(of: token))
    }

    /// How the value is shown in a message.
    public var shown: String {
        switch token.kind {
        case .object: "an object"
        case .array: "a list"
        case .string, .key: quoted(tape.text(of: token))
        default: tape.text(of: token)
        }
    }

    // MARK: Members and elements

    public struct Member {
        let keyIndex: Int
        public let value: JSONNode

        public var key: String { value.tape.text(of: value.tape.tokens[keyIndex]) }

        func keyEquals(_ name: StaticString) -> Bool {
            let token = value.tape.tokens[keyIndex]
            if token.isEscaped { return key == "\(name)" }
            let slice = value.tape.slice(token)
            guard slice.count == name.utf8CodeUnitCount else { return false }
            for position in 0..<slice.count where slice[position] != name.utf8Start[position] { return false }
            return true
        }
    }

    public struct Members: Sequence, IteratorProtocol {
        let tape: JSONTape
        var index: Int
        let end: Int

        public mutating func next() -> Member? {
            guard index < end else { return nil }
            let value = index + 1
            defer { index = Int(tape.tokens[value].next) }
            return Member(keyIndex: index, value: JSONNode(tape: tape, index: value))
        }
    }

    /// In the order they stand; none for what is not an object.
    public var members: Members {
        Members(tape: tape, index: index + 1, end: isObject ? Int(token.next) : 0)
    }

    public struct Elements: Sequence, IteratorProtocol {
        let tape: JSONTape
        var index: Int
        let end: Int

        public mutating func next() -> JSONNode? {
            guard index < end else { return nil }
            defer { index = Int(tape.tokens[index].next) }
            return JSONNode(tape: tape, index: index)
        }
    }

    public var elements: Elements {
        Elements(tape: tape, index: index + 1, end: isArray ? Int(token.next) : 0)
    }

    public func member(_ name: StaticString) -> JSONNode? {
        for member in members where member.keyEquals(name) { return member.value }
        return nil
    }

    public subscript(_ name: String) -> JSONNode? {
        for member in members where member.key.utf8.elementsEqual(name.utf8) { return member.value }
        return nil
    }

    // MARK: Writing

    /// Writes the value without insignificant space, keys in their order, strings in one spelling.
    func writeCompact(into buffer: inout ByteBuffer) {
        switch token.kind {
        case .object:
            buffer.append(UInt8(ascii: "{"))
            var isFirst = true
            for member in members {
                if !isFirst { buffer.append(UInt8(ascii: ",")) }
                isFirst = false
                buffer.appendJSONString(member.key)
                buffer.append(UInt8(ascii: ":"))
                member.value.writeCompact(into: &buffer)
            }
            buffer.append(UInt8(ascii: "}"))
        case .array:
            buffer.append(UInt8(ascii: "["))
            var isFirst = true
            for element in elements {
                if !isFirst { buffer.append(UInt8(ascii: ",")) }
                isFirst = false
                element.writeCompact(into: &buffer)
            }
            buffer.append(UInt8(ascii: "]"))
        case .string, .key: buffer.appendJSONString(tape.text(of: token))
        case .number, .yes, .no, .null: buffer.append(tape.slice(token))
        }
    }
}

extension JSONTape {
    func slice(_ token: Token) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + Int(token.start), count: Int(token.end - token.start))
    }

    func text(of token: Token) -> String {
        let raw = UnsafeBufferPointer(start: bytes + Int(token.start), count: Int(token.end - token.start))
        return token.isEscaped ? unescaped(token) : String(decoding: raw, as: UTF8.self)
    }

    /// The scanner has checked every escape, so none here can be malformed.
    private func unescaped(_ token: Token) -> String {
        var text = String.UnicodeScalarView()
        var plainFrom = Int(token.start)
        var at = plainFrom
        let end = Int(token.end)
        func flush(to limit: Int) {
            let run = UnsafeBufferPointer(start: bytes + plainFrom, count: limit - plainFrom)
            text.append(contentsOf: String(decoding: run, as: UTF8.self).unicodeScalars)
        }
        while at < end {
            guard bytes[at] == UInt8(ascii: "\\") else {
                at += 1
                continue
            }
            flush(to: at)
            at += appendEscape(at, end, &text)
            plainFrom = at
        }
        flush(to: end)
        return String(text)
    }

    private func appendEscape(_ at: Int, _ end: Int, _ text: inout String.UnicodeScalarView) -> Int {
        switch bytes[at + 1] {
        case UInt8(ascii: "b"): text.append("\u{8}")
        case UInt8(ascii: "f"): text.append("\u{C}")
        case UInt8(ascii: "n"): text.append("\n")
        case UInt8(ascii: "r"): text.append("\r")
        case UInt8(ascii: "t"): text.append("\t")
        case UInt8(ascii: "u"):
            let high = JSONScanner.hex4(bytes, at + 2, end) ?? 0xFFFD
            guard high & 0xFC00 == 0xD800 else {
                text.append(Unicode.Scalar(high) ?? "\u{FFFD}")
                return 6
            }
            let low = JSONScanner.hex4(bytes, at + 8, end) ?? 0xDC00
            text.append(Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + low & 0x3FF) ?? "\u{FFFD}")
            return 12
        default: text.append(Unicode.Scalar(bytes[at + 1]))
        }
        return 2
    }
}
