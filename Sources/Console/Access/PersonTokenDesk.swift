public import CivilTime
internal import Synchronization

/// Makes persons' tokens, says whose one is, and revokes them.
///
/// Safe to share: what is revoked is under a lock, and it is written down before it is told to anybody.
public final class PersonTokenDesk: Sendable {
    private struct State: Sendable {
        var revoked: RevokedTokens
        /// When the last token was made, of whomever: those made later have a later instant, whatever the clock says.
        var madeLast = Instant.distantPast
    }

    public struct Made: Sendable, Equatable {
        public var token: String
        public var id: String
        public var user: String
        public var endsAt: Instant
    }

    private let tokens: PersonTokens
    private let state: Mutex<State>
    /// One after the other, so that an older state never replaces a newer one.
    private let writing = Mutex(())
    private let clock: @Sendable () -> Instant
    /// Writes what is revoked, durably; why it could not be done.
    private let write: @Sendable ([UInt8]) -> String?

    public init(
        _ tokens: PersonTokens, revoked: RevokedTokens, clock: @escaping @Sendable () -> Instant,
        write: @escaping @Sendable ([UInt8]) -> String?
    ) {
        self.tokens = tokens
        state = Mutex(State(revoked: revoked))
        self.clock = clock
        self.write = write
    }

    func make(for user: String, seconds: Int) -> Made {
        let now = clock()
        let person = tokens.name(of: user)
        let madeAt = state.withLock { state in
            let madeAt = max(now, state.revoked.earliest(for: person))
            state.madeLast = max(state.madeLast, madeAt)
            return madeAt
        }
        let content = PersonTokens.Content(
            user: user, id: PersonTokens.newID(), madeAt: madeAt,
            endsAt: now.advanced(byMilliseconds: 1000 * Int64(seconds)))
        return Made(token: tokens.text(of: content), id: content.id, user: user, endsAt: content.endsAt)
    }

    /// Whose token it is; `nil` for one that is not valid here, whatever is wrong with it.
    func pass(of token: String) -> PersonPass? {
        guard let content = tokens.content(of: token) else { return nil }
        let isRevoked = state.withLock { $0.revoked.holds(content, of: tokens.name(of: content.user)) }
        guard !isRevoked, clock() < content.endsAt else { return nil }
        return PersonPass(user: content.user, id: content.id, endsAt: content.endsAt)
    }

    /// Revokes one token, or all of a person that were made before now. Returns when that is durable, with why it is not.
    /// Only for threads that may wait.
    func revoke(_ id: String?, of user: String) -> String? {
        let person = tokens.name(of: user)
        let now = clock()
        return writing.withLock { _ in
            var next = state.withLock { $0.revoked }
            next.prune(at: now)
            if let id {
                guard next.count < RevokedTokens.countMax else {
                    return "\(RevokedTokens.countMax) tokens are revoked one by one; revoke all of this person instead"
                }
                next.revoke(id, of: person, at: now)
            } else {
                let madeLast = state.withLock { $0.madeLast }
                next.revokeAll(of: person, madeLast: madeLast, at: now)
            }
            if let problem = write(next.bytes) { return problem }
            // Copied: `next` is changed no more.
            let revoked = next
            state.withLock { $0.revoked = revoked }
            return nil
        }
    }
}
