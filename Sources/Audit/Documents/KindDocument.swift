internal import CivilTime
internal import Notices

/// One kind of a policy, as its document says.
struct KindDocument: Sendable {
    /// What makes notices of a kind come by themselves.
    enum Cause: String {
        case checkIn = "check_in"
        case daily, weekly, goal, deadline, session, travel
        case missedCheckIn = "missed_check_in"
        case message, overload
        /// At a goal's deadline, by raised_by (C6, C7).
        case overdue = "goal_overdue"

        /// Whether its notices are named by a slot, a moment that a schedule names.
        var hasSlots: Bool {
            switch self {
            case .checkIn, .daily, .weekly, .goal, .deadline, .missedCheckIn, .overdue: true
            case .session, .travel, .message, .overload: false
            }
        }
    }

    enum Digest: String { case daily, weekly }

    /// What waits for it: what belongs in a day's digest or in a week's, or what was too much at once.
    enum Gathering { case daily, weekly, overload }

    enum OverCap: String { case drop, hold, gather }

    /// So long before a goal's deadline, where its part or the one it is sent with is on.
    struct Warning {
        var minutes: Int
        var subtype: String
        var escalation: String?

        init?(_ document: JSONTree) {
            guard let minutes = document["minutes"]?.whole, let subtype = document["subtype"]?.text else { return nil }
            (self.minutes, self.subtype) = (minutes, subtype)
            escalation = document["escalation"]?.text
        }
    }

    struct Subtype {
        var isOn: Bool
        /// Of a locked kind, whether this part of it is locked too.
        var isLocked: Bool
    }

    var name: String
    var priority: Priority
    var isOnRequest: Bool
    var isOn: Bool
    var cause: Cause?
    /// Whether it comes by a schedule that is not known here.
    var hasOtherSchedule: Bool
    /// The days of a weekly kind, every day for others.
    var days: WeekdaySet
    /// The time of a daily or weekly kind.
    var time: LocalTime?
    var digest: Digest?
    /// The facts that raise its notices (C7).
    var raisedBy: [RaisingFact]
    /// Passes P3–P5 and P8–P13 and has channels of its own (P14).
    var isLocked: Bool
    var isDigestible: Bool
    /// The digests it may be wished for in; the first is everybody's (P10).
    var digests: [String]
    /// Of a daily digest, the kind whose switches its points go by (D5).
    var pointsKind: String
    var isBundling: Bool
    /// Whether a goal's end makes it needless (P2); a notice that tells of the end is not.
    var isSettledByGoal: Bool
    var cooldownMinutes: Int?
    /// Whether the quiet hours drop its notices, where others are held (P8).
    var isDroppedInQuietHours: Bool
    /// What becomes of it beyond the daily cap (P13).
    var overCap: OverCap
    var channels: [Channel]
    var requiredChannels: [Channel]
    var subtypes: [String: Subtype]
    var warnings: [Warning]
    /// A warning so near to the deadline, or nearer, is critical (SPEC §15).
    var criticalMinutes: Int

    /// Whether another has the same schedule, and is a digest like it or none either.
    func comesLike(_ other: KindDocument) -> Bool {
        (cause, days, time, digest) == (other.cause, other.days, other.time, other.digest)
    }

    init?(_ document: JSONTree) {
        guard let name = document["name"]?.text else { return nil }
        self.name = name
        priority = document["priority"]?.text.flatMap(Priority.init(name:)) ?? .medium
        isOnRequest = document["on_request"]?.truth ?? false
        isOn = document["enabled"]?.truth ?? true
        cause = document["schedule"]?["on"]?.text.flatMap(Cause.init)
        hasOtherSchedule = cause == nil && document["schedule"].map { !$0.isNull } ?? false
        days = document["schedule"]?["day"]?.text.flatMap(Weekday.init(name:)).map { WeekdaySet($0) } ?? .all
        time = document["schedule"]?["at"]?.text.flatMap(LocalTime.init)
        digest = document["digest"]?.text.flatMap(Digest.init)
        isLocked = document["locked"]?.truth ?? false
        isDigestible = document["digestible"]?.truth ?? false
        digests = document["digests"]?.texts ?? ["none"]
        pointsKind = document["points"]?.text ?? name
        isBundling = document["bundling"]?.truth ?? false
        raisedBy = (document["raised_by"]?.list ?? []).compactMap(RaisingFact.init)
        if cause == nil, raisedBy.contains(where: { $0.on == .overdue }) { cause = .overdue }
        isSettledByGoal = document["settled_by_goal"]?.truth ?? raisedBy.isEmpty
        cooldownMinutes = document["cooldown_minutes"]?.whole
        isDroppedInQuietHours = document["in_quiet_hours"]?.text == "drop"
        overCap = document["over_cap"]?.text.flatMap(OverCap.init) ?? .drop
        channels = document["channels"]?.channels ?? [.push]
        requiredChannels = document["required_channels"]?.channels ?? channels
        warnings = (document["schedule"]?["offsets"]?.list ?? []).compactMap(Warning.init)
        criticalMinutes = document["schedule"]?["critical_minutes"]?.whole ?? 60
        subtypes = [:]
        for subtype in document["subtypes"]?.list ?? [] {
            guard let name = subtype["name"]?.text else { continue }
            subtypes[name] = Subtype(
                isOn: subtype["enabled"]?.truth ?? true, isLocked: subtype["locked"]?.truth ?? true)
        }
    }

    /// P2: whether a notice says that a goal has started, which is said of none that has ended.
    func tellsOfStart(_ notice: LiveNotice) -> Bool {
        let causes = raisedBy.filter { $0.subtype == notice.subtype }.map(\.on)
        return !causes.isEmpty && causes.allSatisfy { $0 == .started }
    }

    /// A digest or an overload summary: it speaks for others besides itself.
    var isGathering: Bool { gathering != nil }

    var gathering: Gathering? {
        if cause == .overload { return .overload }
        switch digest {
        case .daily: return .daily
        case .weekly: return .weekly
        case nil: return nil
        }
    }

    /// T8: for cadence kinds a day has one slot, whatever its time.
    var isCadence: Bool { cause == .checkIn }

    /// C6: its slots are instants that hang on a goal's deadline, and no journey makes others of them.
    var hangsOnDeadline: Bool { cause == .deadline || cause == .overdue }

    /// How long before it each of those is.
    var minutesBeforeDeadline: [Int] { cause == .overdue ? [0] : warnings.map(\.minutes) }
}

extension JSONTree {
    /// The channels of a list, words that are none left out.
    var channels: [Channel]? { texts.map { $0.compactMap(Channel.init(name:)) } }
}
