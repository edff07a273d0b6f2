internal import Notices

extension JSONValue {
    /// An object of the members that are there.
    static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { member in member.value.map { Member(member.key, $0) } })
    }

    /// A text that is worth saying.
    static func words(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }

    static func whole(_ number: some BinaryInteger) -> JSONValue { .number("\(number)") }

    var bytes: [UInt8] { Array(text.utf8) }
}

extension JobEmitted {
    /// The app's own data, as it came.
    var dataMembers: [JSONValue.Member] { data.entries.map { .init($0.key, .string($0.value.text)) } }
}
