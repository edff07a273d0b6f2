/// A type of field that may be sealed (`E2`).
///
/// Decisions hang on its presence alone: read again without the key it is there, and nothing else is known of it.
public protocol SealedValue: FieldValue {
    /// Whether there is anything to seal. What is not stands in the clear, as an empty text does: decisions may hang on it.
    var isSecret: Bool { get }
    /// What of it stands in the clear beside what is sealed; `nil` for nothing.
    var open: Self? { get }
    /// What of it is sealed.
    var secret: Self { get }
    /// Becomes what is shown of one that nobody can read any more.
    mutating func veil()
}

extension SealedValue {
    public var open: Self? { nil }
    public var secret: Self { self }
}

extension TextValue {
    public var isSecret: Bool { !text.isEmpty && text != JobFailed.tooLate }

    public mutating func veil() { self = Self(Erased.text) }
}

extension Optional: SealedValue where Wrapped: SealedValue & Startable {
    public var isSecret: Bool { self?.isSecret ?? false }

    public mutating func veil() {
        var value = Wrapped.start
        value.veil()
        self = value
    }
}

extension Erasable: SealedValue {
    /// That there is none any more is no secret: by what a person is reached is decided by it.
    public var isSecret: Bool { if case .given(let value) = self { value.isSecret } else { false } }

    public mutating func veil() { self = .given(Value(Erased.text)) }
}

extension Array: SealedValue where Element: SealedValue & Startable {
    public var isSecret: Bool { !isEmpty }

    /// How many there were is not known any more.
    public mutating func veil() {
        var element = Element.start
        element.veil()
        self = [element]
    }
}

extension FlatMap: SealedValue where Value: SealedValue {
    public var isSecret: Bool { !entries.isEmpty }

    public mutating func veil() {
        var value = Value.start
        value.veil()
        self = FlatMap(Erased.text, value)
    }
}

// MARK: Names

/// A field of notices' names, which begin with the person they are for: kept without them in a log that has seals.
public protocol NoticeNames: SealedValue {
    /// Writes them without their person; `false`, and nothing is written, where one of them is somebody else's.
    func encodeOwn(_ number: Int, of user: String, into buffer: inout ByteBuffer) -> Bool
    /// With their person again.
    mutating func own(by user: String)
    /// The first of them; `nil` where there is none.
    var first: NoticeName? { get }
}

extension NoticeName: NoticeNames {
    public func encodeOwn(_ number: Int, of user: String, into buffer: inout ByteBuffer) -> Bool {
        withOwn(of: user) { own in
            guard let own else { return false }
            buffer.appendBytes(number, own)
            return true
        }
    }

    /// Lends what the name has behind its person, where it lies: every job's names pass here.
    fileprivate func withOwn<Result>(of user: String, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        text.utf8Span.span.withUnsafeBytes { text in
            user.utf8Span.span.withUnsafeBytes { user in
                guard text.count > user.count, text[user.count] == UInt8(ascii: "/"), text.starts(with: user) else {
                    return body(nil)
                }
                return body(UnsafeRawBufferPointer(rebasing: text[(user.count + 1)...]))
            }
        }
    }

    public mutating func own(by user: String) {
        // Every job's names pass here, and to fill a template takes several times as long.
        var whole = ""
        whole.reserveCapacity(user.utf8.count + 1 + text.utf8.count)
        whole += user
        whole += "/"
        whole += text
        text = whole
    }

    public var first: NoticeName? { self }
}

extension Optional: NoticeNames where Wrapped == NoticeName {
    public func encodeOwn(_ number: Int, of user: String, into buffer: inout ByteBuffer) -> Bool {
        self?.encodeOwn(number, of: user, into: &buffer) ?? true
    }

    public mutating func own(by user: String) { self?.own(by: user) }

    public var first: NoticeName? { self }
}

extension Array: NoticeNames where Element == NoticeName {
    public func encodeOwn(_ number: Int, of user: String, into buffer: inout ByteBuffer) -> Bool {
        guard allSatisfy({ $0.withOwn(of: user) { $0 != nil } }) else { return false }
        for name in self { _ = name.encodeOwn(number, of: user, into: &buffer) }
        return true
    }

    public mutating func own(by user: String) { for place in indices { self[place].own(by: user) } }
}
