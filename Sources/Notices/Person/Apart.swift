/// What few people have, kept apart from what everybody has: it takes a word of whoever has none of it.
///
/// Copies share it until one of them is changed.
@propertyWrapper
public struct Apart<Value: Blank>: Sendable {
    /// Changed only by who alone holds it.
    private final class Box: @unchecked Sendable {
        @exclusivity(unchecked) var value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    public init() {}

    public var wrappedValue: Value {
        _read {
            if let box { yield box.value } else { yield Value() }
        }
        _modify {
            let own = isKnownUniquelyReferenced(&box) ? box ?? Box(Value()) : Box(box?.value ?? Value())
            box = own
            yield &own.value
        }
        set { box = newValue == Value() ? nil : Box(newValue) }
    }
}

/// Has a value that stands for nothing.
public protocol Blank: Sendable, Equatable {
    init()
}
