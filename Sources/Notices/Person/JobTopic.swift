internal import CivilTime

/// What a job is about, as far as its person may have switched it off: its kind, which sort of it, and for which goals and
/// subjects.
public struct JobTopic: Sendable, Equatable {
    public var kind: String
    /// Of everything that it tells of; none where it tells of something that is about none.
    public var subjects: [String] = []
    /// Of a part of what it tells of, where the rest is about none.
    public var subjectsOfSome: [String] = []
    public var subtype: String?
    public var priority = Priority.medium
    /// Whether it rings at the hour that the person asked for: a repeat (`S1`), or a test (`N8`).
    public var isAskedFor = false
    public var isTest = false
    /// The job's own name, by which its person remembers what became of what it was for.
    public var job: String?
    /// Whether it says of nothing what it is about: a repeat names itself alone. Its person remembers more.
    public var isToldByName = false

    public init(kind: String) { self.kind = kind }

    public init(_ job: JobEmitted) {
        kind = job.kind.text
        priority = job.priority
        isTest = job.isTest == true
        self.job = job.job.text
        isAskedFor = job.job.isRepeat || isTest
        if let subject = job.subject {
            subjects = [subject.text]
        } else if job.notices.count > 1 {
            tell(of: job.notices.map(\.subject))
        } else if job.job.isRepeat {
            isToldByName = true
        }
        // Where it tells of several, its words are none of theirs.
        if job.notices.count < 2 { subtype = job.data["subtype"]?.text }
    }

    /// - Parameter named: the subject of each thing that it tells of.
    mutating func tell(of named: [String?]) {
        let known = named.compactMap(\.self)
        (subjects, subjectsOfSome) = known.count == named.count ? (known, []) : ([], known)
    }

    mutating func tell(of memo: JobMemo) {
        guard memo.members.isEmpty else { return tell(of: memo.members.map(\.subject)) }
        subjects = memo.subjects.isEmpty ? [NoticeName(memo.name).subject].compactMap(\.self) : memo.subjects
    }

    /// The goals among its subjects.
    var goals: [String] { (subjects + subjectsOfSome).compactMap { $0.named("goal:").map(String.init) } }
}

/// What stands against a job since it was emitted: the person has stopped it (`P4`, `P5`, `P6`, `N6`), may not be reached any
/// more (`P3`), or needs it no more (`P2`).
public struct Stops: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        case consent, everything, kind, subject, subtype

        public var words: String {
            switch self {
            case .consent: "there is no consent any more"
            case .everything: "\(Stops.phrase)notifications off"
            case .kind: "\(Stops.phrase)this kind off"
            case .subject: "\(Stops.phrase)this kind off for what it is about"
            case .subtype: "\(Stops.phrase)this sort of it off"
            }
        }
    }

    /// Why nobody needs it any more, locked or not.
    public enum End: Sendable, Equatable, CaseIterable {
        /// All that it told of is settled (`P2`).
        case settled
        /// They have opened or dismissed it, or read what it is about.
        case answered
        /// They have asked for it to come again (`S1`): that comes in its place.
        case putOff

        public var words: String {
            switch self {
            case .settled: "what it was for was done"
            case .answered: "the person has opened or dismissed it, or read what it is about"
            case .putOff: "the person has put it off"
            }
        }
    }

    /// Why nothing of it is to come; `nil` where something is.
    public var reason: Reason?
    public var end: End?
    /// The channels that it was emitted on.
    public var own: ChannelSet = []
    /// The channels that are off for it.
    public var channels: ChannelSet = []
    /// Whether it is locked: the person cannot switch it off (`P14`).
    public var isLocked = false

    public init() {}

    /// How every objection begins that is the person's own.
    public static let phrase = "the person has switched "

    /// Why it is not to go out on a channel any more; `nil` where nothing is against it. A test is asked for its channel alone (`N8`).
    public func objection(to channel: Channel?, isTest: Bool) -> String? {
        if !isTest, let end, ends(channel) { return end.words }
        guard !isLocked else { return nil }
        if !isTest, let reason { return reason.words }
        guard let channel, channels.contains(ChannelSet(channel)) else { return nil }
        return "\(Stops.phrase)\(channel.name) off"
    }

    /// Who has answered a job on one channel has its mail all the same, to keep: it rings nobody. No mail comes in another's place.
    private func ends(_ channel: Channel?) -> Bool { !(end == .answered && channel == .email && own.contains(.email)) }
}

extension Person {
    /// A job's topic with what is remembered of it, where the job itself does not say.
    func remembered(_ topic: JobTopic) -> JobTopic {
        guard topic.isToldByName, let name = topic.job,
            let memo = marks.last(where: { $0.memo?.job?.name == name })?.memo?.job
        else { return topic }
        var topic = topic
        topic.tell(of: memo)
        return topic
    }

    /// What they have stopped of what a job is about.
    public func stops(of topic: JobTopic, on occasion: Occasion) -> Stops {
        let plan = occasion.plan
        var stops = Stops()
        if !topic.isTest, let job = topic.job, let place = jobPlace(named: job, on: occasion) {
            stops.end = end(of: job, at: place, on: occasion)
            stops.own = marks[place].channels
        }
        let known = plan.rules.place(of: topic.kind)
        if let known, plan.rules.kinds[known].isLocked, plan.kind(known).isLockedPart(topic.subtype) {
            stops.isLocked = true
            return stops
        }
        let place = known.flatMap { plan.rules.isRetired($0) ? nil : $0 }
        if lacksConsent(plan) { stops.reason = .consent }
        // `A6`: where `enabled` means smart notifications it is no master switch.
        if stops.reason == nil, !preferences.isEnabled, !plan.policy.isSmart { stops.reason = .everything }
        var kept = preferences.channels
        if let place {
            if stops.reason == nil { stops.reason = preferences.reasonAgainst(topic, at: place, plan) }
            kept.formIntersection(preferences.channelsKept(for: topic, at: place, plan.rules.kinds[place]))
        }
        stops.channels = ChannelSet.ringing.subtracting(kept).union(stopped(topic.kind).intersection(.ringing))
        return stops
    }

    /// Why nobody needs a job any more that is remembered.
    private func end(of name: String, at place: Int, on occasion: Occasion) -> Stops.End? {
        if snoozes(of: name) > name.asRepeat?.number ?? 0 { return .putOff }
        if marks[place].isAnswered { return .answered }
        // It was asked when the job was emitted, and of most people nothing was heard since.
        guard mayHaveSettled(since: marks[place].at), let job = job(named: name, on: occasion) else { return nil }
        let members = job.memo.members(name, job.kind, .ordinary)
        let notices = members.isEmpty ? [job.memo.notice(name, job.kind, job.slot, job.due, .ordinary)] : members
        let almanac = Almanac()
        let isSettled = notices.allSatisfy {
            P2Settled.objection(to: Matter($0, of: self, occasion.plan, at: occasion.at, almanac)) != nil
        }
        return isSettled ? .settled : nil
    }

    private func mayHaveSettled(since instant: Instant) -> Bool {
        lastActiveAt >= instant
            || hasDetails
                && details.goals.contains {
                    max($0.endedAt, $0.deadlineAt, $0.checkIns.last ?? .distantPast) >= instant
                }
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
        // What is about no goal goes where its kind does.
        let isOfGoalsAlone = !ofGoals.isEmpty && ofGoals.count == topic.subjects.count
        let all = isOfGoalsAlone ? ofGoals : ofGoals + [chosen]
        let kept = all.reduce(into: ChannelSet()) { $0.formUnion($1) }
        return kept == rule.channels ? .ringing : kept
    }
}
