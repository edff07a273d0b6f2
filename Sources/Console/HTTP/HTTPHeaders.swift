/// The header fields of a request or response, in their order. Names are the same in any case (RFC 9110).
public struct HTTPHeaders: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: String
    }

    public private(set) var fields: [Field] = []

    public init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    public mutating func remove(_ names: [String]) {
        fields.removeAll { field in names.contains { field.name.isSameIgnoringCase($0) } }
    }

    /// Every value that stands under a name.
    public func all(_ name: String) -> [String] {
        fields.filter { $0.name.isSameIgnoringCase(name) }.map(\.value)
    }

    /// The first value under a name.
    public subscript(name: String) -> String? {
        fields.first { $0.name.isSameIgnoringCase(name) }?.value
    }
}

extension StringProtocol {
    /// Whether two words of a protocol are the same, `A` being `a`. Only ASCII letters have a case here.
    func isSameIgnoringCase(_ other: some StringProtocol) -> Bool {
        utf8.lazy.map(\.inLowerCase).elementsEqual(other.utf8.lazy.map(\.inLowerCase))
    }

    /// Without the spaces and tabs at its ends.
    var withoutBlanksAround: String {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let utf8 = Substring(self).utf8
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(Substring(utf8[first...last]))
    }
}

extension UInt8 {
    fileprivate var inLowerCase: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
