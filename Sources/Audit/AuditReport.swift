public import CivilTime

/// A broken rule, as the log shows it.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
    /// The offending event.
    public var seq: UInt64
    public var at: Instant
    public var user: String?
    public var check: Check
    /// What is wrong, in one sentence with the values.
    public var sentence: String

    public var description: String {
        "event \(seq), \(at)\(user.map { ", \($0)" } ?? ""): \(sentence) (\(check.rule))"
    }
}

/// What an audit found, and how often it looked.
public struct AuditReport: Sendable {
    public struct Tally: Sendable, Equatable {
        /// How many times the check was asked. A check that was never asked has proved nothing.
        public var asked = 0
        public var violations = 0
    }

    public var events = 0
    public var facts = 0
    public var decisions = 0
    public var jobs = 0
    public var people = 0
    /// How often a policy was adopted, one given from the beginning included.
    public var policies = 0
    public var notices = 0
    /// Notices that validly wait for the end of a hold, a digest or a snooze.
    public var waiting = 0
    /// By the check's number.
    private var tallies = [Tally](repeating: Tally(), count: Check.allCases.count)
    /// The first of them, in the order they were found; the tallies count all.
    public internal(set) var violations: [Violation] = []
    public static let violationsShownMax = 1000

    public var violationCount: Int { tallies.reduce(0) { $0 + $1.violations } }
    public subscript(_ check: Check) -> Tally { tallies[check.rawValue] }

    mutating func asked(_ check: Check, times: Int = 1) { tallies[check.rawValue].asked += times }

    mutating func broken(_ violation: Violation) {
        tallies[violation.check.rawValue].violations += 1
        if violations.count < Self.violationsShownMax { violations.append(violation) }
    }
}

/// How the audited log ends. It decides what may still be waiting (P20).
public enum Ending: Sendable {
    /// Somewhere: only what was decided about a person tells what should have been decided about them by then.
    case anywhere
    /// Where a worker has come to. What was due a minute before the last decision has been decided.
    case worked
    /// Everything due up to this instant has been decided, as `simulate --until` does.
    case decided(until: Instant)
}
