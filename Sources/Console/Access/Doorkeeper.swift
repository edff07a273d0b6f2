public import CivilTime
internal import Hashing
internal import Synchronization

/// Finds out who asks at a port, and keeps those who are signed in (`V1`).
///
/// Safe to share: what changes is under locks.
public final class Doorkeeper: Sendable {
    private struct State: Sendable {
        var operators = OperatorTokens()
        var sessions = Sessions()
        var persons: PersonTokenDesk?
    }

    /// The worker's own token; `nil` where there is none, since it listens on no port.
    private let own: Bearer?
    let hosts: HostNames
    let origins: OriginNames
    private let clock: @Sendable () -> Instant
    private let state = Mutex(State())
    /// Is told who signed in, and who signed out.
    private let note: @Sendable (_ what: String, _ name: String) -> Void

    public init(
        own: Bearer?, hosts: HostNames = HostNames([]), origins: OriginNames = OriginNames([]),
        clock: @escaping @Sendable () -> Instant,
        note: @escaping @Sendable (_ what: String, _ name: String) -> Void = { _, _ in }
    ) {
        self.note = note
        self.own = own
        self.hosts = hosts
        self.origins = origins
        self.clock = clock
    }

    /// Whoever was revoked is out from now on, and so are their sessions.
    public func change(operators: OperatorTokens) { state.withLock { $0.operators = operators } }

    /// Known once the log is, whose tokens they are.
    public func open(persons: PersonTokenDesk) { state.withLock { $0.persons = persons } }

    /// Who makes and revokes them; `nil` as long as the log is not known.
    public var persons: PersonTokenDesk? { state.withLock { $0.persons } }

    // MARK: Who asks

    /// A token decides alone: a wrong one is not made good by a cookie.
    func access(of head: HTTPRequest) throws(RouteProblem) -> Access {
        if head.headers["Authorization"] != nil {
            guard let token = Bearer.shown(by: head) else { return .stranger }
            return try access(showing: token)
        }
        guard let cookie = SessionCookie.value(in: head), head.isOfOwnSite else { return .stranger }
        return session(cookie).map { .operator($0.operator) } ?? .stranger
    }

    private func access(showing token: String) throws(RouteProblem) -> Access {
        if let known = knownOperator(showing: token) { return .operator(known.operator) }
        guard let persons else {
            // Whose it is stands under the secret of a log that is not known yet: whoever is told that it is none forgets it.
            if PersonTokens.mayBeOne(token) { throw .replaying }
            return .stranger
        }
        guard let pass = persons.pass(of: token) else { return .stranger }
        // It may have been revoked at another worker.
        guard persons.mayLetIn else { throw .notUpToDate }
        return .person(pass)
    }

    private struct Known {
        var `operator`: Operator
        var digest: Digest
        var endsAt: Instant?
    }

    private func knownOperator(showing token: String) -> Known? {
        if let own, own.is(token) {
            return Known(operator: .worker, digest: Digest(of: Array(token.utf8)), endsAt: nil)
        }
        let now = clock()
        let operators = state.withLock { $0.operators }
        return operators.entry(of: token, at: now).map {
            Known(operator: Operator(name: $0.name, role: $0.role), digest: $0.digest, endsAt: $0.endsAt)
        }
    }

    // MARK: Signing in

    /// Who is signed in, and until when.
    struct SignedIn: Sendable, Equatable {
        var `operator`: Operator
        var endsAt: Instant
    }

    /// What the cookie is to hold; `nil` for a token that no operator has.
    func signIn(_ token: String) -> (cookie: String, session: SignedIn)? {
        guard var known = knownOperator(showing: token) else { return nil }
        let now = clock()
        let end = min(now.advanced(byHours: Sessions.hours), known.endsAt ?? .distantFuture)
        let cookie = state.withLock { $0.sessions.begin(known.digest, until: end, at: now) }
        known.operator.isSignedIn = true
        note("signed in", known.operator.name)
        return (cookie, SignedIn(operator: known.operator, endsAt: end))
    }

    /// The session of a cookie, as long as its token holds.
    func session(_ cookie: String) -> SignedIn? {
        let now = clock()
        let (found, operators) = state.withLock { ($0.sessions.find(cookie, at: now), $0.operators) }
        guard let session = found else { return nil }
        if let own, own.digest == session.token {
            return SignedIn(operator: .worker.signedIn, endsAt: session.endsAt)
        }
        guard let entry = operators.entries.first(where: { $0.digest == session.token }), entry.isAlive(at: now) else {
            return nil
        }
        let known = Operator(name: entry.name, role: entry.role)
        return SignedIn(operator: known.signedIn, endsAt: min(session.endsAt, entry.endsAt ?? .distantFuture))
    }

    func signOut(_ cookie: String) {
        if let session = session(cookie) { note("signed out", session.operator.name) }
        state.withLock { $0.sessions.end(cookie) }
    }

    /// When what an operator shows ends; `nil` where it does not.
    func end(of head: HTTPRequest) -> Instant? {
        if let token = Bearer.shown(by: head) { return knownOperator(showing: token)?.endsAt }
        return SessionCookie.value(in: head).flatMap(session)?.endsAt
    }
}

extension Operator {
    fileprivate var signedIn: Operator { Operator(name: name, role: role, isSignedIn: true) }
}
