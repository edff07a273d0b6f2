/// Seals fields with the keys of the people they are about, and opens them again (`E2`). Belongs to one thread.
///
/// What it gives is good until it is asked for the next.
public protocol FieldSealer: AnyObject {
    /// - Parameter week: for what ends with its week; `nil` for what stays as long as the person.
    func seal(
        _ plain: UnsafeRawBufferPointer, at place: SealedPlace, of week: TextWeek?
    ) throws(FieldError) -> UnsafeRawBufferPointer

    /// Why something could not be opened, though nobody was erased: the keys are not as they should be.
    var failure: String? { get }

    /// `nil` for what was sealed with a key that is destroyed.
    func open(_ sealed: UnsafeRawBufferPointer, at place: SealedPlace) throws(FieldError) -> UnsafeRawBufferPointer?
}

/// A sealer that is passed on without counting references to it: every event of a log carries it.
///
/// A struct, which may be missing: Swift 6.3 does not tell a missing value from one whose `unowned(unsafe)` field is `nil`.
public struct LentSealer {
    /// Safe for as long as what was sealed is there: whoever has its bytes keeps this.
    public unowned(unsafe) let it: any FieldSealer

    public init(_ sealer: any FieldSealer) { it = sealer }
}

/// Whose a sealed field is, and where in the log it stands: it can be opened there and nowhere else.
public struct SealedPlace: Sendable, Equatable {
    /// By the number that the log gave them.
    public let person: UInt32
    /// The event's number; 0 for the person's id, which belongs to no event.
    public let sequence: UInt64
    /// In the event's payload; 0 for the person's id.
    public let field: Int
    /// Whether it stands beside the payload, as the id of a fact does.
    public let isAround: Bool

    public init(person: UInt32, sequence: UInt64, field: Int, isAround: Bool = false) {
        (self.person, self.sequence, self.field, self.isAround) = (person, sequence, field, isAround)
    }

    /// Where the log meets somebody.
    public static func id(of person: UInt32) -> SealedPlace { SealedPlace(person: person, sequence: 0, field: 0) }
}

/// How the fields of one event are written and read in a log that has seals.
public struct EventSeals {
    /// `nil` for whoever reads without keys: all that is sealed then looks as if it were erased.
    let sealer: LentSealer?
    let person: UInt32
    let sequence: UInt64
    /// What the names of the person's notices begin with.
    let user: String
    /// What the person is told is sealed as of this week; `nil` where it is kept as long as they are.
    let week: TextWeek?

    public init(_ sealer: LentSealer?, person: UInt32, sequence: UInt64, user: String, week: TextWeek? = nil) {
        (self.sealer, self.person, self.sequence, self.user, self.week) = (sealer, person, sequence, user, week)
    }

    /// Of a log that has none, and of whoever asks for nothing that is sealed.
    public static var none: EventSeals { EventSeals(nil, person: 0, sequence: 0, user: "") }

    func place(_ field: Int) -> SealedPlace { SealedPlace(person: person, sequence: sequence, field: field) }
}

/// What a field's number is raised by where it stands otherwise than in the clear.
public enum FieldForm: Int, Sendable {
    case plain = 0
    /// The field as the plain form has it, sealed.
    case sealed = 1000
    /// The names of a person's own notices, without the person.
    case own = 2000

    /// The form that a number in the log tells of, and the number as it is declared.
    @inline(__always)
    static func of(_ number: Int) -> (form: FieldForm, number: Int) {
        if number < sealed.rawValue { return (.plain, number) }
        if number < own.rawValue { return (.sealed, number - sealed.rawValue) }
        return number < own.rawValue + 1000 ? (.own, number - own.rawValue) : (.plain, number)
    }
}

/// What stands in the place of what nobody can read any more.
public enum Erased {
    public static let text = "[erased]"

    /// Somebody whose id is erased. No id can be given that reads like it.
    public static func person(_ number: UInt32) -> String { "[erased \(number)]" }

    /// The number of somebody who is called so.
    public static func number(in id: UnsafeRawBufferPointer) -> UInt32? {
        guard id.count > prefix.utf8CodeUnitCount + 1, id.first == UInt8(ascii: "["), id.last == UInt8(ascii: "]"),
            id.prefix(prefix.utf8CodeUnitCount).elementsEqual(
                UnsafeRawBufferPointer(
                    start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
        else { return nil }
        return UInt32(String(decoding: id.dropFirst(prefix.utf8CodeUnitCount).dropLast(), as: UTF8.self))
    }

    /// Whether a text calls somebody so.
    public static func isPerson(_ text: String) -> Bool {
        var copy = text
        let known = copy.withUTF8 { number(in: UnsafeRawBufferPointer($0)) }
        return known.map { person($0) == text } ?? false
    }

    private static let prefix: StaticString = "[erased "

    /// Whether a text is one that was erased.
    public static func holds(_ text: String) -> Bool { text.hasPrefix("[erased") && text.hasSuffix("]") }
}
