internal import Notices

/// What a failure comes to for the person whom the job was for, so that they are not sent to mend what is not theirs.
///
/// Whether an address is dead is recorded with the outcome. The rest is read from the phrases that Belfry itself writes, and
/// from the one code of Twilio's that it acts on; what a provider, a relay or a sink says freely means nothing here.
public enum FailureMeaning: String, Sendable, CaseIterable {
    /// Its time passed before anybody took it.
    case tooLate = "too_late"
    /// There was no address on that channel to send it to.
    case noAddress = "no_address"
    /// The address takes nothing any more.
    case addressDead = "address_dead"
    /// They told the provider to stop.
    case stopped
    /// They had switched it off before it left.
    case switchedOff = "switched_off"
    /// There was no consent to it any more when it was to leave.
    case noConsent = "no_consent"
    /// What it was for had been done before it left.
    case settled
    /// They had opened, dismissed or put it off before it left, or read what it is about.
    case answered
    /// Whoever was to take it was not reached, or went silent.
    case network

    /// What a recorded failure means; `nil` where nobody but the operator can say.
    public init?(_ reason: String, isPermanent: Bool) {
        if reason == JobFailed.tooLate || reason.hasSuffix(SenderTries.beforeNotAfter) {
            self = .tooLate
        } else if isPermanent {
            self = .addressDead
        } else {
            // Several devices of one person each have theirs: it is said only where they agree.
            let meanings = Set(reason.split(separator: "; ").map { Self.of(phrase: $0) })
            guard meanings.count == 1, let meaning = meanings.first ?? nil else { return nil }
            self = meaning
        }
    }

    private static func of(phrase: Substring) -> Self? {
        if NoAddress.allCases.contains(where: { phrase == $0.rawValue }) { return .noAddress }
        if phrase.hasPrefix(Stops.phrase) { return .switchedOff }
        if phrase == Stops.Reason.consent.words { return .noConsent }
        if let end = Stops.End.allCases.first(where: { phrase == $0.words }) {
            return end == .settled ? .settled : .answered
        }
        if TwilioAnswer.saysStop(phrase) { return .stopped }
        let isOnTheWay = HTTPFailure.Reason.onTheWay.contains { phrase.contains(" \($0.phrase): ") }
        return isOnTheWay ? .network : nil
    }
}

/// Why a channel leads nowhere, where that is the person's to mend.
enum NoAddress: String, CaseIterable {
    case email = "no email address that works is known"
    case phone = "no phone number is verified"
    case device = "no device is registered"
    case gone = "its address is not there any more"
}
