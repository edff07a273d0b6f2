public import CivilTime

/// One type of notice and the rules it follows (SPEC §15).
public struct KindRule: Sendable, Equatable {
    public var name = Identifier.start
    /// What people call it: "Goal reminders".
    public var label = Text.start
    public var priority = Priority.medium
    /// Whether an app may ask for one by `notice_requested`.
    public var isOnRequest = false
    /// Whether a person has it unless they switch it off.
    public var isOnByDefault = true
    public var schedule: Schedule?
    /// The facts that raise it (`C7`).
    public var raisedBy: [RaisedBy] = []
    /// Makes the kind itself a digest (`D1`, `D3`).
    public var digest: DigestScope?
    /// Passes P3–P5 and P8–P13 and always uses its required channels (`P14`).
    public var isLocked = false
    /// Whether it may wait for a digest (`P10`).
    public var isDigestible = false
    /// The digests it can be had in, whatever the digest mode: the first unless a person chooses another (`P10`, `D7`).
    public var digests = [DigestWish.none]
    /// Of a daily digest, the kind whose switches say whether points are told; its own where it names none (`D5`).
    public var pointsKind: Identifier?
    /// Whether it comes only as the points of a digest.
    public var isToldInDigest = false
    /// Whether each that an app asks for is a goal achieved, for the weekly digest to count (`D3`).
    public var countsAsGoal = false
    /// Whether several share a job (`P19`).
    public var isBundling = false
    /// Whether a goal's end or check-in makes it needless (`P2`). A notice that tells of the end is not.
    public var isSettledByGoal = true
    public var overCap = OverCap.drop
    public var inQuietHours = InQuietHours.hold
    /// Where it differs from the policy's.
    public var cooldownMinutes: Int?
    public var channels = ChannelSet.push
    /// A locked kind's channels.
    public var requiredChannels: ChannelSet = []
    public var subtypes: [SubtypeRule] = []
    public var copy = Copy()
    /// What a test of it says (`N8`).
    public var sample = Sample()
    /// What a device shows with it: the category's name and its actions (SPEC §11).
    public var category: Identifier?
    public var actions: [Identifier] = []

    public init() {}
}

/// When a kind comes by itself.
public enum Schedule: Sendable, Equatable {
    /// By the person's check-in time and days (`C1`–`C3`).
    case checkIn
    /// Every local day (`C6`).
    case daily(LocalTime)
    case weekly(Weekday, LocalTime)
    /// For each goal on its check-in days, at its own reminder time or else this one, with its repeats.
    case goal(LocalTime)
    /// Before each goal's deadline.
    case deadline(DeadlineOffsets)
    /// At each goal's deadline, if it has not ended (`C6`); by `raised_by`.
    case overdue
    /// In the app after a completed session (`S4`).
    case session
    /// After travel.
    case travel
    /// The day after a goal's reminder went unanswered for the first time, at this time.
    case missedCheckIn(LocalTime)
    /// For each message, or when an analysis says so (`A2`, `A6`).
    case message
    /// When the overload window allows (`P12`).
    case overload
}

/// The warnings before a deadline: each offset in minutes, with the subtype that switches it.
public struct DeadlineOffsets: Sendable, Equatable {
    public struct Offset: Sendable, Equatable {
        public var minutes: Int
        public var subtype: String
        /// Sent as well where the subtype of this name is on.
        public var escalation: String?

        public init(minutes: Int, subtype: String, escalation: String? = nil) {
            self.minutes = minutes
            self.subtype = subtype
            self.escalation = escalation
        }
    }

    /// From the earliest to the last.
    public var offsets: [Offset] = []
    /// Warnings this near to the deadline are critical.
    public var criticalMinutes = 60

    public init() {}
}

public enum DigestScope: Int, Enumeration {
    /// What was gathered and the points since the last one (`D1`).
    case daily = 1
    /// The activity of the local week (`D3`).
    case weekly
    public static let names = ["daily", "weekly"]
}

/// The digest in which a person wants a kind (SPEC §3, `kinds.K.digest`).
public enum DigestWish: String, CaseIterable, Sendable {
    /// As the digest mode says.
    case none
    case daily
    case weekly

    static let names = allCases.map(\.rawValue)
}

/// What becomes of a notice that finds the day's cap reached (`P13`).
public enum OverCap: Int, Enumeration {
    case drop = 1, hold, gather
    public static let names = ["drop", "hold", "gather"]
}

/// What becomes of a notice in quiet hours (`P8`).
public enum InQuietHours: Int, Enumeration {
    case drop = 1, hold
    public static let names = ["drop", "hold"]
}

/// A part of a kind that can be switched by itself; a notice says which it is of in `data.subtype`.
public struct SubtypeRule: Sendable, Equatable {
    public var name = Identifier.start
    public var label = Text.start
    public var isOnByDefault = true
    /// Of a locked kind, whether this part is locked too.
    public var isLocked = true

    public init() {}
}

/// What somebody is shown who asks for a test of a kind, as an app might ask for it.
public struct Sample: Sendable, Equatable {
    public var title = ""
    public var body = ""
    public var data = FlatMap<Text>()

    public init() {}
}

/// The words of a kind. In each text `{name}` stands for a value; `{count|one|many}` picks by number.
public struct Copy: Sendable, Equatable {
    public var title = ""
    public var body = ""
    /// For several at once (`P19`).
    public var bundleTitle = ""
    public var bundleBody = ""
    /// Of a daily digest, for points that are older than its day (`D6`).
    public var earlier = ""
    /// Instead of the body, in turn by the day: a line that is not the same every time.
    public var bodies: [String] = []

    public init() {}
}
