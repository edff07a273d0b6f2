internal import CivilTime
internal import Notices

/// One kind of a policy in sentences.
struct KindWords {
    private let rule: KindRule
    private let policy: Policy

    init(_ rule: KindRule, _ policy: Policy) {
        self.rule = rule
        self.policy = policy
    }

    // MARK: When it comes, and where to

    var sentence: String {
        let channels = rule.isLocked && !rule.requiredChannels.isEmpty ? rule.requiredChannels : rule.channels
        return "\(PolicyReading.list(comings)), by \(PolicyReading.list(channels.list.map(Self.name)))."
            .capitalizedFirst
    }

    private var comings: [String] {
        var all: [String] = []
        if let schedule = rule.schedule { all.append(coming(by: schedule)) }
        all += rule.raisedBy.compactMap(coming)
        if rule.isOnRequest { all.append("comes when the app asks for it") }
        if rule.isToldInDigest { all.append("comes only as the points of a digest") }
        return all.isEmpty ? ["never comes"] : all
    }

    private func coming(by schedule: Schedule) -> String {
        switch schedule {
        case .checkIn: "comes at a person's check-in time on their check-in days"
        case .daily(let time): "comes every day at \(time)" + (rule.digest == nil ? "" : " and lists what was gathered")
        case .weekly(let day, let time):
            "comes on \(PolicyReading.weekdays[day.rawValue - 1]) at \(time)"
                + (rule.digest == nil ? "" : " and tells of the week")
        case .goal(let time): "comes for each goal at its reminder time, or else at \(time)"
        case .deadline(let offsets):
            "comes \(PolicyReading.list(offsets.offsets.map { PolicyReading.minutes($0.minutes) })) before a goal's deadline"
        case .overdue: "comes at the deadline of a goal that has not ended"
        case .session: "comes in the app after a completed session"
        case .travel: "comes when a person's time zone has changed"
        case .missedCheckIn(let time): "comes at \(time) on the day after a goal's first unanswered reminder"
        case .message: "comes for a message, or when its analysis says so"
        case .overload: "comes when too much was gathered within an hour"
        }
    }

    /// `C7`.
    private func coming(by raised: RaisedBy) -> String? {
        switch raised.cause {
        case .goalStarted: "comes when a goal starts"
        case .goalEnded(nil): "comes when a goal ends"
        case .goalEnded(let outcome?): "comes when a goal ends \(outcome.name)"
        case .goalOverdue: rule.schedule == .overdue ? nil : "comes when a goal is overdue"
        case .streak(let days): "comes after \(PolicyReading.list(days.map { "\($0)" }, "or")) days in a row"
        case .points(let totals): "comes at \(PolicyReading.list(totals.map { "\($0)" }, "or")) points"
        }
    }

    // MARK: What stands in its way

    var rules: [String] {
        if rule.isLocked {
            return ["A person cannot switch it off, and neither quiet hours nor the day's limit hold it back."]
                + required
                + parts
        }
        var all: [String] = []
        if !rule.isOnByDefault { all.append("It is off unless a person switches it on.") }
        if rule.priority == .critical, rule.digest == nil {
            all.append("Neither quiet hours nor the day's limit hold it back.")
        } else {
            all += [quietHours, pressing, overCap].compactMap(\.self)
            if let minutes = rule.cooldownMinutes, rule.digest == nil {
                all.append(
                    minutes == 0
                        ? "Two of them may come at once." : "Two come at least \(PolicyReading.minutes(minutes)) apart."
                )
            }
        }
        if rule.isDigestible { all.append("In digest mode it waits for the digest.") }
        let wishes = rule.digests.filter { $0 != .none }.map(\.rawValue)
        if !wishes.isEmpty { all.append("A person can have it in a \(PolicyReading.list(wishes, "or")) digest.") }
        if rule.isBundling { all.append("Several at once share a job.") }
        if rule.isSettledByGoal, isAboutGoals { all.append("It is dropped once its goal has ended or was checked in.") }
        return all + parts
    }

    private var required: [String] {
        guard !rule.requiredChannels.isEmpty else { return [] }
        return ["It always goes by \(PolicyReading.list(rule.requiredChannels.list.map(Self.name)))."]
    }

    /// Shortly before a deadline.
    private var pressing: String? {
        guard case .deadline(let offsets)? = rule.schedule, rule.priority != .critical, offsets.criticalMinutes > 0,
            offsets.offsets.contains(where: { $0.minutes <= offsets.criticalMinutes })
        else { return nil }
        let from = PolicyReading.minutes(offsets.criticalMinutes)
        return "From \(from) before on it is critical: neither quiet hours nor the day's limit hold it back then."
    }

    private var quietHours: String? {
        rule.inQuietHours == .drop ? "In quiet hours it is dropped." : "In quiet hours it waits for their end."
    }

    private var overCap: String? {
        guard policy.dailyCap != nil else { return nil }
        switch rule.overCap {
        case .drop: return "Over the day's limit it is dropped."
        case .hold: return "Over the day's limit it waits for the next day."
        case .gather: return "Over the day's limit it goes into the digest."
        }
    }

    private var isAboutGoals: Bool {
        switch rule.schedule {
        case .goal?, .deadline?, .missedCheckIn?: true
        default: false
        }
    }

    private var parts: [String] {
        guard !rule.subtypes.isEmpty else { return [] }
        func told(_ of: String, _ parts: [SubtypeRule]) -> String? {
            parts.isEmpty ? nil : "\(of): \(parts.map { $0.label.text }.joined(separator: "; "))."
        }
        let fixed = rule.subtypes.filter { rule.isLocked && $0.isLocked }
        return [
            told("Its parts can be switched by themselves", rule.subtypes.filter { !fixed.contains($0) }),
            told("Always on", fixed), told("Off unless switched on", rule.subtypes.filter { !$0.isOnByDefault }),
        ].compactMap(\.self)
    }

    private static func name(_ channel: Channel) -> String {
        switch channel {
        case .push: "push"
        case .email: "email"
        case .sms: "SMS"
        case .inApp: "the app itself"
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
