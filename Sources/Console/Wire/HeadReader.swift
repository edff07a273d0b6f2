/// Reads the head of a request strictly (RFC 9112).
///
/// Two programs that frame the same bytes differently can be played against each other: one of them takes for a request what
/// the other took for a body. So whatever could be read in two ways is refused, be it read so by others or not.
struct HeadReader {
    static let targetBytesMax = 8 << 10
    private static let fieldsMax = 100

    struct Found: Equatable {
        let head: RequestHead
        /// How many bytes it takes.
        let count: Int
    }

    private let bytesMax: Int
    /// Up to here the bytes were looked at.
    private var looked = 0
    private var lineStart = 0
    /// The lines that are whole, without their ends.
    private var lines: [Range<Int>] = []

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Whether any of the head is there.
    var hasBegun: Bool { looked > lineStart || !lines.isEmpty }

    /// The head once it is whole; `nil` until then.
    ///
    /// - Parameter bytes: all of the head that has come, from its first byte on: what was given before, and more.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(WireProblem) -> Found? {
        while looked < bytes.count {
            let byte = bytes[looked]
            let followsReturn = looked > lineStart && bytes[looked - 1] == 0x0D
            guard followsReturn == (byte == 0x0A) else { throw .lineEnd }
            guard byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0D || byte == 0x0A else {
                throw .control(byte)
            }
            if looked == lineStart, lines.isEmpty { try Self.checkFirst(byte) }
            looked += 1
            guard looked <= bytesMax else { throw .headTooLarge(bytesMax: bytesMax) }
            if byte == 0x0A, try endLine() {
                let head = try Self.head(lines.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
                return Found(head: head, count: looked)
            }
            if lines.isEmpty, looked - lineStart > Self.targetBytesMax + 64 { throw .targetTooLong }
        }
        return nil
    }

    /// What can be no request is not waited for.
    private static func checkFirst(_ byte: UInt8) throws(WireProblem) {
        guard byte.isTokenByte || byte == 0x0D else { throw .requestLine }
    }

    /// Whether this was the head's last line. Empty lines in front of a request are passed over, as RFC 9112 wants it.
    private mutating func endLine() throws(WireProblem) -> Bool {
        let line = lineStart..<(looked - 2)
        lineStart = looked
        if line.isEmpty { return !lines.isEmpty }
        guard lines.count <= Self.fieldsMax else { throw .tooManyFields(most: Self.fieldsMax) }
        lines.append(line)
        return false
    }

    // MARK: The whole head

    private static func head(_ lines: [UnsafeRawBufferPointer]) throws(WireProblem) -> RequestHead {
        let (method, target, isOld) = try requestLine(lines[0])
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            let (name, value) = try field(line)
            headers.append(name, value)
        }
        try checkHost(headers.all("Host"), isOld: isOld)
        let body = try framing(headers, isOld: isOld)
        let options = headers.all("Connection").flatMap { $0.split(separator: ",") }.map(\.withoutBlanksAround)
        let closes = options.contains { $0.isSameIgnoringCase("close") }
        let keeps = !isOld || options.contains { $0.isSameIgnoringCase("keep-alive") }
        return RequestHead(
            request: HTTPRequest(method: method, target: target, headers: headers), body: body,
            keepsAlive: keeps && !closes, awaitsContinue: try awaitsContinue(headers, isOld: isOld) && body != .none,
            knowsChunks: !isOld)
    }

    private static func requestLine(
        _ line: UnsafeRawBufferPointer
    ) throws(WireProblem) -> (method: String, target: String, isOld: Bool) {
        guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last else {
            throw .requestLine
        }
        let (method, version) = (line[..<first], line[(last + 1)...])
        guard !method.isEmpty, method.allSatisfy(\.isTokenByte) else { throw .requestLine }
        let isOld = try isOldVersion(version)
        let target = line[(first + 1)..<last]
        guard !target.isEmpty, !target.contains(where: { $0 == 0x20 || $0 == 0x09 }),
            let text = String(validating: target, as: UTF8.self)
        else { throw .target }
        guard target.count <= targetBytesMax else { throw .targetTooLong }
        return (String(decoding: method, as: UTF8.self), text, isOld)
    }

    private static func isOldVersion(_ version: Slice<UnsafeRawBufferPointer>) throws(WireProblem) -> Bool {
        let text = String(decoding: version, as: UTF8.self)
        if text == "HTTP/1.1" { return false }
        if text == "HTTP/1.0" { return true }
        let digits = text.utf8.dropFirst(5)
        let isVersion =
            text.hasPrefix("HTTP/") && digits.count == 3 && digits.dropFirst().first == UInt8(ascii: ".")
            && digits.first.map(\.isDigit) == true && digits.last.map(\.isDigit) == true
        guard isVersion else { throw .requestLine }
        // A later 1.x is to be answered as 1.1.
        guard digits.first == UInt8(ascii: "1") else { throw .version }
        return false
    }

    private static func field(_ line: UnsafeRawBufferPointer) throws(WireProblem) -> (name: String, value: String) {
        guard let first = line.first, first != 0x20, first != 0x09 else { throw .foldedField }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { throw .field }
        let name = line[..<colon]
        if name.last == 0x20 || name.last == 0x09 { throw .spaceBeforeColon }
        guard name.allSatisfy(\.isTokenByte) else { throw .field }
        let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
        return (String(decoding: name, as: UTF8.self), value.withoutBlanksAround)
    }

    private static func checkHost(_ given: [String], isOld: Bool) throws(WireProblem) {
        if given.isEmpty, !isOld { throw .noHost }
        guard given.count <= 1, given.allSatisfy({ $0.utf8.allSatisfy(\.isHostByte) }) else { throw .badHost }
    }

    private static func framing(_ headers: HTTPHeaders, isOld: Bool) throws(WireProblem) -> RequestHead.Body {
        let lengths = headers.all("Content-Length")
        let codings = headers.all("Transfer-Encoding")
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw .lengthAndCoding }
            guard !isOld else { throw .codingInOldVersion }
            let names = codings.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
                .map(\.withoutBlanksAround)
            if let stranger = names.first(where: { !$0.isEmpty && !$0.isSameIgnoringCase("chunked") }) {
                throw .unknownCoding(stranger)
            }
            guard names.count == 1, names[0].isSameIgnoringCase("chunked") else { throw .badCoding }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard lengths.count == 1 else { throw .severalLengths }
        guard !length.isEmpty, length.utf8.allSatisfy(\.isDigit) else { throw .badLength(length) }
        // A number beyond all measure is a body that is too large.
        return length.utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) ? .none : .length(Int(length) ?? .max)
    }

    private static func awaitsContinue(_ headers: HTTPHeaders, isOld: Bool) throws(WireProblem) -> Bool {
        let given = headers.all("Expect")
        guard !isOld, !given.isEmpty else { return false }
        guard given.count == 1, given[0].isSameIgnoringCase("100-continue") else { throw .expectation }
        return true
    }
}

extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    private var isLetter: Bool { self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z") }

    /// A character of which names are made (`tchar` of RFC 9110).
    var isTokenByte: Bool { isLetter || isDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    /// A character of a host's name or address, with its port.
    fileprivate var isHostByte: Bool { isLetter || isDigit || "-._~%!$&'()*+,;=:[]".utf8.contains(self) }
}
