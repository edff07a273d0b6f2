public import CivilTime

/// What a rule objects: the notice waits, is gathered, or is dropped. No objection is `nil`.
public enum Objection: Equatable, Sendable {
    case hold(until: Instant, Reason)
    case gather(Reason)
    case drop(Reason)

    public var reason: Reason {
        switch self {
        case .hold(_, let reason), .gather(let reason), .drop(let reason): reason
        }
    }
}

/// One rule of SPEC §6: an objection, or `nil` where it has none.
///
/// A rule reads values and returns a value. What it saw, for `explain`, it says in words.
public struct Rule: Sendable {
    public let number: Int
    public let name: StaticString
    public let objection: @Sendable (borrowing Matter) -> Objection?
    public let sight: @Sendable (borrowing Matter) -> String

    var bit: RuleSet { RuleSet(rawValue: 1 << UInt16(number)) }
}

/// Some of the rules, by their numbers.
public struct RuleSet: OptionSet, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ numbers: ClosedRange<Int>) {
        self.init(rawValue: numbers.reduce(0) { $0 | 1 << UInt16($1) })
    }

    static func only(_ number: Int) -> RuleSet { RuleSet(number...number) }

    static let all = RuleSet(1...13)
}

/// The pipeline in the order of the spec; the first objection stands.
///
/// Permanent objections come first, so that nothing is held overnight only to be dropped in the morning.
public let pipeline: [Rule] = [
    .expired, .settled, .consent, .masterSwitch, .kindSwitch, .reachable, .viewing,
    .quietHours, .schedule, .digestMode, .cooldown, .overload, .dailyCap,
]

extension Matter {
    /// The first objection of the rules this notice is asked, of those in `rules`.
    func objection(of rules: RuleSet = .all) -> Objection? {
        let asked = asked.intersection(rules)
        for rule in pipeline where asked.contains(rule.bit) {
            if let objection = rule.objection(self) { return objection }
        }
        return nil
    }
}
