/// Reads a record from the members of a JSON object and refuses what does not belong.
struct JSONIntake: FieldVisitor {
    /// Whose JSON it is: a sender's fact, or what Belfry printed of the log.
    enum Source { case sender, log }

    private let object: JSONNode
    private let source: Source
    private var matched = 0

    init(_ object: JSONNode, from source: Source) {
        self.object = object
        self.source = source
    }

    @inline(__always)
    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {
        guard let node = object.member(name) else {
            if V.isOptional { return }
            throw FieldError(path: "\(name)", "is missing; it must be \(limit.describe(V.allowed))")
        }
        matched += 1
        // Many senders write null for what they leave out.
        if V.isOptional, !V.hasNull, node.isNull { return }
        do { try value.readJSON(node, limit) } catch { throw error.under("\(name)") }
    }

    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        guard source == .log, let node = object.member(name) else { return }
        matched += 1
        do { try value.readJSON(node, .none) } catch { throw error.under("\(name)") }
    }

    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {
        guard source == .sender else { return }
        try field(0, name, &value, .none)
    }

    /// Every member must have been asked for by some field.
    func finish(_ payload: Payload) throws(FieldError) {
        guard matched != object.count else { return }
        var known = FieldNames(source)
        try payload.show(&known)
        for member in object.members where !known.names.contains(member.key) {
            let list =
                known.names.isEmpty
                ? "\(payload.type.name) has no data" : "known here: " + known.names.joined(separator: ", ")
            throw FieldError(path: shownKey(member.key), "is not a field of \(payload.type.name) (\(list))")
        }
    }
}

/// A key as it stands in the path of a message: plain where it can be mistaken for nothing else.
func shownKey(_ key: String) -> String {
    key.utf8.count <= 64 && !key.isEmpty && key.utf8.allSatisfy(Identifier.isIdentifierByte) ? key : quoted(key)
}

/// Collects what a record's fields are called, for messages.
private struct FieldNames: LookingVisitor {
    let source: JSONIntake.Source
    var names: [String] = []

    init(_ source: JSONIntake.Source) { self.source = source }

    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {
        names.append("\(name)")
    }

    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        if source == .log { names.append("\(name)") }
    }

    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {
        if source == .sender { names.append("\(name)") }
    }
}

/// Writes a record as a JSON object, fields in the order of their numbers; what is unset or transient is left out.
struct JSONOutput: LookingVisitor {
    private let buffer: UnsafeMutablePointer<ByteBuffer>
    private var isFirst = true

    /// `buffer` must stay valid while the record is visited: `writeJSON(into:)` below sees to it.
    fileprivate init(_ buffer: UnsafeMutablePointer<ByteBuffer>) { self.buffer = buffer }

    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {
        guard !value.isUnset else { return }
        buffer.pointee.append(isFirst ? UInt8(ascii: "{") : UInt8(ascii: ","))
        isFirst = false
        buffer.pointee.append(UInt8(ascii: "\""))
        buffer.pointee.append(name)
        buffer.pointee.append("\":")
        value.writeJSON(into: &buffer.pointee)
    }

    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        try field(number, name, &value, .none)
    }

    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {}

    fileprivate func finish() {
        if isFirst { buffer.pointee.append("{}") } else { buffer.pointee.append(UInt8(ascii: "}")) }
    }
}

extension Payload {
    public func writeJSON(into buffer: inout ByteBuffer) {
        withUnsafeMutablePointer(to: &buffer) { pointer in
            var output = JSONOutput(pointer)
            do { try show(&output) } catch { preconditionFailure("writing a record cannot fail: \(error)") }
            output.finish()
        }
    }

    /// Reads the `data` of a fact as its sender wrote it; `nil` for none.
    public static func told(_ data: JSONNode?, as empty: Payload) throws(FieldError) -> Payload {
        try read(empty, data, from: .sender)
    }

    /// Reads the `data` object of the type named `name`.
    static func read(_ empty: Payload, _ data: JSONNode?, from source: JSONIntake.Source) throws(FieldError) -> Payload
    {
        var payload = empty
        guard let data else {
            var none = NoData()
            try payload.fields(&none)
            return payload
        }
        // The value is not shown: it might be a text or a code (`A1`).
        guard data.isObject else { throw FieldError("must be an object") }
        var intake = JSONIntake(data, from: source)
        try payload.fields(&intake)
        try intake.finish(payload)
        return payload
    }
}

/// What is left out altogether must have no required field.
private struct NoData: FieldVisitor {
    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {
        if !V.isOptional { throw FieldError(path: "\(name)", "is missing; it must be \(limit.describe(V.allowed))") }
    }

    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {}

    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {
        try field(0, name, &value, .none)
    }
}
