internal import Hashing
internal import Notices

/// A CloudEvent (CNCF, version 1.0) that is to be a fact: `type` is its type, `subject` its user, `time` its `at`, and `data` its
/// data. Its id is made of `source` and `id`, since only the two together name an event.
struct CloudEvent {
    static let version = "1.0"
    /// Those that are facts.
    static let types = Payload.all.filter { $0.type.side == .fact }.map(\.type.text)

    private var type: String?
    private var source: String?
    private var id: String?
    private var subject: String?
    private var time: String?
    private var version: String?
    private var contentType: String?
    /// To be JSON.
    private var data: [UInt8]?
    private var trace: String?

    // MARK: Structured

    /// - Parameter root: the event as a JSON object.
    init(_ root: JSONNode) throws(Refusal) {
        guard root.isObject else { throw .field(FieldError("a CloudEvent is a JSON object")) }
        for member in root.members where !member.value.isNull {
            if member.key.hasPrefix("data"), member.key != "datacontenttype", data != nil {
                throw .field(FieldError(path: member.key, "is given twice: a CloudEvent has data or data_base64"))
            }
            switch member.key {
            case "data": data = Array(JSONValue(member.value).text.utf8)
            case "data_base64":
                guard let bytes = member.value.string.flatMap({ Self.base64($0) }) else {
                    throw .field(FieldError(path: "data_base64", "is not Base64"))
                }
                data = bytes
            case "specversion": version = try Self.text(member.value, "specversion")
            case "type": type = try Self.text(member.value, "type")
            case "source": source = try Self.text(member.value, "source")
            case "id": id = try Self.text(member.value, "id")
            case "subject": subject = try Self.text(member.value, "subject")
            case "time": time = try Self.text(member.value, "time")
            case "datacontenttype": contentType = try Self.text(member.value, "datacontenttype")
            case "traceparent": trace = member.value.string
            // Whoever makes events may add attributes of their own; they say nothing to Belfry.
            default: break
            }
        }
    }

    private static func text(_ value: JSONNode, _ name: String) throws(Refusal) -> String {
        guard let text = value.string else { throw .field(FieldError(path: name, "\(value.shown) is not a text")) }
        return text
    }

    // MARK: Binary

    /// - Parameters:
    ///   - headers: those of the request, with the attributes in those that begin with `ce-`.
    ///   - body: the data.
    init(_ headers: HTTPHeaders, body: [UInt8]) throws(Refusal) {
        func attribute(_ header: RequestHeader) throws(Refusal) -> String? {
            guard let value = headers[header.rawValue] else { return nil }
            guard let text = Self.decoded(value) else {
                throw .field(
                    FieldError(path: header.rawValue, "is not percent-encoded UTF-8, as it is or in double quotes"))
            }
            return text
        }
        version = try attribute(.ceSpecversion)
        type = try attribute(.ceType)
        source = try attribute(.ceSource)
        id = try attribute(.ceID)
        subject = try attribute(.ceSubject)
        time = try attribute(.ceTime)
        // One that is none is ignored, however it is written.
        trace = headers[RequestHeader.ceTrace.rawValue].flatMap { Self.decoded($0) }
        contentType = headers["Content-Type"]
        if !body.isEmpty { data = body }
    }

    // MARK: As a fact

    /// Its type, where it is one of a fact.
    var factType: String? {
        Payload.all.first { $0.type.side == .fact && $0.type.text == type }?.type.text
    }

