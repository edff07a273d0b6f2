/// How much of a JSON text is read before it is refused.
public struct JSONLimits: Sendable {
    public var bytesMax: Int
    public var depthMax: Int

    public init(bytesMax: Int = 1 << 20, depthMax: Int = 32) {
        self.bytesMax = bytesMax
        self.depthMax = depthMax
    }
}

/// Where a text stops being JSON, and why. `column` counts bytes from 1.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    public var column: Int
    public var problem: String

    public var description: String { "column \(column): \(problem)" }
}

/// A parsed JSON text, as one flat list of tokens over a copy of its bytes.
///
/// A tape is parsed into again and again without allocating, which is what makes reading a fact cheap.
/// It is strict: RFC 8259 only, valid UTF-8 only, no key twice in an object, no `\u0000`, limits on size and depth.
public final class JSONTape {
    enum Kind: UInt8 { case object, array, key, string, number, yes, no, null }

    struct Token {
        var kind: Kind
        /// A string that has backslashes must be unescaped before it is used.
        var isEscaped = false
        /// The text without its quotes.
        var start: Int32
        var end: Int32
        /// The token after this one and everything in it.
        var next: Int32 = 0
        /// Members of an object, elements of an array.
        var count: Int32 = 0
    }

    // A tape is used by one reader at a time, and nothing that changes these calls out; checking each access at run
    // time would cost a fifth of the parsing.
    @exclusivity(unchecked) private(set) var tokens: [Token] = []
    @exclusivity(unchecked) private(set) var bytes: UnsafeMutablePointer<UInt8>
    private(set) var byteCount = 0
    private var capacity: Int
    let limits: JSONLimits
    /// Containers that are open, by token index.
    @exclusivity(unchecked) private var open: [Int32] = []

    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
        capacity = 512
        bytes = .allocate(capacity: capacity)
        tokens.reserveCapacity(64)
    }

    deinit { bytes.deallocate() }

    /// Parses one JSON text. The node is good until the next `parse`.
    public func parse(_ source: UnsafeRawBufferPointer) throws(JSONError) -> JSONNode {
        guard source.count <= limits.bytesMax else {
            throw JSONError(column: limits.bytesMax + 1, problem: "longer than \(limits.bytesMax) bytes")
        }
        take(source)
        tokens.removeAll(keepingCapacity: true)
        open.removeAll(keepingCapacity: true)
        var scanner = JSONScanner(bytes: bytes, end: byteCount)
        try scan(&scanner)
        return JSONNode(tape: self, index: 0)
    }

    public func parse(_ text: String) throws(JSONError) -> JSONNode {
        try Array(text.utf8).withUnsafeBufferPointer { (utf8) throws(JSONError) in
            try parse(UnsafeRawBufferPointer(utf8))
        }
    }

    private func take(_ source: UnsafeRawBufferPointer) {
        if source.count > capacity {
            bytes.deallocate()
            capacity = source.count * 2
            bytes = .allocate(capacity: capacity)
        }
        if let start = source.baseAddress {
            UnsafeMutableRawPointer(bytes).copyMemory(from: start, byteCount: source.count)
        }
        byteCount = source.count
    }

    private func scan(_ scanner: inout JSONScanner) throws(JSONError) {
        while true {
            scanner.skipSpace()
            var opened = false
            switch scanner.peek {
            case UInt8(ascii: "{"), UInt8(ascii: "["): opened = try openContainer(&scanner)
            default: try scanner.scalar(into: &tokens)
            }
            if opened {
                if try beginsEmpty(&scanner) { try closeContainer(&scanner) } else { continue }
            }
            // A value is complete: close what it completes, until another value is due.
            while true {
                guard let container = open.last else { return try scanner.expectEnd() }
                tokens[Int(container)].count += 1
                scanner.skipSpace()
                if scanner.take(UInt8(ascii: ",")) {
                    if tokens[Int(container)].kind == .object { try memberKey(&scanner) }
                    break
                }
                try closeContainer(&scanner)
            }
        }
    }

    private func openContainer(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        guard open.count < limits.depthMax else {
            throw scanner.error("nested deeper than \(limits.depthMax) levels")
        }
        let kind: Kind = scanner.peek == UInt8(ascii: "{") ? .object : .array
        open.append(Int32(tokens.count))
        tokens.append(Token(kind: kind, start: Int32(scanner.at), end: 0))
        scanner.at += 1
        return true
    }

    /// Whether the container just opened closes at once; an object that does not gets its first key read.
    private func beginsEmpty(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        scanner.skipSpace()
        guard let container = open.last.map({ tokens[Int($0)] }) else { return false }
        if scanner.peek == (container.kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return true }
        if container.kind == .object { try memberKey(&scanner) }
        return false
    }

    private func memberKey(_ scanner: inout JSONScanner) throws(JSONError) {
        scanner.skipSpace()
        guard scanner.peek == UInt8(ascii: "\"") else { throw scanner.error("expected a key in double quotes") }
        try scanner.string(into: &tokens, as: .key)
        scanner.skipSpace()
        guard scanner.take(UInt8(ascii: ":")) else { throw scanner.error("expected ':' after the key") }
    }

    private func closeContainer(_ scanner: inout JSONScanner) throws(JSONError) {
        guard let container = open.popLast() else { return }
        let isObject = tokens[Int(container)].kind == .object
        guard scanner.take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
            throw scanner.error(isObject ? "expected ',' or '}'" : "expected ',' or ']'")
        }
        tokens[Int(container)].end = Int32(scanner.at)
        tokens[Int(container)].next = Int32(tokens.count)
        if isObject { try refuseRepeatedKeys(of: container, scanner) }
    }

    private func refuseRepeatedKeys(of object: Int32, _ scanner: JSONScanner) throws(JSONError) {
        let count = Int(tokens[Int(object)].count)
        guard count > 1 else { return }
        if let repeated = count <= 16 ? repeatedAmongFew(object) : repeatedAmongMany(object) {
            throw JSONError(
                column: Int(tokens[repeated].start) + 1,
                problem: "the key \(quoted(text(of: tokens[repeated]))) stands twice in one object")
        }
    }

    /// The second of two equal keys: each held against those before it, which for a few is quicker than a set.
    private func repeatedAmongFew(_ object: Int32) -> Int? {
        let end = Int(tokens[Int(object)].next)
        var key = Int(object) + 1
        while key < end {
            var earlier = Int(object) + 1
            while earlier < key {
                if keysAreEqual(tokens[earlier], tokens[key]) { return key }
                earlier = Int(tokens[earlier + 1].next)
            }
            key = Int(tokens[key + 1].next)
        }
        return nil
    }

    private func keysAreEqual(_ left: Token, _ right: Token) -> Bool {
        if left.isEscaped || right.isEscaped { return text(of: left).utf8.elementsEqual(text(of: right).utf8) }
        let length = Int(left.end - left.start)
        guard length == Int(right.end - right.start) else { return false }
        for offset in 0..<length where bytes[Int(left.start) + offset] != bytes[Int(right.start) + offset] {
            return false
        }
        return true
    }

    private func repeatedAmongMany(_ object: Int32) -> Int? {
        // Not a set of strings: those are equal already when they are canonically equivalent.
        var seen = Set<[UInt8]>(minimumCapacity: Int(tokens[Int(object)].count))
        return JSONNode(tape: self, index: Int(object)).members
            .first { !seen.insert(Array($0.key.utf8)).inserted }?.keyIndex
    }
}

/// A text as it is shown in a message: quoted, on one line, and never long.
public func quoted(_ text: some StringProtocol) -> String {
    let shown = Visible.line(String(String.UnicodeScalarView(text.unicodeScalars.prefix(40))))
    return "\"\(shown)\(text.unicodeScalars.count > 40 ? "…" : "")\""
}
