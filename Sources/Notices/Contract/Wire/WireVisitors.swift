/// Writes a record's fields in the order of their numbers; what is unset is left out.
struct WireEncoding: LookingVisitor {
    /// Lent by the caller for the duration of one record.
    private let buffer: UnsafeMutablePointer<ByteBuffer>
    /// `nil` where nothing is sealed.
    private let seals: EventSeals?

    /// `buffer` must stay valid while the record is visited: `encode(_:into:)` below sees to it.
    fileprivate init(_ buffer: UnsafeMutablePointer<ByteBuffer>, _ seals: EventSeals?) {
        self.buffer = buffer
        self.seals = seals
    }

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

    @inline(__always)
    mutating func sealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ origin: SealedOrigin
    ) throws(FieldError) {
        guard !value.isUnset else { return }
        guard let seals, value.isSecret else { return value.encode(number, into: &buffer.pointee) }
        try seal(number, &value, seals, origin == .told ? seals.week : nil)
    }

    @inline(__always)
    mutating func names<V: NoticeNames>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        guard !value.isUnset else { return }
        guard let seals else { return value.encode(number, into: &buffer.pointee) }
        let own = number + FieldForm.own.rawValue
        if !value.encodeOwn(own, of: seals.user, into: &buffer.pointee) { try seal(number, &value, seals, nil) }
    }

    /// The field is written as it stands in the clear, and that is sealed: so every type of field is sealed alike, and whoever
    /// opens it has a piece of the message.
    private func seal<V: SealedValue>(
        _ number: Int, _ value: inout V, _ seals: EventSeals, _ week: TextWeek?
    ) throws(FieldError) {
        value.open?.encode(number, into: &buffer.pointee)
        let start = buffer.pointee.count
        value.secret.encode(number, into: &buffer.pointee)
        guard let sealer = seals.sealer?.it else { throw FieldError("a field is to be sealed without keys") }
        let plain = UnsafeRawBufferPointer(rebasing: buffer.pointee.bytes[start...])
        let sealed = try sealer.seal(plain, at: seals.place(number), of: week)
        buffer.pointee.cut(to: start)
        buffer.pointee.appendBytes(number + FieldForm.sealed.rawValue, sealed)
    }
}

/// Reads a record's fields in one pass over a message that has them in the order of their numbers, as every
/// writer of protobuf does; one that does not is read again, field by field.
struct WireDecoding: FieldVisitor {
    private var reader: WireReader
    private var pending: (number: Int, type: WireType, form: FieldForm)?
    /// Lent by the caller: a copy for every record would count references.
    private let seals: UnsafePointer<EventSeals>
    /// Declared numbers passed so far, one bit each.
    private var passed: UInt64 = 0
    /// When set, only this field is read, from where the reader stands.
    private let target: Int?
    private(set) var isOutOfOrder = false

    /// `begin()` comes next: what cannot fail is set up where it is to stay.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, _ seals: UnsafePointer<EventSeals>) {
        reader = WireReader(bytes)
        self.seals = seals
        target = nil
    }

    @inline(__always)
    mutating func begin() throws(WireError) { try advance() }

    /// For the slow path: offers one occurrence of one field, the reader standing behind its tag.
    init(occurrence number: Int, _ type: WireType, _ reader: WireReader, _ seals: UnsafePointer<EventSeals>) {
        self.reader = reader
        self.seals = seals
        let (form, declared) = FieldForm.of(number)
        target = declared
        pending = (declared, type, form)
    }

    @inline(__always)
    private mutating func advance() throws(WireError) {
        guard let next = try reader.tag() else {
            pending = nil
            return
        }
        let (form, declared) = FieldForm.of(next.number)
        pending = (declared, next.type, form)
    }

    @inline(__always)
    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {
        do throws(WireError) {
            while let (type, form) = try occurrence(of: number) {
                if form == .plain { try value.decode(type, &reader) } else { try reader.skip(type) }
                try passOn()
            }
        } catch { throw Self.refusal(error, number, name) }
    }

    @inline(__always)
    mutating func sealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ origin: SealedOrigin
    ) throws(FieldError) {
        _ = try readSealed(number, name, &value)
    }

    @inline(__always)
    mutating func names<V: NoticeNames>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        if try readSealed(number, name, &value) { value.own(by: seals.pointee.user) }
    }

    /// Returns whether what was read is without the person.
    @inline(__always)
    private mutating func readSealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V
    ) throws(FieldError) -> Bool {
        var isOwn = false
        do throws(WireError) {
            while let (type, form) = try occurrence(of: number) {
                if form == .own { isOwn = true }
                if form == .sealed {
                    guard type == .bytes else { throw .wrongWireType(field: number) }
                    try value.unseal(try reader.bytes(), number, seals)
                } else {
                    try value.decode(type, &reader)
                }
                try passOn()
            }
        } catch { throw Self.refusal(error, number, name) }
        return isOwn
    }

    /// Goes to the next occurrence of a field: the reader then stands behind its tag. `nil` when there is none left.
    @inline(__always)
    private mutating func occurrence(of number: Int) throws(WireError) -> (type: WireType, form: FieldForm)? {
        guard target == nil else {
            guard target == number, let next = pending else { return nil }
            return (next.type, next.form)
        }
        while let next = pending, next.number <= number {
            if next.number == number { return (next.type, next.form) }
            if next.number < 64, passed & (1 << UInt64(next.number)) != 0 { isOutOfOrder = true }
            try reader.skip(next.type)
            try advance()
        }
        passed |= 1 << UInt64(number)
        return nil
    }

    /// An occurrence has been read.
    @inline(__always)
    private mutating func passOn() throws(WireError) {
        if target == nil { try advance() } else { pending = nil }
    }

    private static func refusal(_ error: WireError, _ number: Int, _ name: StaticString) -> FieldError {
        // A value does not know which field it is.
        if case .wrongWireType = error {
            return FieldError(path: "\(name)", "\(WireError.wrongWireType(field: number))")
        }
        return FieldError(path: "\(name)", "\(error)")
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
            try advance()
        }
    }
}

