/// What a provider's answer means for a job and the address it went to (`N2`–`N5`).
///
/// Read from statuses and codes, never from words: those change, and are translated. Reasons are phrases that follow the
/// sender's name, and hold no address and no token.
public enum SenderVerdict: Sendable, Equatable {
    /// The provider has it: that is *sent*, not delivered (`N3`).
    case taken(providerID: String?)
    /// Nobody is there any more: not to be used again until it is registered anew.
    case dead(reason: String)
    /// The person told the provider to stop.
    case stopped(reason: String)
    /// Someone has to mend something. The address is as good as before.
    case misconfigured(Misconfiguration)
    /// The provider said when to come again, which is no failure.
    case wait(seconds: Int, reason: String, whom: Whom)
    /// May pass: to be tried again.
    case transient(reason: String, whom: Whom = .sender)
    /// Not this job to this address, however often it is tried.
    case final(reason: String)
    /// What the provider was shown has expired. Each sender tries once more at once with a new one, and passes this on only
    /// if it cannot.
    case renew(reason: String)

    /// Its time has passed, and nobody took it (SPEC §11).
    static let tooLate = final(reason: tooLateReason)
    static let tooLateReason = "too_late"

    /// Whom a wait, a mistake or a failure that may pass is about.
    public enum Whom: Sendable, Equatable {
        case sender
        /// Some addresses and no others, such as the devices of one platform: somebody can mend it for all of them.
        case some
        case address
    }

    public struct Misconfiguration: Sendable, Equatable {
        public var reason: String
        /// What the operator can do about it.
        public var cure: String
        public var whom: Whom
        /// Whether the job may be tried again: not where it may have been taken and would come twice.
        public var mayRepeat: Bool

        init(_ reason: String, cure: String, whom: Whom = .sender, mayRepeat: Bool = true) {
            (self.reason, self.cure, self.whom, self.mayRepeat) = (reason, cure, whom, mayRepeat)
        }
    }

    /// Whether it speaks against the sender as a whole, and not only about one address or one job (`N5`).
    var isAgainstSender: Bool {
        switch self {
        case .taken, .dead, .stopped, .final, .wait: false
        case .misconfigured(let problem): problem.whom == .sender
        case .transient(_, let whom): whom == .sender
        case .renew: true
        }
    }

    /// The same of a sender that is tried with one job at a time: jobs wait for it within their `not_after` (`N5`), and the
    /// one that was tried has not failed more than those behind it.
    var ofWhoIsDown: SenderVerdict {
        switch self {
        case .transient(let reason, .sender), .renew(let reason): .wait(seconds: 1, reason: reason, whom: .address)
        case .misconfigured(let problem) where problem.whom == .sender && problem.mayRepeat:
            .wait(seconds: 1, reason: problem.reason, whom: .address)
        case .taken, .dead, .stopped, .misconfigured, .wait, .transient, .final: self
        }
    }
}

/// An answer that has a status, however much of the rest came.
struct ProviderAnswer {
    let status: Int
    let headers: AnswerHeaders
    let body: [UInt8]
    /// Whether the connection ended in the middle of the body, so that nobody knows what it would have said.
    var isCutOff = false
    /// Whether the body was longer than any of a provider's.
    var isTooLong = false

    /// A status that came is believed even where the rest of the answer was too long or did not come.
    init?(_ result: Result<HTTPAnswer, HTTPFailure>) {
        switch result {
        case .success(let answer): (status, headers, body) = (answer.status, answer.headers, answer.body)
        case .failure(let failure):
            guard let known = failure.status else { return nil }
            (status, headers, body) = (known, failure.headers, [])
            isTooLong = failure.reason == .tooLarge
            isCutOff = !isTooLong
        }
    }

    init(status: Int, headers: AnswerHeaders = AnswerHeaders(), body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}
