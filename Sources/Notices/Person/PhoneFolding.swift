internal import CivilTime

/// Verification of a phone number (SPEC §11).
extension Person {
    public static let codeLifetimeMinutes: Int64 = 10
    public static let codeAttempts = 5
    public static let resendSeconds: Int64 = 30
    public static let lockMinutes: Int64 = 15

    /// Asking again does not give the attempts back: else there would be as many as one likes. Mistakes that were made longer ago
    /// than a lock lasts are forgotten.
    func askForCode(_ phone: String, on occasion: Occasion) {
        let lastMistake = details.phone.askedAt.advanced(byMinutes: Self.codeLifetimeMinutes)
        if occasion.at >= lastMistake.advanced(byMinutes: Self.lockMinutes) { details.phone.attempts = 0 }
        details.phone.asked = phone
        details.phone.askedAt = occasion.at
        details.phone.request = occasion.sequence
        details.phone.asked(at: occasion.at)
    }

    func enterCode(isCorrect: Bool) {
        guard details.phone.asked != nil else { return }
        details.phone.attempts += 1
        details.phone.wasCorrect = isCorrect
    }

    func acceptPhone(_ at: Instant) {
        details.phone.number = details.phone.asked ?? details.phone.number
        details.phone.asked = nil
        details.phone.attempts = 0
        revivePhone(at)
        flags.insert(.phoneVerified)
    }

    func lockPhone(_ at: Instant) {
        details.phone.asked = nil
        details.phone.attempts = 0
        details.phone.lockedUntil = at.advanced(byMinutes: Self.lockMinutes)
    }
}

extension Desk {
    func judgeCode() {
        guard let phone = person.details.phone.asked else { return }
        let tail = PhoneTail(String(phone.suffix(4)))
        if person.details.phone.wasCorrect {
            var verified = PhoneVerified()
            verified.phone = tail
            decide(.acceptPhone(verified))
        } else if person.details.phone.attempts >= Person.codeAttempts {
            var locked = PhoneLocked()
            locked.phone = tail
            decide(.lockPhone(locked))
        }
    }
}
