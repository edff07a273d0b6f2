/// Writes a record's fields in the order of their numbers; what is unset is left out.
struct WireEncoding: FieldVisitor {
    /// Lent by the caller for the duration of one record.
    private let buffer: UnsafeMutablePointer<ByteBuffer>

    /// `buffer` must stay valid while the record is visited: `encode(_:into:)` below sees to it.
    fileprivate init(_ buffer: UnsafeMutablePointer<ByteBuffer>) { self.buffer = buffer }

    @inline(__always)
    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {
        if !value.isUnset { value.encode(number, into: &buffer.pointee) }
    }

    @inline(__always)
    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        if !value.isUnset { value.encode(number, into: &buffer.pointee) }
    }

    @inline(__always)
    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {}
}

/// Reads a record's fields in one pass over a message that has them in the order of their numbers, as every
/// writer of protobuf does; one that does not is read again, field by field.
struct WireDecoding: FieldVisitor {
    private var reader: WireReader
    private var pending: (number: Int, type: WireType)?
    /// Declared numbers passed so far, one bit each.
    private var passed: UInt64 = 0
    /// When set, only this field is read, from where the reader stands.
    private let target: Int?
    private(set) var isOutOfOrder = false

    init(_ reader: WireReader) throws(WireError) {
        self.reader = reader
        target = nil
        pending = try self.reader.tag()
    }

    /// For the slow path: offers one occurrence of one field, the reader standing behind its tag.
    init(occurrence number: Int, _ type: WireType, _ reader: WireReader) {
        self.reader = reader
        target = number
        pending = (number, type)
    }

    @inline(__always)
    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {
        do {
            guard target == nil else {
                if target == number, let type = pending?.type { try value.decode(type, &reader) }
                return
            }
            while let next = pending, next.number <= number {
                if next.number == number {
                    try value.decode(next.type, &reader)
                } else {
                    if next.number < 64, passed & (1 << UInt64(next.number)) != 0 { isOutOfOrder = true }
                    try reader.skip(next.type)
                }
                pending = try reader.tag()
            }
            passed |= 1 << UInt64(number)
        } catch WireError.wrongWireType {
            // A value does not know which field it is.
            throw FieldError(path: "\(name)", "\(WireError.wrongWireType(field: number))")
        } catch {
            throw FieldError(path: "\(name)", "\(error)")
        }
    }

    @inline(__always)
    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        try field(number, name, &value, .none)
    }

    @inline(__always)
    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {}

    /// Reads over what follows the last declared field: fields that only a newer version knows.
    mutating func finish() throws(WireError) {
        while let next = pending {
            if next.number < 64, passed & (1 << UInt64(next.number)) != 0 { isOutOfOrder = true }
            try reader.skip(next.type)
            pending = try reader.tag()
        }
    }
}

extension Payload {
    public func encode(into buffer: inout ByteBuffer) {
        withUnsafeMutablePointer(to: &buffer) { pointer in
            var encoding = WireEncoding(pointer)
            var copy = self
            do { try copy.fields(&encoding) } catch { preconditionFailure("writing a record cannot fail: \(error)") }
        }
    }

    /// Reads the record numbered `number`, or refuses bytes that are not one. A number this version does not know
    /// gives `nil`.
    public static func decode(_ number: Int, _ bytes: UnsafeRawBufferPointer) throws(FieldError) -> Payload? {
        guard var payload = Payload.empty(number) else { return nil }
        do {
            var decoding = try WireDecoding(WireReader(bytes))
            try payload.fields(&decoding)
            try decoding.finish()
            if decoding.isOutOfOrder, let again = try inAnyOrder(number, bytes) { payload = again }
        } catch let error as FieldError {
            throw error
        } catch {
            throw FieldError("\(error)")
        }
        return payload
    }

    private static func inAnyOrder(_ number: Int, _ bytes: UnsafeRawBufferPointer) throws -> Payload? {
        guard var payload = Payload.empty(number) else { return nil }
        var reader = WireReader(bytes)
        while let (field, type) = try reader.tag() {
            var occurrence = WireDecoding(occurrence: field, type, reader)
            try payload.fields(&occurrence)
            try reader.skip(type)
        }
        return payload
    }
}
