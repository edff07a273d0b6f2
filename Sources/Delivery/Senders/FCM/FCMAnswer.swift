internal import CivilTime
internal import Notices

/// What an answer of Firebase's means. By its error code, never by its words.
enum FCMAnswer {
    static func verdict(_ answer: ProviderAnswer, at now: Instant) -> SenderVerdict {
        if (200...299).contains(answer.status) {
            let name = answer.json?["name"]?.string
            guard name != nil || answer.isCutOff else { return answer.notFrom("Firebase", without: "a message's name") }
            return .taken(providerID: ProviderAnswer.providerID(name))
        }
        let error = answer.json?["error"]
        let code = code(of: error)
        let reason = answer.reason(code ?? error?["status"]?.string)
        switch code {
        case "UNREGISTERED":
            return .dead(reason: reason)
        case "INVALID_ARGUMENT":
            return isAboutAddress(error) ? .dead(reason: reason) : .final(reason: reason)
        case "SENDER_ID_MISMATCH":
            return .misconfigured(
                .init(
                    reason, cure: "the device registered with another Firebase project than the key file's",
                    whom: .address))
        case "THIRD_PARTY_AUTH_ERROR":
            // Of one platform's devices; those of others are sent to.
            return .misconfigured(
                .init(
                    reason, cure: "give Firebase the APNs key (or the web push key) of the app, in its console",
                    whom: .some))
        case "QUOTA_EXCEEDED":
            // Of the device, or of the project: only its words would say (`LimitDoubt`).
            return answer.limit(of: .address, reason, at: now)
        default:
            return unnamed(answer, error, code, reason, at: now)
        }
    }

    /// Answers of what stands before FCM: they carry a status, and no error code of FCM's.
    private static func unnamed(
        _ answer: ProviderAnswer, _ error: JSONValue?, _ code: String?, _ reason: String, at now: Instant
    ) -> SenderVerdict {
        switch answer.status {
        case 401:
            return .renew(reason: reason)
        case 403:
            return .misconfigured(
                .init(reason, cure: "allow the key's account to send, and switch on the Firebase Cloud Messaging API"))
        case 404:
            return .misconfigured(.init(reason, cure: "see whether the key file's project still exists"))
        case 400 where isAboutAddress(error):
            return .dead(reason: reason)
        default:
            return answer.usualVerdict(at: now, code: code ?? error?["status"]?.string)
        }
    }

    private static func code(of error: JSONValue?) -> String? {
        details(of: error, "google.firebase.fcm.v1.FcmError").lazy.compactMap { $0["errorCode"]?.string }.first
    }

    /// Whether what is wrong is the address and nothing else.
    private static func isAboutAddress(_ error: JSONValue?) -> Bool {
        let violations = details(of: error, "google.rpc.BadRequest").flatMap { $0["fieldViolations"]?.elements ?? [] }
        let fields = violations.compactMap { $0["field"]?.string }
        return !fields.isEmpty && fields.allSatisfy { $0 == "message.token" || $0 == "message.fid" }
    }

    private static func details(of error: JSONValue?, _ type: String) -> [JSONValue] {
        (error?["details"]?.elements ?? []).filter { $0["@type"]?.string == "type.googleapis.com/" + type }
    }

    /// What an answer to the request for an access token means, if it is not one.
    static func tokenVerdict(_ answer: ProviderAnswer, at now: Instant) -> SenderVerdict {
        let code = answer.json?["error"]?.string
        guard (400...403).contains(answer.status) else { return answer.usualVerdict(at: now, code: code) }
        return .misconfigured(
            .init(
                "was refused an access token: \(answer.reason(code))",
                cure: "see whether the key file was revoked, and whether this machine's clock is right"))
    }
}
