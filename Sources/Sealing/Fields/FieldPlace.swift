/// Where a field stands in the log. Together with the log's identity it is what a sealed field is bound to.
public struct FieldPlace: Sendable, Hashable {
    /// The event's number in the log.
    public let sequence: UInt64
    public let field: UInt32
    /// Which one of a list, from 1; 0 where the field is no list.
    public let item: UInt32

    /// The field of an event's payload, by its number in the contract.
    public init(sequence: UInt64, field: UInt32, item: UInt32 = 0) {
        (self.sequence, self.field, self.item) = (sequence, field, item)
    }

    /// A field of the event around its payload, such as the id of a fact. The contract has no fields of numbers so high.
    public static func around(sequence: UInt64, field: UInt32) -> FieldPlace {
        FieldPlace(sequence: sequence, field: field | 1 << 31)
    }

    /// Where the log meets a person: their id, which is sealed once and belongs to no event.
    public static let person = FieldPlace(sequence: 0, field: 0)
}

extension FieldPlace: CustomStringConvertible {
    public var description: String {
        if self == .person { return "the id" }
        let name = field >> 31 == 0 ? "field \(field)" : "field \(field & ~(1 << 31)) around the payload"
        return "\(name)\(item == 0 ? "" : ", item \(item),") of event \(sequence)"
    }
}
