/// What the sender of a fact should know of it; the fact is recorded all the same (SPEC §3, N9).
public struct Warning: Sendable, Equatable {
    /// What it is about, whatever its sentence names. A history with thousands of warnings has few kinds of them.
    public enum Kind: Sendable, CaseIterable {
        case quietCheckIns
        case quietReminders
        case quietSchedule
        case everythingOff
        case smartOff
        case requiredSwitchedOff
        case withoutEffect
        case codeRefused
        /// A device's token that is none of its provider's.
        case strangeToken
        /// As another worker gave it, which has told its sentence alone.
        case elsewhere
    }

    public let kind: Kind
    public let sentence: String

    public init(_ kind: Kind, _ sentence: String) {
        self.kind = kind
        self.sentence = sentence
    }
}
