import Console
import Delivery
import Dispatch
import Notices
import Shared
import Synchronization

/// What others revoked of persons' tokens while they did not tell this worker, because it was not there, or had no lease (`V2`).
///
/// Revocations are told to those that live. So whenever its lease has begun anew a worker asks all others for what they have revoked, and lets
/// no person in before it has that. Whoever lacks some of what it has revoked itself is told that: it may be the last that knows of something,
/// and whoever has lived without it does not ask again.
final class MissedRevocations: Sendable {
    enum Answer: Sendable {
        /// As the other's file has it, and whether that one lets people in itself, so that it misses nothing.
        case told(String, isWhole: Bool)
        /// It does not see this worker yet, and would not tell it of the next.
        case notYet
        /// It is of a version before, and tells nobody.
        case unknown
        case silent
    }

    /// Asks the worker at an address, and tells it what is revoked here, where it lacks some of that.
    typealias Ask =
        @Sendable (_ url: String, _ revokedHere: String?, @escaping @Sendable (Answer) -> Void) -> Void

    private struct Round: Sendable {
        /// Since when the lease has held that it is for.
        var lease: BootInstant
        /// The others, as they were last seen.
        var others: Set<String> = []
        var heard: Set<String> = []
        var asked: Set<String> = []
        /// When the first of them was asked.
        var began: BootInstant?
        /// Whether one of those who were heard misses nothing.
        var isToldByWhole = false
        var hasWarned = false

        var missing: Set<String> { others.subtracting(heard) }
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
    /// Has something done where it may take long: what is revoked can be a lot, and is written down.
    private let work: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = Mutex(State())

    static let queue = DispatchQueue(label: "belfry.revocations", qos: .utility)

    init(
        _ persons: PersonTokenDesk, _ log: RunLog, ask: @escaping Ask,
        wake: @escaping @Sendable (_ isAtOnce: Bool) -> Void,
        work: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { queue.async(execute: $0) }
    ) {
        (self.persons, self.log, self.ask, self.wake, self.work) = (persons, log, ask, wake, work)
        persons.follow { [weak self] in self?.isKnown ?? false }
    }

    /// Workers that have not said for long which tokens they revoked: no person is let in here before they have.
    var silent: Set<String> {
        state.withLock { state in state.round.flatMap { $0.hasWarned ? $0.missing : nil } ?? [] }
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
        let (since, wanted, silent) = state.withLock { state -> (BootInstant?, Set<String>, Set<String>) in
            if state.lease !== lease { (state.lease, state.knownSince, state.round) = (lease, nil, nil) }
            guard let since = lease.unbrokenSince, since != state.knownSince else { return (nil, [], []) }
            var round = state.round.flatMap { $0.lease == since ? $0 : nil } ?? Round(lease: since)
            round.others = others
            // Whatever one that does not answer revokes now it tells this worker as well, or says that it could not; what it revoked
            // before it told one that misses nothing.
            let isLate = round.began.map { now - $0 >= lease.terms.lifetime } ?? false
            if round.missing.isEmpty || isLate && round.isToldByWhole {
                (state.knownSince, state.round) = (since, nil)
                if round.hasWarned { log.info(Self.over) }
                return (nil, [], [])
            }
            let wanted = round.missing.subtracting(round.asked)
            let silent = isLate && !round.hasWarned ? round.missing : []
            round.asked.formUnion(wanted)
            round.began = round.began ?? now
            round.hasWarned = isLate
            state.round = round
            return (since, wanted, silent)
        }
        guard let since else { return }
        if !silent.isEmpty {
            log.warning(
                "no person is let in here before other workers have said which tokens they revoked",
                ("missing", silent.sorted().joined(separator: " ")))
        }
        for url in wanted { ask(url, nil, for: since) }
    }

    private static let over = "persons are let in here again: it is known which tokens are revoked"

    private func ask(_ url: String, _ revokedHere: String?, for since: BootInstant) {
        ask(url, revokedHere) { answer in
            self.work { self.hear(answer, from: url, for: since, hasTold: revokedHere != nil) }
        }
    }

    private func hear(_ answer: Answer, from url: String, for since: BootInstant, hasTold: Bool) {
        var (isHeard, isOfWhole) = (false, false)
        switch answer {
        case .told(let revoked, let isWhole):
            switch persons.compare(with: revoked) {
            case .failed(let problem):
                log.error("what another worker has revoked could not be revoked here", ("url", url), ("why", problem))
            case .done(let isMoreHere):
                if isMoreHere, !hasTold { return ask(url, persons.toldToOthers, for: since) }
                (isHeard, isOfWhole) = (true, isWhole)
            }
        case .unknown: isHeard = true
        case .notYet, .silent: break
        }
        let isOfNow = state.withLock { state in
            guard var round = state.round, round.lease == since else { return false }
            if isHeard { round.heard.insert(url) } else { round.asked.remove(url) }
            round.isToldByWhole = round.isToldByWhole || isOfWhole
            state.round = round
            // At once: the membership may be at something that takes long.
            if round.missing.isEmpty, state.lease?.unbrokenSince == since {
                (state.knownSince, state.round) = (since, nil)
                if round.hasWarned { log.info(Self.over) }
            }
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

extension MissedRevocations.Answer {
    /// What a worker has answered with 200.
    init(_ text: String) {
        let tape = JSONTape(limits: JSONLimits(bytesMax: ClusterService.revokedBytesMax))
        guard let answer = try? tape.parse(text), let revoked = answer["revoked"]?.string else {
            self = .silent
            return
        }
        self = .told(revoked, isWhole: answer["whole"]?.bool ?? false)
    }
}

extension Neighbours {
    /// What another has revoked of persons' tokens.
    ///
    /// - Parameters:
    ///   - me: where this worker is reached.
    ///   - revoked: what is revoked here, for that one.
    func revoked(
        at url: String, for me: String, telling revoked: String?,
        _ reply: @escaping @Sendable (MissedRevocations.Answer) -> Void
    ) {
        let order = JSONValue.object(
            [.init("url", .string(me))] + (revoked.map { [.init("revoked", .string($0))] } ?? []))
        leaving.ask(call(url, "revoked", order, answerBytesMax: ClusterService.revokedBytesMax)) { result in
            guard let answer = try? result.get() else { return reply(.silent) }
            switch answer.status {
            case 200: MissedRevocations.queue.async { reply(.init(answer.text)) }
            case 404: reply(.unknown)
            case 503: reply(.notYet)
            default: reply(.silent)
            }
        }
    }

    /// Has the membership look again, at once or in a moment.
    func wantLook(isAtOnce: Bool) {
        guard !isAtOnce else { return wantEveryone() }
        OthersErasures.queue.asyncAfter(deadline: .now() + .milliseconds(200)) { self.wantEveryone() }
    }
}
