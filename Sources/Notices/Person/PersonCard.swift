public import CivilTime

/// What is known of a person at once, without reading their events.
public struct PersonCard: Sendable {
    public var displayName: String?
    public var phone = PhoneState()
    public var isPhoneVerified = false
    /// Whether texts are switched on, for all.
    public var hasTextsOn = false
    /// In which somebody last wrote to them.
    public var lastConversation: String?

    public init() {}

    public init(_ person: Person) {
        isPhoneVerified = person.hasWorkingPhone
        hasTextsOn = person.preferences.channels.contains(.sms)
        guard person.hasDetails else { return }
        displayName = person.details.displayName
        phone = person.details.phone
        lastConversation = person.details.analyses.lastConversation
    }
}

extension PhoneState {
    /// Until when the code that was sent last is good.
    public var codeEndsAt: Instant { askedAt.advanced(byMinutes: Person.codeLifetimeMinutes) }

    /// From when on another may be asked for.
    public var resendAt: Instant { askedAt.advanced(bySeconds: Person.resendSeconds) }
}

/// Addresses as they may be shown to a holder of the person's token: enough for the person to recognise them.
public enum Masked {
    /// `+1 ••• •• 67`
    public static func phone(_ number: String) -> String {
        // Of the country's code as much as is surely that: all with one digit are 1 and 7.
        let digits = number.drop { $0 == "+" }
        let country = digits.prefix(digits.hasPrefix("1") || digits.hasPrefix("7") ? 1 : 2)
        return "+\(country) ••• •• \(digits.suffix(2))"
    }

    /// `a•••@example.org`
    public static func email(_ address: String) -> String {
        let parts = address.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return "•••" }
        return "\(parts[0].prefix(1))•••@\(parts[1])"
    }
}
