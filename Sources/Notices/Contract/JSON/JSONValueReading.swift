/// What a `JSONValue` is, asked one type at a time; `nil` where it is another.
extension JSONValue {
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// A whole number that fits; `3.0` and `1e2` are not written as whole numbers and are not taken for ones.
    public var integer: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text)
    }

    /// A whole number that is not negative, as those of events and bytes are.
    public var natural: UInt64? {
        guard case .number(let text) = self, text.utf8.first != UInt8(ascii: "-") else { return nil }
        return UInt64(text)
    }

    public var isObject: Bool {
        guard case .object = self else { return false }
        return true
    }

    /// In the order they stand; none for what is not an object.
    public var members: [Member] {
        guard case .object(let members) = self else { return [] }
        return members
    }

    public var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// How the value is shown in a message.
    public var shown: String {
        switch self {
        case .object: "an object"
        case .array: "a list"
        case .string(let text): quoted(text)
        default: text
        }
    }

    /// The value with one deep inside it set; what stands on the way and is no object gives way.
    func setting(_ path: ArraySlice<String>, to value: JSONValue) -> JSONValue {
        guard let key = path.first else { return value }
        var members = self.members
        if let place = members.firstIndex(where: { $0.key == key }) {
            members[place].value = members[place].value.setting(path.dropFirst(), to: value)
        } else {
            members.append(Member(key, JSONValue.emptyObject.setting(path.dropFirst(), to: value)))
        }
        return .object(members)
    }
}
