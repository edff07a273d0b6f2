internal import CivilTime
internal import Notices

/// What an answer of Apple's means.
enum APNsAnswer {
    /// - Parameter topicOf: whose the topic is that was named: the document's, or the device's own.
    static func verdict(
        _ answer: ProviderAnswer, registeredAt: Instant, topicOf whose: SenderVerdict.Whom, at now: Instant
    ) -> SenderVerdict {
        let isYes = (200...299).contains(answer.status)
        let said = isYes ? nil : answer.json
        let code = said?["reason"]?.string
        let reason = answer.reason(code)
        switch (answer.status, code) {
        case _ where isYes:
            // Every answer of Apple's has one.
            guard let id = answer.headers["apns-id"], !id.isEmpty else {
                return answer.notFrom("Apple", without: "an apns-id")
            }
            return .taken(providerID: ProviderAnswer.providerID(id))
        case (410, _):
            return gone(since: said?["timestamp"]?.integer, registeredAt, reason)
        case (400, "BadDeviceToken"):
            return .dead(reason: reason)
        case (403, "ExpiredProviderToken"):
            return .renew(reason: reason)
        case (403, _):
            return .misconfigured(.init(reason, cure: cure(code)))
        case (400, "BadTopic"), (400, "TopicDisallowed"), (400, "MissingTopic"):
            return .misconfigured(.init(reason, cure: topicCure(whose), whom: whose))
        case (400, "DeviceTokenNotForTopic"):
            return .misconfigured(.init(reason, cure: cure(code), whom: .address))
        case (429, "TooManyRequests"):
            // Too many for this one device.
            return answer.limit(of: .address, reason, at: now)
        default:
            return answer.usualVerdict(at: now, code: code)
        }
    }

    /// The token was no longer good at an instant; if it was registered after that, this is word of an older registration, and
    /// however often it is sent there Apple says no other.
    private static func gone(since milliseconds: Int?, _ registeredAt: Instant, _ reason: String) -> SenderVerdict {
        guard let milliseconds, Instant(milliseconds: Int64(milliseconds)) <= registeredAt else {
            return .dead(reason: reason)
        }
        return .final(reason: "\(reason), for an older registration")
    }

    private static func cure(_ code: String?) -> String {
        switch code {
        case "InvalidProviderToken":
            "see whether key_file, key_id and team_id belong together, and whether this machine's clock is right"
        case "ExpiredProviderToken": clockCure
        case "DeviceTokenNotForTopic": "the device belongs to another app than topic says: register it with its app"
        case "BadCertificate", "BadCertificateEnvironment": "url and the key are of different environments"
        default: "see whether key_file, key_id, team_id and topic are right"
        }
    }

    private static func topicCure(_ whose: SenderVerdict.Whom) -> String {
        switch whose {
        case .sender: "topic must be the app's bundle id, of an app of this team"
        case .some, .address: "the device names an app that is none of this team's: register it with its app"
        }
    }

    static let clockCure = "set this machine's clock: Apple takes a token for expired that was just made"
}

/// Keeps a wrong environment from looking like the death of everybody's devices.
///
/// Apple answers `BadDeviceToken` to a dead token, and to every living one that is of the other environment. So it is
/// believed only once a message was taken, and not when it comes many times in a row.
struct EnvironmentDoubt {
    private var hasTaken = false
    private var inARow = 0

    /// So many dead devices one after the other are more likely a mistake.
    static let inARowMax = 10

    mutating func judge(_ verdict: SenderVerdict) -> SenderVerdict {
        switch verdict {
        case .taken:
            (hasTaken, inARow) = (true, 0)
            return verdict
        case .dead(let reason) where reason.hasSuffix("BadDeviceToken"):
            inARow += 1
            guard !hasTaken || inARow > Self.inARowMax else { return verdict }
            return .misconfigured(
                .init(
                    reason,
                    cure:
                        "if this goes on: are these tokens of the other environment (sandbox, production) or of another app?",
                    whom: .address))
        default:
            return verdict
        }
    }
}
