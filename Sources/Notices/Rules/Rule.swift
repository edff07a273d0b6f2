public import CivilTime

/// What a rule objects: the notice waits, is gathered, or is dropped. No objection is `nil`.
public enum Objection: Equatable, Sendable {
    case hold(until: Instant, Reason)
    /// Into the digest of a day or a week, or into an overload's summary.
    case gather(Reason, DigestScope = .daily)
    case drop(Reason)

    public var reason: Reason {
        switch self {
        case .hold(_, let reason), .gather(let reason, _), .drop(let reason): reason
        }
    }
}

/// One rule of SPEC §6: an objection, or `nil` where it has none.
///
/// A rule reads values and returns a value. What it saw, for `explain`, it says in words.
///
/// Rules are types, called without a value of theirs: nothing is counted or copied to ask one.
protocol Rule: SendableMetatype {
    static var number: Int { get }
    static var name: StaticString { get }
    static func objection(to matter: Matter) -> Objection?
    static func sight(of matter: Matter) -> String
}

/// Some of the rules, by their numbers.
public struct RuleSet: OptionSet, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    private init(_ numbers: ClosedRange<Int>) {
        self.init(rawValue: numbers.reduce(0) { $0 | 1 << UInt16($1) })
    }

    static func only(_ number: Int) -> RuleSet { RuleSet(number...number) }

    static let all = RuleSet(1...13)
    /// What they object to can never be sent. Whatever is critical, forced, or snoozed and in time is asked these alone (`P14`,
    /// `S1`).
    static let permanent = RuleSet(1...7)
    /// A repeat that comes late comes at an hour that nobody asked for (`S1`).
    static let ofLateRepeat = RuleSet(1...9)
    /// Nobody may switch off what is locked, and it waits for nothing (`P14`).
    static let ofLocked: RuleSet = [.only(1), .only(2), .only(6), .only(7)]
    /// What is shown in an open app needs no way to reach anybody, and disturbs nobody (`P15`).
    static let inApp: RuleSet = [RuleSet(1...5), .only(7)]
    /// A digest's kind has no cooldown, and is not gathered itself (`D2`).
    static let ofDigest: RuleSet = [RuleSet(1...9), .only(13)]
    static let ofSummary: RuleSet = [RuleSet(1...9), .only(12)]
    /// What was gathered is asked once more when its digest goes out (`D4`).
    static let ofGathered = RuleSet(1...6)
    /// What goes with another's job needs no cooldown and no place under the cap of its own (`P19`).
    static let joiningBundle = RuleSet.all.subtracting([.only(11), .only(13)])
    /// `N8`.
    static let ofSample = only(6)
    static let masterSwitch = only(4)
}

extension Reason {
    /// What P1 to P7 say: it can never be sent.
    var isPermanent: Bool {
        switch self {
        case .expired, .settled, .noConsent, .optedOut, .kindOff, .noChannel, .viewing: true
        case .quietHours, .outsideSchedule, .digestMode, .cooldown, .overload, .dailyCap, .alreadyActiveToday,
            .superseded, .missed, .analysisLimit, .aiUnavailable, .noRuleMatched, .suppressed:
            false
        }
    }
}

/// The pipeline in the order of the spec, each rule at its number; the first objection stands.
///
/// Permanent objections come first, so that nothing is held overnight only to be dropped in the morning.
let pipeline: [any Rule.Type] = [
    P1Expired.self, P2Settled.self, P3Consent.self, P4MasterSwitch.self, P5KindSwitch.self, P6Reachable.self,
    P7Viewing.self, P8QuietHours.self, P9Schedule.self, P10DigestMode.self, P11Cooldown.self, P12Overload.self,
    P13DailyCap.self,
]

extension Matter {
    /// The first objection of the rules this notice is asked, of those in `rules`.
    func objection(of rules: RuleSet = .all) -> Objection? {
        let pipeline = pipeline
        var left = asked.intersection(rules).rawValue
        while left != 0 {
            if let objection = pipeline[left.trailingZeroBitCount - 1].objection(to: self) { return objection }
            left &= left - 1
        }
        return nil
    }
}
