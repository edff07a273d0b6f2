import Console
import Delivery
import Dispatch
import Notices
import Shared
import Synchronization

/// What others revoked of persons' tokens while they did not tell this worker, because it was not there, or had no lease (`V2`).
///
/// Revocations are told to those that live. So whenever its lease has begun anew a worker asks all others for what they have revoked, and lets
/// no person in before it has that.
final class MissedRevocations: Sendable {
    enum Answer: Sendable {
        /// As the other's file has it.
        case told(String)
        /// It does not see this worker yet, and would not tell it of the next.
        case notYet
        /// It is of a version before, and tells nobody.
        case unknown
        case silent
    }

    typealias Ask = @Sendable (_ url: String, @escaping @Sendable (Answer) -> Void) -> Void

    private struct Round: Sendable {
        /// Since when the lease has held that it is for.
        var lease: BootInstant
        var heard: Set<String> = []
        var asked: Set<String> = []
    }

    private struct State: Sendable {
        var lease: Lease?
        var round: Round?
        /// All that was revoked before is known, and what was revoked since was told, as long as the lease has held since then.
        var knownSince: BootInstant?
    }

    private let persons: PersonTokenDesk
    private let log: RunLog
    private let ask: Ask
    /// Has the membership look again.
    private let wake: @Sendable (_ isAtOnce: Bool) -> Void
    private let state = Mutex(State())

    init(
        _ persons: PersonTokenDesk, _ log: RunLog, ask: @escaping Ask,
        wake: @escaping @Sendable (_ isAtOnce: Bool) -> Void
    ) {
        (self.persons, self.log, self.ask, self.wake) = (persons, log, ask, wake)
        persons.follow { [weak self] in self?.isKnown ?? false }
    }

    private var isKnown: Bool {
        let (lease, known) = state.withLock { ($0.lease, $0.knownSince) }
        guard let known else { return false }
        return lease?.unbrokenSince == known
    }

    /// A look at who lives.
    ///
    /// - Parameter others: where the other living workers are reached.
    func see(_ others: Set<String>, _ lease: Lease, at now: BootInstant) {
        let (since, wanted) = state.withLock { state -> (BootInstant?, Set<String>) in
            if state.lease !== lease { (state.lease, state.knownSince, state.round) = (lease, nil, nil) }
            guard let since = lease.unbrokenSince, since != state.knownSince else { return (nil, []) }
            var round = state.round.flatMap { $0.lease == since ? $0 : nil } ?? Round(lease: since)
            let missing = others.subtracting(round.heard)
            // Whoever revokes and has not seen this worker by then has no lease any more. One that cannot be reached names this worker to
            // whoever revokes there.
            let isLate = !round.heard.isEmpty && now - since >= lease.terms.lifetime
            if missing.isEmpty || isLate {
                (state.knownSince, state.round) = (since, nil)
                return (nil, [])
            }
            let wanted = missing.subtracting(round.asked)
            round.asked.formUnion(wanted)
            state.round = round
            return (since, wanted)
        }
        guard let since else { return }
        for url in wanted { ask(url) { self.hear($0, from: url, for: since) } }
    }

    private func hear(_ answer: Answer, from url: String, for since: BootInstant) {
        var isHeard = false
        switch answer {
        case .told(let revoked):
            if let problem = persons.hear(revokedElsewhere: revoked) {
                log.error("what another worker has revoked could not be revoked here", ("url", url), ("why", problem))
            } else {
                isHeard = true
            }
        case .unknown: isHeard = true
        case .notYet, .silent: break
        }
        let isOfNow = state.withLock { state in
            guard state.round?.lease == since else { return false }
            if isHeard { state.round?.heard.insert(url) } else { state.round?.asked.remove(url) }
            return true
        }
        guard isOfNow else { return }
        switch answer {
        case .told, .unknown: if isHeard { wake(true) }
        case .notYet: wake(false)
        // It is asked again at the next look.
        case .silent: break
        }
    }
}

extension Neighbours {
    /// What another has revoked of persons' tokens.
    ///
    /// - Parameter me: where this worker is reached.
    func revoked(at url: String, for me: String, _ reply: @escaping @Sendable (MissedRevocations.Answer) -> Void) {
        let order = JSONValue.object([.init("url", .string(me))])
        leaving.ask(call(url, "revoked", order, answerBytesMax: Self.revokedBytesMax)) { result in
            guard let answer = try? result.get() else { return reply(.silent) }
            switch answer.status {
            case 200: reply(JSONValue(parsing: answer.text)?["revoked"]?.string.map { .told($0) } ?? .silent)
            case 404: reply(.unknown)
            case 503: reply(.notYet)
            default: reply(.silent)
            }
        }
    }

    private static let revokedBytesMax = 64 << 20

    /// Has the membership look again, at once or in a moment.
    func wantLook(isAtOnce: Bool) {
        guard !isAtOnce else { return wantEveryone() }
        OthersErasures.queue.asyncAfter(deadline: .now() + .milliseconds(200)) { self.wantEveryone() }
    }
}
