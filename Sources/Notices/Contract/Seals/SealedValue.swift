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
    /// Without their person; `nil` where one of them is somebody else's.
    func own(of user: String) -> Self?
    /// With their person again.
    mutating func own(by user: String)
    /// The first of them; `nil` where there is none.
    var first: NoticeName? { get }
}

extension NoticeName: NoticeNames {
    public func own(of user: String) -> NoticeName? {
        guard text.utf8.count > user.utf8.count, text.utf8.starts(with: user.utf8) else { return nil }
        let rest = text.utf8.dropFirst(user.utf8.count)
        return rest.first == UInt8(ascii: "/") ? NoticeName(String(text[rest.startIndex...].dropFirst())) : nil
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
    public func own(of user: String) -> NoticeName?? {
        guard let self else { return .some(nil) }
        return self.own(of: user).map { .some($0) }
    }

    public mutating func own(by user: String) { self?.own(by: user) }

    public var first: NoticeName? { self }
}

extension Array: NoticeNames where Element == NoticeName {
    public func own(of user: String) -> [NoticeName]? {
        var names: [NoticeName] = []
        names.reserveCapacity(count)
        for name in self {
            guard let own = name.own(of: user) else { return nil }
            names.append(own)
        }
        return names
    }

    public mutating func own(by user: String) { for place in indices { self[place].own(by: user) } }
}