    /// The fact that it is, and that as a line of JSON.
    func fact(_ reader: FactReader) throws(Refusal) -> (fact: Fact, line: [UInt8]) {
        guard version == Self.version else {
            throw .field(
                FieldError(path: "specversion", "\(version.map { quoted($0) } ?? "nothing") is not \(Self.version)"))
        }
        guard let type, !type.isEmpty else { throw .field(FieldError(path: "type", "is missing")) }
        guard let source, !source.isEmpty else { throw .field(FieldError(path: "source", "is missing")) }
        guard let id, !id.isEmpty else { throw .field(FieldError(path: "id", "is missing")) }
        if data != nil, let contentType, !Self.isJSON(MediaType(contentType).name) {
            throw .field(
                FieldError(path: "datacontenttype", "\(quoted(contentType)) is not JSON, which a fact's data is"))
        }
        var fact: Fact
        let line: [UInt8]
        do throws(Refusal) {
            line = try written()
            fact = try line.withUnsafeBufferPointer { (bytes) throws(Refusal) in
                try reader.read(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw Self.inItsWords(error, hasData: data != nil)
        }
        fact.trace = trace.flatMap { TraceParent(header: $0) }
        return (fact, line)
    }

    private func written() throws(Refusal) -> [UInt8] {
        var line = ByteBuffer(capacity: 512)
        line.append("{\"type\":")
        line.appendJSONString(type ?? "")
        line.append(",\"id\":")
        line.appendJSONString(Self.factID(source ?? "", id ?? ""))
        if let subject, !subject.isEmpty {
            line.append(",\"user\":")
            line.appendJSONString(subject)
        }
        if let time {
            line.append(",\"at\":")
            line.appendJSONString(time)
        }
        if let data {
            line.append(",\"data\":")
            try Self.json(data).write(into: &line)
        }
        line.append("}")
        return Array(line.bytes)
    }

    /// One value, with nothing behind it that the line would take for its own.
    private static func json(_ bytes: [UInt8]) throws(Refusal) -> JSONValue {
        do throws(JSONError) {
            let tape = JSONTape()
            let root = try bytes.withUnsafeBufferPointer { (utf8) throws(JSONError) in
                try tape.parse(UnsafeRawBufferPointer(utf8))
            }
            return JSONValue(root)
        } catch {
            throw .notJSON(error)
        }
    }

    /// The lengths stand in front, so that no two pairs are the same text.
    private static func factID(_ source: String, _ id: String) -> String {
        let digest = Digest(of: Array("\(source.utf8.count):\(source)\(id)".utf8))
        return "ce:" + "\(digest)".prefix(32)
    }

    /// What is wrong is told of what was sent.
    private static func inItsWords(_ refusal: Refusal, hasData: Bool) -> Refusal {
        switch refusal {
        case .notJSON(let error): return .field(FieldError(path: "data", "is not JSON: \(error.problem)"))
        case .field(var error):
            if error.path == "user" { error.path = "subject" }
            if error.path == "at" { error.path = "time" }
            return .field(error)
        }
    }

    private static func isJSON(_ type: String) -> Bool { type == "application/json" || type.hasSuffix("+json") }

    /// As the HTTP binding writes attributes: percent signs for whatever is no plain ASCII, and in double quotes where its earlier
    /// versions had them.
    private static func decoded(_ value: String) -> String? {
        unquoted(value.utf8).flatMap { PercentCoding.decoded($0) }
    }

    /// What a quoted string says (RFC 9110, 5.6.4), and of anything else all of it; `nil` for one that does not end with its quote.
    private static func unquoted(_ value: String.UTF8View) -> [UInt8]? {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        guard value.first == quote else { return Array(value) }
        var bytes: [UInt8] = []
        var rest = value.dropFirst()
        while let byte = rest.popFirst() {
            if byte == quote { return rest.isEmpty ? bytes : nil }
            guard let said = byte == backslash ? rest.popFirst() : byte else { return nil }
            bytes.append(said)
        }
        return nil
    }

    private static func base64(_ text: String) -> [UInt8]? {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let coded = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
        guard text.utf8.count % 4 == 0, text.utf8.count - coded.count <= 2 else { return nil }
        var bytes: [UInt8] = []
        var (held, bits) = (0, 0)
        for byte in coded {
            guard let value = digits.firstIndex(of: byte) else { return nil }
            held = held << 6 | value
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(held >> bits & 0xFF))
        }
        return bytes
    }
}
