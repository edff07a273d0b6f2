/// A JSON value to be taken apart and changed, such as a preferences document. Keys keep their order.
public enum JSONValue: Sendable, Hashable {
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// As it was written.
    case number(String)
    case bool(Bool)
    case null

    public struct Member: Sendable, Hashable {
        public var key: String
        public var value: JSONValue

        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    public static let emptyObject = JSONValue.object([])

    public init(_ node: JSONNode) {
        if node.isObject {
            self = .object(node.members.map { Member($0.key, JSONValue($0.value)) })
        } else if node.isArray {
            self = .array(node.elements.map { JSONValue($0) })
        } else if let text = node.string {
            self = .string(text)
        } else if let bool = node.bool {
            self = .bool(bool)
        } else {
            self = node.isNull ? .null : .number(node.shown)
        }
    }

    /// The value of a text that is JSON; `nil` for one that is not.
    public init?(parsing text: String) {
        guard let node = try? JSONTape().parse(text) else { return nil }
        self.init(node)
    }

    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        // By place: a member that is taken out to be looked at is counted.
        for place in members.indices where members[place].key == key { return members[place].value }
        return nil
    }
}

// MARK: Merge patches (RFC 7396)

extension JSONValue {
    /// The value with a patch laid over it: `null` takes a member away, an object goes into an object, anything else
    /// replaces.
    public func merged(with patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        let members = self.members
        guard members.count + changes.count <= KeyPlaces.fewMax else { return .object(Self.merged(members, changes)) }
        var merged = members
        for change in changes {
            let place = merged.place(of: change.key)
            switch (change.value, place) {
            case (.null, let place?): merged.remove(at: place)
            case (.null, nil): break
            case (let value, let place?): merged[place].value = merged[place].value.merged(with: value)
            case (let value, nil): merged.append(Member(change.key, JSONValue.null.merged(with: value)))
            }
        }
        return .object(merged)
    }

    /// The same of an object with many members.
    private static func merged(_ own: [Member], _ changes: [Member]) -> [Member] {
        var members = own.map { Optional($0) }
        var places = KeyPlaces(own)
        for change in changes {
            switch (change.value, places[change.key]) {
            case (.null, let place?):
                members[place] = nil
                places[change.key] = nil
            case (.null, nil): break
            case (let value, let place?):
                let own = members[place]?.value ?? .null
                members[place]?.value = own.merged(with: value)
            case (let value, nil):
                places[change.key] = members.count
                members.append(Member(change.key, JSONValue.null.merged(with: value)))
            }
        }
        return members.compactMap(\.self)
    }

    /// What of this value differs from `base`: the part of it that, laid over `base`, gives this value again.
    ///
    /// Objects are compared member by member; members that `base` alone has are not mentioned.
    public func difference(from base: JSONValue) -> JSONValue? {
        guard case .object(let members) = self, case .object(let others) = base else {
            return self == base ? nil : self
        }
        let places = others.count > KeyPlaces.fewMax ? KeyPlaces(others) : nil
        let different = members.compactMap { member -> Member? in
            guard let place = places.map({ $0[member.key] }) ?? others.place(of: member.key) else { return member }
            return member.value.difference(from: others[place].value).map { Member(member.key, $0) }
        }
        return different.isEmpty ? nil : .object(different)
    }
}

extension [JSONValue.Member] {
    /// By place: a member that is taken out to be looked at is counted.
    fileprivate func place(of key: String) -> Int? {
        for place in indices where self[place].key == key { return place }
        return nil
    }
}

/// Where each key of an object with many members stands: it may have a thousand. Of few each is looked at.
private struct KeyPlaces {
    static let fewMax = 12

    private var places: [String: Int]

    init(_ members: [JSONValue.Member]) {
        places = Dictionary(members.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(_ key: String) -> Int? {
        get { places[key] }
        set { places[key] = newValue }
    }
}

// MARK: Writing

extension JSONValue {
    public func write(into buffer: inout ByteBuffer) {
        switch self {
        case .object(let members):
            buffer.append(UInt8(ascii: "{"))
            for (place, member) in members.enumerated() {
                if place > 0 { buffer.append(UInt8(ascii: ",")) }
                buffer.appendJSONString(member.key)
                buffer.append(UInt8(ascii: ":"))
                member.value.write(into: &buffer)
            }
            buffer.append(UInt8(ascii: "}"))
        case .array(let elements):
            buffer.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { buffer.append(UInt8(ascii: ",")) }
                element.write(into: &buffer)
            }
            buffer.append(UInt8(ascii: "]"))
        case .string(let text): buffer.appendJSONString(text)
        case .number(let text): buffer.append(text)
        case .bool(let value): buffer.append(value ? "true" : "false")
        case .null: buffer.append("null")
        }
    }

    public var text: String {
        var buffer = ByteBuffer()
        write(into: &buffer)
        return buffer.text
    }
}
