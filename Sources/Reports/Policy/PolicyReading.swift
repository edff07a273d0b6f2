internal import CivilTime
public import Notices

/// A policy in sentences, for those who have to agree to it and do not read JSON.
public struct PolicyReading: Sendable {
    public struct Kind: Sendable, Equatable {
        public var name: String
        public var label: String
        public var priority: String
        /// When it comes, and where to.
        public var sentence: String
        /// What stands in its way, and what does not.
        public var rules: [String]
    }

    public let sentences: [String]
    public let kinds: [Kind]

    public init(_ policy: Policy) {
        let usual = Rulebook(policy).preferences(differing: .emptyObject, saidYes: true)
        sentences = Self.sentences(policy, usual)
        kinds = policy.kinds.map { rule in
            Kind(
                name: rule.name.text, label: rule.label.text,
                priority: (rule.digest == nil ? rule.priority : .medium).name,
                sentence: KindWords(rule, policy).sentence,
                rules: KindWords(rule, policy).rules)
        }
    }

    // MARK: What holds for all kinds

    private static func sentences(_ policy: Policy, _ usual: Preferences) -> [String] {
        var all = [frequency(policy)]
        if policy.cooldownMinutes > 0 {
            all.append("Two notices of one kind come at least \(minutes(policy.cooldownMinutes)) apart.")
        }
        all.append(quiet(policy, usual))
        all += consent(policy)
        all.append(checkIns(policy, usual))
        if policy.isSmart {
            all.append(
                "Messages are analysed for whoever opted in; \(policy.ranges.maxAnalysesPerHour.upperBound) an hour can be chosen at most."
            )
        }
        if policy.bundleMinutes > 0, policy.kinds.contains(where: \.isBundling) {
            all.append("Slots within \(minutes(policy.bundleMinutes)) share one job where their kind bundles.")
        }
        all.append(late(policy))
        if let days = policy.retention?.peopleAfterDays {
            all.append("Whoever nothing is heard of for \(counted(days, "day")) is erased.")
        }
        if let days = policy.retention?.textsAfterDays {
            all.append("What people are told is erased after \(counted(days, "day")), a week of it at a time.")
        }
        if policy.snoozes.times > 0 {
            let lengths = list(policy.snoozes.minutes.map { "\($0)" }, "or")
            all.append(
                "A person can snooze a notice for \(lengths) minutes, \(times(policy.snoozes.times)) at most.")
        }
        if policy.givesWay {
            all.append("A channel that fails for good gives way to the next one that the person chose.")
        }
        if policy.addresses == .here { all.append("Push reaches only people with a registered device.") }
        return all
    }

    private static func frequency(_ policy: Policy) -> String {
        guard let cap = policy.dailyCap else {
            let rule = policy.overload
            return
                "There is no daily limit; beyond \(counted(rule.jobs, "job")) within \(minutes(rule.minutes)) notices are gathered into one summary."
        }
        return "A person gets at most \(counted(cap, "job")) a local day."
    }

    private static func quiet(_ policy: Policy, _ usual: Preferences) -> String {
        guard let window = usual.quietHours else { return "Nobody has quiet hours unless they choose them." }
        let passing = policy.quietPass == .high ? "high and critical notices pass" : "only critical notices pass"
        return "Quiet hours are \(window.start)–\(window.end) unless a person chooses others; \(passing)."
    }

    private static func consent(_ policy: Policy) -> [String] {
        switch policy.consent {
        case .none: []
        case .guardianForMinors: ["A minor gets nothing before the guardian has consented."]
        case .person: ["Nobody gets anything before they have consented, or for a minor the guardian."]
        }
    }

    private static func checkIns(_ policy: Policy, _ usual: Preferences) -> String {
        guard policy.kinds.contains(where: { $0.schedule == .checkIn }) else { return "There are no check-ins." }
        let from = policy.checkInsAfterYes ? "Once a person has said yes, check-ins come" : "Check-ins come"
        guard usual.checkInsEnabled else { return "Check-ins are off unless a person switches them on." }
        return "\(from) at \(usual.checkInTime) on \(days(usual.checkInDays)) unless a person chooses otherwise."
    }

    private static func late(_ policy: Policy) -> String {
        policy.catchUpMinutes == 0
            ? "A slot that is handled late is skipped."
            : "A slot that is handled late still fires within \(minutes(policy.catchUpMinutes)), and is skipped after that."
    }

    // MARK: Words

    static func days(_ days: WeekdaySet) -> String {
        if days == .all { return "every day" }
        return list(Weekday.allCases.filter(days.contains).map { weekday in Self.weekdays[weekday.rawValue - 1] })
    }

    static let weekdays = ["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"]

    static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    static func minutes(_ minutes: Int) -> String {
        if minutes > 0, minutes.isMultiple(of: 1440) { return counted(minutes / 1440, "day") }
        if minutes > 60, minutes.isMultiple(of: 60) { return counted(minutes / 60, "hour") }
        return counted(minutes, "minute")
    }

    private static func times(_ count: Int) -> String {
        switch count {
        case 1: "once"
        case 2: "twice"
        default: "\(count) times"
        }
    }

    static func list(_ words: [String], _ conjunction: String = "and") -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
