/// What a field that may be sealed says to a reader.
public enum Sealed: Sendable, Equatable {
    /// It never was sealed: the log is older than seals, or the field is nobody's.
    case plain([UInt8])
    /// It was sealed, and the person's key opened it.
    case opened([UInt8])
    /// The person was erased (`E1`).
    case erased

    /// What is shown in the place of what nobody can read any more.
    public static let erasedText = "[erased]"

    /// `nil` for what was erased.
    public var bytes: [UInt8]? {
        switch self {
        case .plain(let bytes), .opened(let bytes): bytes
        case .erased: nil
        }
    }

    /// For people to read.
    public var shown: String { bytes.map { String(decoding: $0, as: UTF8.self) } ?? Self.erasedText }
}

/// Why a sealed field says nothing, though its person was not erased.
public enum SealedFieldError: Error, Sendable, Equatable {
    /// There is no key to open it with.
    case keys(KeyRingError)
    /// The person's key did not seal this here: the log was changed, or the keys are of another time.
    case notOpened(person: UInt32, FieldPlace)
    /// It begins as something sealed, and is no such thing.
    case malformed(person: UInt32, FieldPlace)
}

extension SealedFieldError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keys(let error): "\(error)"
        case .notOpened(let person, let place):
            "\(place) was not sealed with the key of person \(person): `belfry verify` says whether the log was changed; if it was not, the keys are of another time. Restore `keys` and `keys.table` together, from the newest backup of the keys"
        case .malformed(let person, let place):
            "\(place), of person \(person), is no sealed field though it begins as one: `belfry verify` says whether the log was changed"
        }
    }
}
