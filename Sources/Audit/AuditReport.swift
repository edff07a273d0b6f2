package import CivilTime

/// Something the log shows that must not be.
package struct Violation: Sendable, Equatable, CustomStringConvertible {
    /// The offending event.
    package var seq: UInt64
    package var at: Instant
    package var user: String?
    package var check: Check
    /// What is wrong, in one sentence with the values.
    package var sentence: String

    package var description: String {
        "event \(seq), \(at)\(user.map { ", \($0)" } ?? ""): \(sentence) (\(check.rule))"
    }
}

/// What an audit found, and how often it looked.
package struct AuditReport: Sendable {
    package struct Tally: Sendable, Equatable {
        /// How many times the check was asked. A check that was never asked has proved nothing.
        package var asked = 0
        package var violations = 0
    }

    package var events = 0
    package var facts = 0
    package var decisions = 0
    package var jobs = 0
    package var people = 0
    /// How often a policy was adopted, one given from the beginning included.
    package var policies = 0
    package var notices = 0
    /// Notices that validly wait for the end of a hold, a digest or a snooze.
    package var waiting = 0
    package internal(set) var tallies: [Check: Tally] = [:]
    /// The first of them, in the order they were found; the tallies count all.
    package internal(set) var violations: [Violation] = []
    package static let violationsShownMax = 1000

    package var violationCount: Int { tallies.values.reduce(0) { $0 + $1.violations } }
    package subscript(_ check: Check) -> Tally { tallies[check] ?? Tally() }

    mutating func asked(_ check: Check) { tallies[check, default: Tally()].asked += 1 }

    mutating func broken(_ violation: Violation) {
        tallies[violation.check, default: Tally()].violations += 1
        if violations.count < Self.violationsShownMax { violations.append(violation) }
    }
}

/// How the log that was audited ends, which says what may still be waiting (P20).
package enum Ending: Sendable {
    /// Somewhere: only what was decided about a person tells what should have been decided about them by then.
    case anywhere
    /// Where a worker has come to. What was due a minute before the last decision has been decided.
    case worked
    /// Everything due up to this instant has been decided, as `simulate --until` does.
    case decided(until: Instant)
}