extension SealedValue {
    fileprivate mutating func unseal(
        _ sealed: UnsafeRawBufferPointer, _ number: Int, _ seals: UnsafePointer<EventSeals>
    ) throws(WireError) {
        guard let sealer = seals.pointee.sealer?.it else { return veil() }
        let plain: UnsafeRawBufferPointer?
        do throws(FieldError) { plain = try sealer.open(sealed, at: seals.pointee.place(number)) } catch {
            throw .notOpened(error.problem)
        }
        guard let plain else { return veil() }
        var inner = WireReader(plain)
        while let (field, type) = try inner.tag() {
            if field == number { try decode(type, &inner) } else { try inner.skip(type) }
        }
    }
}

extension Payload {
    /// As it stands in a log that has no seals.
    public func encode(into buffer: inout ByteBuffer) {
        do throws(FieldError) { try encode(into: &buffer, sealing: nil) } catch {
            preconditionFailure("writing a record cannot fail: \(error)")
        }
    }

    public func encode(into buffer: inout ByteBuffer, sealing seals: EventSeals?) throws(FieldError) {
        let result = withUnsafeMutablePointer(to: &buffer) { pointer -> Result<Void, FieldError> in
            var encoding = WireEncoding(pointer, seals)
            do throws(FieldError) { return .success(try show(&encoding)) } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Reads the record numbered `number`, or refuses bytes that are not one. A number this version does not know
    /// gives `nil`.
    public static func decode(
        _ number: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(FieldError) -> Payload? {
        try withUnsafePointer(to: EventSeals.none) { seals throws(FieldError) in
            try decode(number, bytes, sealed: seals)
        }
    }

    /// - Parameter seals: lent for as long as this takes.
    public static func decode(
        _ number: Int, _ bytes: UnsafeRawBufferPointer, sealed seals: UnsafePointer<EventSeals>
    ) throws(FieldError) -> Payload? {
        var decoding = WireDecoding(bytes, seals)
        do throws(WireError) { try decoding.begin() } catch {
            // Of a type that is not known here nothing is read, so nothing is wrong with it.
            guard empty(number) != nil else { return nil }
            throw FieldError("\(error)")
        }
        let payload = try filled(number, by: &decoding)
        do throws(WireError) { try decoding.finish() } catch { throw FieldError("\(error)") }
        if decoding.isOutOfOrder { return try inAnyOrder(number, bytes, seals) }
        return payload
    }

    private static func empty(_ number: Int) -> Payload? { all.first { $0.type.number == number } }

    private static func inAnyOrder(
        _ number: Int, _ bytes: UnsafeRawBufferPointer, _ seals: UnsafePointer<EventSeals>
    ) throws(FieldError) -> Payload? {
        guard var payload = empty(number) else { return nil }
        do {
            var reader = WireReader(bytes)
            while let (field, type) = try reader.tag() {
                var occurrence = WireDecoding(occurrence: field, type, reader, seals)
                try payload.fields(&occurrence)
                try reader.skip(type)
            }
        } catch let error as FieldError {
            throw error
        } catch {
            throw FieldError("\(error)")
        }
        return payload
    }
}
