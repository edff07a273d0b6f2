internal import CivilTime
internal import Hashing
internal import Notices

/// What Belfry shows push services of browsers (RFC 8292): one token for each of their origins.
struct VAPIDTokens {
    private let key: SigningKey
    /// Whom a push service can turn to: `mailto:` or `https:`.
    private let subject: String
    private let publicKey: String
    private var current: [String: (text: String, issued: Instant)] = [:]

    /// A service refuses what is good for more than a day.
    private static let goodForHours: Int64 = 12
    private static let lifeHours: Int64 = 6
    /// Origins come from clients, who could name any number of them.
    static let originsMax = 256

    init(key: SigningKey, subject: String) {
        precondition(key.algorithm == .es256, "VAPID takes a P-256 key")
        self.key = key
        self.subject = subject
        publicKey = Base64.encodeURL(key.publicPoint)
    }

    /// The value of `Authorization` for an endpoint of this origin.
    mutating func authorization(for origin: String, at now: Instant) -> String {
        "vapid t=\(text(for: origin, at: now)),k=\(publicKey)"
    }

    private mutating func text(for origin: String, at now: Instant) -> String {
        if let one = current[origin], one.issued <= now, now < one.issued.advanced(byHours: Self.lifeHours) {
            return one.text
        }
        if current.count >= Self.originsMax { current = [:] }
        let text = WebToken.signed(
            by: key, header: ["typ": .string("JWT")],
            claims: [
                "aud": .string(origin),
                "exp": .number("\(now.advanced(byHours: Self.goodForHours).wholeSeconds)"),
                "sub": .string(subject),
            ])
        current[origin] = (text, now)
        return text
    }

    /// What is wrong with a subject, if anything: Apple refuses tokens whose subject leads nowhere.
    static func objection(to subject: String) -> String? {
        let host: Substring
        if subject.hasPrefix("mailto:"), let at = subject.lastIndex(of: "@") {
            host = subject[subject.index(after: at)...]
        } else if subject.hasPrefix("https://") {
            host = subject.dropFirst("https://".count).prefix { $0 != "/" && $0 != ":" && $0 != "?" && $0 != "#" }
        } else {
            return "is neither mailto: with an address nor an https: URL"
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.count > 1 && labels.allSatisfy { !$0.isEmpty } && !subject.contains(where: \.isWhitespace)
        let leadsNowhere = ["localhost", "local", "internal", "invalid", "test", "example"].contains(labels.last ?? "")
        return isName && !leadsNowhere ? nil : "leads nowhere: push services write to it when something is wrong"
    }
}
