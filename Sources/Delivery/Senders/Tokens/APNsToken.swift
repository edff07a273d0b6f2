internal import CivilTime
internal import Hashing
internal import Notices

/// What Belfry shows Apple's servers: one token for a team, whatever the connection.
///
/// Apple refuses tokens older than an hour and answers 429 (`TooManyProviderTokenUpdates`) to whoever makes new ones more
/// often than every 20 minutes. So there is one at a time, made anew after 50 minutes.
struct APNsToken {
    private let key: SigningKey
    private let keyID: String
    private let teamID: String
    private var current: (text: String, issued: Instant)?

    private static let lifeMinutes: Int64 = 50
    private static let renewalMinutesMin: Int64 = 20

    init(key: SigningKey, keyID: String, teamID: String) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    mutating func text(at now: Instant) -> String {
        // One from the future is of a clock that was set back since.
        if let current, current.issued <= now, now < current.issued.advanced(byMinutes: Self.lifeMinutes) {
            return current.text
        }
        return renew(at: now)
    }

    /// A token was refused as expired. Answers whether a newer one is there or was made, so that it is worth trying again.
    /// It is not while the refused one is young: then this machine's clock is off, and a new one would be refused too.
    mutating func isRenewed(after refused: String, at now: Instant) -> Bool {
        guard let current, current.text == refused else { return true }
        guard now >= current.issued.advanced(byMinutes: Self.renewalMinutesMin) else { return false }
        _ = renew(at: now)
        return true
    }

    private mutating func renew(at now: Instant) -> String {
        let text = WebToken.signed(
            by: key, header: ["kid": .string(keyID)],
            claims: ["iss": .string(teamID), "iat": .number("\(now.wholeSeconds)")])
        current = (text, now)
        return text
    }
}
