import Notices
import Testing

@testable import Delivery

@Suite("What a failure comes to for the person")
struct FailureMeaningTests {
    private func meaning(_ reason: String, isPermanent: Bool = false) -> FailureMeaning? {
        FailureMeaning(reason, isPermanent: isPermanent)
    }

    /// Whoever sends on our behalf may fail for any reason of its own: none of it is the person's.
    @Test(arguments: [
        "apns answered 403 InvalidProviderToken", "apns answered 400 TopicDisallowed",
        "apns answered 400 BadDeviceToken",
        "fcm answered 403 PERMISSION_DENIED, 5 tries", "fcm answered 401 THIRD_PARTY_AUTH_ERROR, 5 tries",
        "webhook http://app answered 410", "webhook http://app answered 503, 5 tries",
        "webhook http://app:550 answered 404", "smtp answered 554 5.7.1 to our sender, 5 tries",
        "smtp answered 503 to our sender, 5 tries", "smtp answered 550 5.7.1", "smtp offers no way to sign in",
        "twilio answered 400 21408", "twilio answered 503; it may have been taken, and is not sent again", "30003",
        "spool could not write /var/spool/x: Permission denied", "no sender reaches phone", "not in quiet hours",
        "webhook http://app answered 400 21610", "twilio answered 400", "",
    ])
    func `what is the operator's to mend means nothing for the person`(reason: String) {
        #expect(meaning(reason) == nil)
    }

    @Test func `a dead address is what was recorded as permanent, whatever was said`() {
        #expect(meaning("smtp answered 550 5.1.1", isPermanent: true) == .addressDead)
        #expect(meaning("apns answered 410 Unregistered", isPermanent: true) == .addressDead)
        #expect(meaning("any words of an app's own", isPermanent: true) == .addressDead)
        // That it was too late says nothing of the address (SPEC §11).
        #expect(meaning("too_late", isPermanent: true) == .tooLate)
    }

    @Test func `a phrase that is the sorting's own says that there was no address`() {
        for phrase in NoAddress.allCases { #expect(meaning(phrase.rawValue) == .noAddress) }
    }

    @Test func `somebody who answered STOP can do something about it`() {
        #expect(meaning("twilio answered 400 21610") == .stopped)
        #expect(meaning("twilio answered 400 21610, 3 tries") == .stopped)
    }

    @Test func `what came too late and what was switched off say so`() {
        #expect(meaning("apns answered 503, 3 tries before not_after") == .tooLate)
        #expect(meaning("the person has switched sms off") == .switchedOff)
        #expect(meaning(Stops.End.settled.words) == .settled)
        #expect(meaning(Stops.End.answered.words) == .answered && meaning(Stops.End.putOff.words) == .answered)
    }

    @Test(arguments: [HTTPFailure.Reason.cannotFind, .cannotConnect, .timedOut, .broken])
    func `who was not reached is a matter of the way`(reason: HTTPFailure.Reason) {
        #expect(meaning("webhook http://app \(HTTPFailure(reason, "words of a library")), 5 tries") == .network)
    }

    @Test func `of several devices it is said only where they agree`() {
        let (lost, refused) = ("fcm timed out: 10 s", "apns answered 403 BadCertificate")
        #expect(meaning("\(lost); \(refused)") == nil)
        #expect(meaning("\(refused); \(lost)") == nil)
        #expect(meaning("\(lost); fcm broke off: x, 5 tries") == .network)
    }
}
