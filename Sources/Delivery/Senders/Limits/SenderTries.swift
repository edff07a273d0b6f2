public import CivilTime

/// What happens to one job at one address after an answer: it has ended, or it is tried again (`N5`).
///
/// Failures use up tries; waits that the provider asked for do not, and are bounded in time; both end with `not_after`.
public struct SenderTries: Sendable, Equatable {
    public enum Next: Sendable, Equatable {
        case taken(providerID: String?)
        /// Not before then.
        case again(at: Instant)
        /// For good. The address is as good as before.
        case failed(reason: String)
        /// For good, and the address is of no use any more.
        case dead(reason: String)
        /// For good: the person told the provider to stop.
        case stopped(reason: String)
    }

    private(set) var tries: Tries

    /// How the reason ends of what could not be tried again in its time.
    static let beforeNotAfter = " before not_after"

    public init() { tries = Tries() }

    init(_ tries: Tries) { self.tries = tries }

    /// How often it was tried.
    public var count: Int { tries.count }

    /// - Parameter key: what jitter derives from: the job and the address.
    public mutating func next(
        after verdict: SenderVerdict, key: String, notAfter: Instant?, at now: Instant
    ) -> Next {
        switch verdict {
        case .taken(let providerID): return .taken(providerID: providerID)
        case .dead(let reason): return .dead(reason: told(reason))
        case .stopped(let reason): return .stopped(reason: told(reason))
        case .final(let reason): return .failed(reason: told(reason))
        case .misconfigured(let problem) where problem.whom == .address || !problem.mayRepeat:
            return .failed(reason: told(problem.reason))
        case .misconfigured(let problem): return failed(problem.reason, key, notAfter, at: now)
        case .transient(let reason, _), .renew(let reason): return failed(reason, key, notAfter, at: now)
        case .wait(let seconds, let reason, _): return wait(seconds, reason, key, notAfter, at: now)
        }
    }

    private mutating func failed(_ reason: String, _ key: String, _ notAfter: Instant?, at now: Instant) -> Next {
        tries = tries.withFailure()
        guard tries.failed < RetryPause.triesMax else { return .failed(reason: told(reason)) }
        let due = now.advanced(byMilliseconds: RetryPause.milliseconds(after: Int(tries.failed), of: key))
        if let notAfter, due > notAfter { return .failed(reason: told(reason, Self.beforeNotAfter)) }
        return .again(at: due)
    }

    private mutating func wait(
        _ seconds: Int, _ reason: String, _ key: String, _ notAfter: Instant?, at now: Instant
    ) -> Next {
        tries = tries.withWait(at: now)
        let pause = RetryPause.milliseconds(told: seconds, waits: Int(tries.waits), of: key)
        let due = now.advanced(byMilliseconds: pause)
        let end = notAfter ?? tries.waitingSince.advanced(byHours: RetryPause.waitHoursMax)
        guard due <= end else {
            let limit = notAfter == nil ? " in \(RetryPause.waitHoursMax) h" : Self.beforeNotAfter
            return .failed(reason: told(reason, limit))
        }
        return .again(at: due)
    }

    private func told(_ reason: String, _ limit: String = "") -> String {
        let tries = count > 1 ? ", \(count) tries" : limit.isEmpty ? "" : ", 1 try"
        return reason + tries + limit
    }
}
