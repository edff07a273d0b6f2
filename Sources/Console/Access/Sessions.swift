internal import CivilTime
internal import Hashing

/// Who is signed in at the console. In memory alone: whoever was signed in signs in again after a restart.
struct Sessions: Sendable {
    struct Session: Sendable, Equatable {
        /// What its token is known by; when that is revoked, the session is over.
        var token: Digest
        var endsAt: Instant
    }

    static let hours: Int64 = 12
    /// Of so many the one that ends first gives way.
    static let countMax = 1_000

    /// By the hash of what the cookie holds.
    private var sessions: [Digest: Session] = [:]

    /// What the cookie is to hold.
    mutating func begin(_ token: Digest, until end: Instant, at now: Instant) -> String {
        if sessions.count >= Self.countMax { sessions = sessions.filter { now < $0.value.endsAt } }
        if sessions.count >= Self.countMax, let first = sessions.min(by: { $0.value.endsAt < $1.value.endsAt }) {
            sessions[first.key] = nil
        }
        let secret = Hexadecimal.text(randomBytes(32))
        sessions[Self.key(of: secret)] = Session(token: token, endsAt: end)
        return secret
    }

    func find(_ secret: String, at now: Instant) -> Session? {
        sessions[Self.key(of: secret)].flatMap { now < $0.endsAt ? $0 : nil }
    }

    mutating func end(_ secret: String) { sessions[Self.key(of: secret)] = nil }

    private static func key(of secret: String) -> Digest { Digest(of: Array(secret.utf8)) }
}

/// The cookie of a session.
enum SessionCookie {
    static let name = "belfry_session"

    /// What a request's cookies hold under this name; `nil` also where several do, of which one may be another's.
    static func value(in head: HTTPRequest) -> String? {
        var found: [String] = []
        for header in head.headers.all("Cookie") {
            for pair in header.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].withoutBlanksAround == name else { continue }
                found.append(parts[1].withoutBlanksAround)
            }
        }
        return found.count == 1 ? found[0] : nil
    }

    static func header(_ value: String, seconds: Int64, isSecure: Bool) -> (name: String, value: String) {
        let secure = isSecure ? "; Secure" : ""
        return ("Set-Cookie", "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(secure)")
    }
}
