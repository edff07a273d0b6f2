public import CivilTime

/// Whether a sender may be given one more job (`N5`): without clock, threads or provider.
///
/// ```
///            20 failures in a row that speak against the sender
///   open ───────────────────────────────────────────────────────> tried
///    ^  <───────────────────────── a success ───────────────────── one job at a time, then a pause
/// ```
///
/// Besides that, in both: so many calls under way, so many begun in a second, and nothing before the end of a pause that
/// the provider asked for. Jobs that may not go wait where they are, within their `not_after`. Each sender has a gate of its
/// own, so none waits for another.
public struct SenderGate: Sendable {
    public struct Limits: Sendable, Equatable {
        /// Calls under way.
        public var calls: Int
        /// Calls begun in any second; `nil` for as many as may be under way.
        public var perSecond: Int?
        /// Whether many failures in a row mean that it is tried with one job at a time.
        public var hasBreaker: Bool

        public init(calls: Int, perSecond: Int? = nil, hasBreaker: Bool = true) {
            precondition(calls > 0 && perSecond ?? 1 > 0, "a sender that is given nothing")
            self.calls = calls
            self.perSecond = perSecond
            self.hasBreaker = hasBreaker
        }
    }

    public enum Answer: Sendable, Equatable {
        case go
        /// Not before then.
        case later(Instant)
        /// Not before one that is under way has ended.
        case full
    }

    private var limits: Limits
    private var underWay = 0
    /// When the last `perSecond` calls began, the oldest at `next`.
    private var begun: [Instant] = []
    private var next = 0
    private var pausedUntil: Instant?
    private var failuresInARow = 0
    /// When the one job may be tried that says whether the sender works again.
    private var probeDue: Instant?
    private var probes = 0
    /// Whether what is under way is that job. What began before tells nothing new when it fails as well.
    private var isProbing = false

    /// So many failures in a row, and it is tried with one job at a time.
    public static let failuresMax = 20
    /// Between one job that failed and the next that is tried: 5 s at first, twice as long each time, at most 60 s.
    private static let probePauseSeconds: Int64 = 5
    private static let probePauseSecondsMax: Int64 = 60
    /// No pause that a provider asks for keeps jobs longer than this; then it is asked again.
    private static let pauseSecondsMax = 3600

    public init(_ limits: Limits) { self.limits = limits }

    /// Others from now on. What is under way goes on.
    public mutating func setLimits(_ limits: Limits) {
        guard limits != self.limits else { return }
        self.limits = limits
        (begun, next) = ([], 0)
    }

    /// Somebody else takes the jobs from now on, who has asked for no pause and failed with none. What is under way goes on.
    mutating func startOver() {
        (pausedUntil, failuresInARow, probeDue, probes, isProbing) = (nil, 0, nil, 0, false)
    }

    /// Whether it is tried with one job at a time.
    public var isBroken: Bool { limits.hasBreaker && failuresInARow >= Self.failuresMax }

    /// Asks for one job. After `go` it is under way until `ended`.
    public mutating func enter(at now: Instant) -> Answer {
        let answer = answer(at: now)
        if answer == .go {
            underWay += 1
            isProbing = isBroken
            note(now)
        }
        return answer
    }

    private func answer(at now: Instant) -> Answer {
        guard underWay < (isBroken ? 1 : limits.calls) else { return .full }
        let ends = [closedUntil(at: now), end(of: secondEnd, atMost: 1, at: now)]
        return ends.compactMap { $0 }.max().map { .later($0) } ?? .go
    }

    /// Before this nothing is given to it: the provider asked for that, or it is broken; `nil` where it is open.
    func closedUntil(at now: Instant) -> Instant? {
        [
            end(of: pausedUntil, atMost: Int64(Self.pauseSecondsMax), at: now),
            isBroken ? end(of: probeDue, atMost: Self.probePauseSecondsMax, at: now) : nil,
        ].compactMap { $0 }.max()
    }

    /// A pause that is not over. One longer than any can be is of a clock that was set back since.
    private func end(of pause: Instant?, atMost seconds: Int64, at now: Instant) -> Instant? {
        guard let pause, pause > now, pause <= now.advanced(bySeconds: seconds) else { return nil }
        return pause
    }

    /// When one more may begin without there being more than `perSecond` in a second.
    private var secondEnd: Instant? {
        guard let most = limits.perSecond, begun.count == most else { return nil }
        return begun[next].advanced(bySeconds: 1)
    }

    private mutating func note(_ now: Instant) {
        guard let most = limits.perSecond else { return }
        if begun.count < most { return begun.append(now) }
        begun[next] = now
        next = (next + 1) % most
    }

    /// What became of one that was under way.
    public mutating func ended(_ verdict: SenderVerdict, at now: Instant) {
        precondition(underWay > 0, "an end without a beginning")
        underWay -= 1
        if case .wait(let seconds, _, .sender) = verdict {
            let end = now.advanced(bySeconds: Int64(min(max(seconds, 1), Self.pauseSecondsMax)))
            pausedUntil = max(end, pausedUntil ?? end)
        }
        if verdict.isAgainstSender { fail(at: now) } else { work(verdict) }
    }

    /// One that was under way was given up before anything was known of it: the worker is stopping, or its time has passed.
    public mutating func left() {
        precondition(underWay > 0, "an end without a beginning")
        underWay -= 1
    }

    private mutating func fail(at now: Instant) {
        let isNews = !isBroken || isProbing
        failuresInARow = min(failuresInARow + 1, Self.failuresMax)
        guard isBroken, isNews else { return }
        let pause = min(Self.probePauseSeconds << min(probes, 4), Self.probePauseSecondsMax)
        probes += 1
        probeDue = now.advanced(bySeconds: pause)
    }

    private mutating func work(_ verdict: SenderVerdict) {
        // A wait or a word about an address shows that somebody is there; a job that cannot be put into a message does not.
        switch verdict {
        case .taken, .dead, .stopped, .misconfigured: (failuresInARow, probes, probeDue) = (0, 0, nil)
        case .wait, .transient, .final, .renew: break
        }
    }
}
