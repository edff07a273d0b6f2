/// What a job is about, as far as its person may have switched it off: its kind, which sort of it, and for which goals and
/// subjects.
public struct JobTopic: Sendable, Equatable {
    public var kind: String
    /// Of everything that it tells of; none where it tells of something that is about none.
    public var subjects: [String] = []
    public var subtype: String?

    public init(kind: String) { self.kind = kind }

    public init(_ job: JobEmitted) {
        kind = job.kind.text
        if let subject = job.subject {
            subjects = [subject.text]
        } else if job.notices.count > 1 {
            let named = job.notices.map(\.subject)
            if named.allSatisfy({ $0 != nil }) { subjects = named.compactMap(\.self) }
        }
        // Where it tells of several, its words are none of theirs.
        if job.notices.count < 2 { subtype = job.data["subtype"]?.text }
    }

    /// The goals among its subjects.
    var goals: [String] { subjects.compactMap { $0.named("goal:").map(String.init) } }
}

/// What stands against a job since it was emitted: the person has stopped it (`P4`, `P5`, `P6`, `N6`).
public struct Stops: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        case everything, kind, subject, subtype

        public var words: String {
            switch self {
            case .everything: "\(Stops.phrase)notifications off"
            case .kind: "\(Stops.phrase)this kind off"
            case .subject: "\(Stops.phrase)this kind off for what it is about"
            case .subtype: "\(Stops.phrase)this sort of it off"
            }
        }
    }

    /// Why nothing of it is to come; `nil` where something is.
    public var reason: Reason?
    /// The channels that are off for it.
    public var channels: ChannelSet = []
    /// Whether it is locked: the person cannot switch it off (`P14`).
    public var isLocked = false

    public init() {}

    /// How every objection begins.
    public static let phrase = "the person has switched "

    /// Why it is not to go out on a channel any more; `nil` where nothing is against it. A test is asked for its channel alone (`N8`).
    public func objection(to channel: Channel?, isTest: Bool) -> String? {
        guard !isLocked else { return nil }
        if !isTest, let reason { return reason.words }
        guard let channel, channels.contains(ChannelSet(channel)) else { return nil }
        return "\(Stops.phrase)\(channel.name) off"
    }
}

extension Person {
    /// What they have stopped of what a job is about.
    public func stops(of topic: JobTopic, _ plan: Plan) -> Stops {
        var stops = Stops()
        let known = plan.rules.place(of: topic.kind)
        if let known, plan.rules.kinds[known].isLocked, plan.kind(known).isLockedPart(topic.subtype) {
            stops.isLocked = true
            return stops
        }
        let place = known.flatMap { plan.rules.isRetired($0) ? nil : $0 }
        // `A6`: where `enabled` means smart notifications it is no master switch.
        if !preferences.isEnabled, !plan.policy.isSmart { stops.reason = .everything }
        var kept = preferences.channels
        if let place {
            if stops.reason == nil { stops.reason = preferences.reasonAgainst(topic, at: place, plan) }
            kept.formIntersection(preferences.channelsKept(for: topic, at: place, plan.rules.kinds[place]))
        }
        stops.channels = ChannelSet.ringing.subtracting(kept).union(stopped(topic.kind).intersection(.ringing))
        return stops
    }
}

extension Preferences {
    /// `P5`, asked of a job. What is told of several goes while one of them may.
    fileprivate func reasonAgainst(_ topic: JobTopic, at place: Int, _ plan: Plan) -> Stops.Reason? {
        // A digest that is off tells what was gathered all the same (`D5`); what a summary tells of is of other kinds.
        if plan.rules.kinds[place].digest != nil || place == plan.summary { return nil }
        if !kinds[place].isEnabled || place == plan.checkIn && !checkInsEnabled { return .kind }
        if !topic.subjects.isEmpty, !(goals.isEmpty && subjects.isEmpty),
            topic.subjects.allSatisfy({ isOff(place, forGoalOrSubject: $0) })
        {
            return .subject
        }
        if let subtype = topic.subtype, !isOn(subtype, of: place, about: topic.subjects.first) { return .subtype }
        return nil
    }

    private func isOff(_ place: Int, forGoalOrSubject subject: String) -> Bool {
        if let goal = subject.named("goal:"), goals[String(goal)]?.kinds[place]?.isEnabled == false { return true }
        return isOff(place, forSubject: subject)
    }

    /// Where they chose no other channels than the kind begins with, nothing is said against those that it may give way to.
    fileprivate func channelsKept(for topic: JobTopic, at place: Int, _ rule: KindRule) -> ChannelSet {
        let chosen = kinds[place].channels
        if goals.isEmpty { return chosen == rule.channels ? .ringing : chosen }
        let ofGoals = topic.goals.map { goals[$0]?.kinds[place]?.channels ?? chosen }
        let all = ofGoals.isEmpty || topic.goals.count < topic.subjects.count ? ofGoals + [chosen] : ofGoals
        let kept = all.reduce(into: ChannelSet()) { $0.formUnion($1) }
        return kept == rule.channels ? .ringing : kept
    }
}
