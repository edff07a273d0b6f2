internal import CivilTime

/// Says once that a carrier does not take jobs, and once that it does again; each job's own fate is in the log of facts.
struct SinkComplaint {
    typealias Line = (level: Courier.LogLevel, text: String, fields: [(String, String)])

    let sink: String
    private var failures = 0
    /// What it said last, unless it takes jobs.
    private(set) var problem: String?
    /// What was said last of what somebody has to mend.
    private var mistake: SenderVerdict.Misconfiguration?

    /// Whether it is said that it is tried with one job at a time.
    private var isBroken = false
    /// Until when it is said that it is given nothing.
    private var pausedUntil: Instant?

    /// A pause that is no longer is told by what waits.
    private static let longSeconds: Int64 = 60

    init(sink: String) { self.sink = sink }

    /// What there is to say of its breaker (`N5`) and of a long pause, if anything.
    mutating func stand(_ isBroken: Bool, _ nextTryAt: Instant?, at now: Instant) -> [Line] {
        var lines: [Line] = []
        if isBroken, !self.isBroken {
            lines.append(
                (
                    .warning,
                    "\(sink) has failed \(SenderGate.failuresMax) times in a row: it is tried with one job at a time, the others wait",
                    []
                ))
        }
        self.isBroken = isBroken
        // One that is said already and is asked for once more is no news.
        if let pausedUntil, pausedUntil <= now { self.pausedUntil = nil }
        let seconds = nextTryAt.map { $0.milliseconds(since: now) / 1000 } ?? 0
        if seconds > Self.longSeconds, pausedUntil == nil {
            pausedUntil = nextTryAt
            lines.append((.warning, "\(sink) is given nothing for \(seconds) s, as it asked", []))
        }
        return lines
    }

    /// What there is to say, if anything.
    mutating func hear(_ verdict: SenderVerdict) -> [Line] {
        switch verdict {
        case .taken:
            defer { (failures, mistake, problem) = (0, nil, nil) }
            let tries = failures == 1 ? "1 failed try" : "\(failures) failed tries"
            return failures > 0 ? [(.info, "\(sink) takes jobs again after \(tries)", [])] : []
        // A word about one address is none about the carrier.
        case .dead, .stopped: return []
        case .misconfigured(let problem):
            failures += 1
            self.problem = "\(problem.reason): \(problem.cure)"
            defer { mistake = problem }
            guard mistake != problem else { return [] }
            return [(.error, "\(sink) \(problem.reason)", [("cure", problem.cure)])]
        case .wait(_, let reason, _), .transient(let reason, _), .final(let reason), .renew(let reason):
            failures += 1
            problem = reason
            return failures == 1 ? [(.warning, "\(sink) \(reason)", [])] : []
        }
    }
}
