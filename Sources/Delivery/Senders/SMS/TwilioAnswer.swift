internal import CivilTime
internal import Notices

/// What an answer of Twilio's means. There is no key that would keep a text from coming twice: so what may have been taken
/// is never sent again.
enum TwilioAnswer {
    /// No number; not one of a mobile phone; unknown; one that is out of reach for good; a landline.
    static let deadNumber: Set = [21211, 21614, 21217, 21635, 30005, 30006]

    /// The person answered STOP.
    static let stoppedNumber = 21610

    /// Whether a recorded failure is the answer for somebody who answered STOP: "twilio answered 400 21610".
    static func saysStop(_ phrase: Substring) -> Bool {
        let words = phrase.split { $0 == " " || $0 == "," }
        return words.count >= 4 && words[0] == Post.sms.name && words[1] == "answered" && words[3] == "\(stoppedNumber)"
    }

    static func verdict(_ answer: ProviderAnswer, at now: Instant) -> SenderVerdict {
        let said = answer.json
        if (200...299).contains(answer.status) {
            let sid = said?["sid"]?.string
            guard sid != nil || answer.isCutOff else {
                return answer.notFrom("Twilio", without: "a sid", mayRepeat: false)
            }
            // Of a text that it has given up as it took it, it says so at once.
            guard ["failed", "undelivered"].contains(said?["status"]?.string ?? "") else {
                return .taken(providerID: ProviderAnswer.providerID(sid))
            }
        }
        let code = said?["code"]?.integer ?? said?["error_code"]?.integer
        let reason = answer.reason(code.map { "\($0)" })
        switch code {
        case let code? where deadNumber.contains(code): return .dead(reason: reason)
        case stoppedNumber:
            return .stopped(reason: reason)
        case 21408, 21612:
            // The country of this number: others wait for nothing.
            return .misconfigured(.init(reason, cure: cure(code), whom: .address))
        case 21601, 21606, 21212, 21603, 21659, 21660, 21701, 21703, 21704, 21705:
            return .misconfigured(.init(reason, cure: cure(code)))
        default:
            break
        }
        switch answer.status {
        case 401, 403, 404:
            return .misconfigured(.init(reason, cure: "see whether account and token_file belong together"))
        // Somebody in between: Twilio itself neither leads elsewhere nor takes no POST, and nothing was taken.
        case 300...399, 405:
            return .misconfigured(.init(reason, cure: "see whether url leads to Twilio, and not to a proxy or a page"))
        case 429:
            return answer.usualVerdict(at: now, code: code.map { "\($0)" })
        case 500...599:
            return .final(reason: "\(reason); \(notAgain)")
        default:
            return .final(reason: reason)
        }
    }

    /// What it means that no status came.
    static func verdict(_ failure: HTTPFailure) -> SenderVerdict {
        guard failure.mayHaveArrived else { return failure.verdict }
        let what = failure.reason == .cancelled ? "had not answered when the worker stopped" : "\(failure)"
        return .final(reason: "\(what); \(notAgain)")
    }

    /// Of every text whose fate nobody knows.
    static let notAgain = "it may have been taken, and is not sent again"

    private static func cure(_ code: Int?) -> String {
        switch code {
        case 21408: "allow this country in Twilio's console (Messaging, Geo permissions)"
        case 21612: "this from cannot reach that country"
        default: "from must be a number or messaging service of this account"
        }
    }
}
