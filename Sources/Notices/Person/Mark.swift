public import CivilTime

/// What must be remembered of a person's past: a slot that fired or was skipped (`T8`), a job that caps and cooldowns
/// count and that may be snoozed.
public struct Mark: Sendable {
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A job was emitted, which is named after its slot or has a memo.
        public static let job = Flags(rawValue: 1)
        /// On push, email or sms (`P11`, `P12`).
        public static let ringing = Flags(rawValue: 2)
        /// Counts for the cap (`P17`).
        public static let counted = Flags(rawValue: 4)
        /// A slot of this kind has come to its end or waits.
        public static let slot = Flags(rawValue: 8)
        /// A sample that somebody asked for (`N8`): it counts for nothing and cannot be snoozed.
        public static let test = Flags(rawValue: 16)
        /// Opened, dismissed, seen in the feed, or come again since (`D8`).
        public static let seen = Flags(rawValue: 32)
        /// Of several notices; its memo tells how many.
        static let several = Flags(rawValue: 64)
        /// Its text has come: a phone said so, and what is told behind that is told late (`N3`).
        static let textArrived = Flags(rawValue: 128)
    }

    public var at: Instant
    public var date: LocalDate
    /// A minute of the day takes eleven bits; the channels of a job are above them, and whether it was answered. There are many
    /// marks, and a field of its own would make each larger by a third.
    private var minuteAndChannels: UInt16
    public var kind: UInt8
    public var flags: Flags
    public var memo: Memo?

    private static let minuteBits = 11
    private static let answered: UInt16 = 1 << 15

    /// - Parameter channels: those that a job was emitted on; none for what is no job.
    init(
        at: Instant, date: LocalDate, minute: UInt16, channels: ChannelSet, kind: UInt8, flags: Flags, memo: Memo? = nil
    ) {
        self.at = at
        self.date = date
        minuteAndChannels = minute | UInt16(channels.rawValue) << Self.minuteBits
        self.kind = kind
        self.flags = flags
        self.memo = memo
    }

    public var minute: UInt16 { minuteAndChannels & (1 << Self.minuteBits - 1) }

    /// Those that a job was emitted on.
    public var channels: ChannelSet {
        ChannelSet(rawValue: UInt8((minuteAndChannels & ~Self.answered) >> Self.minuteBits))
    }

    /// Of a job: opened or dismissed, or about a conversation that was read or opened since. No phone need ring for it any more.
    public internal(set) var isAnswered: Bool {
        get { minuteAndChannels & Self.answered != 0 }
        set { minuteAndChannels = newValue ? minuteAndChannels | Self.answered : minuteAndChannels & ~Self.answered }
    }

    /// What a job or slot needs beyond its kind and time.
    public final class Memo: Sendable {
        public let subject: String?
        /// When a subject's slot was due where the person was then (`T8`).
        public let due: Instant?
        public let job: JobMemo?

        public init(subject: String?, due: Instant? = nil, job: JobMemo? = nil) {
            self.subject = subject
            self.due = due
            self.job = job
        }
    }

    /// When its date has passed in every zone: none is a whole day behind UTC.
    private var hasPassedAt: Instant { Instant(seconds: (Int64(date.daysSince1970) + 2) * 86_400) }

    func hasPassed(at now: Instant) -> Bool { hasPassedAt <= now }

    /// Of a slot that was taken so long before its time that the job is forgotten before the slot's date has passed.
    var isFarAhead: Bool {
        flags.contains(.slot) && !hasPassed(at: at.advanced(byMilliseconds: Person.jobsRemembered))
    }

    /// Whether it is of a slot, and of this kind's for this subject.
    func names(_ kind: Int, _ subject: String?) -> Bool {
        guard self.kind == kind, flags.contains(.slot) else { return false }
        return memo == nil ? subject == nil : memo?.subject == subject
    }
}

extension Mark.Flags {
    /// `P17`: on push, email or sms; counted unless of a locked kind or critical.
    init(job channels: ChannelSet, _ kind: Kind, _ priority: Priority) {
        self = .job
        guard !channels.isDisjoint(with: .ringing) else { return }
        insert(.ringing)
        if !kind.isLocked, priority != .critical { insert(.counted) }
    }
}

/// A job as it was, to be sent again by a snooze.
public final class JobMemo: Sendable {
    public let name: String
    public let raisedAt: Instant
    public let date: LocalDate
    public let subjects: [String]
    public let priority: Priority
    public let title: String
    public let body: String
    public let data: FlatMap<Text>
    public let expiresAt: Instant?
    public let subtype: String?
    /// When it is too late to send it.
    public let notAfter: Instant?
    /// How many notices it told of (`D8`): of a digest those that it listed, of which there may be none.
    let notices: Int
    /// Nothing was kept of it: it was named again from its slot.
    let isRemade: Bool
    /// Of one about a goal, its own local day as it was where the person was (`P2`).
    let day: Range<Instant>?
    /// Of a bundle, each of what it told of; empty for every other.
    let members: [JobMember]

    init(
        name: String, raisedAt: Instant, date: LocalDate, subjects: [String], priority: Priority, title: String,
        body: String, data: FlatMap<Text>,
        expiresAt: Instant?, subtype: String?, notAfter: Instant?, notices: Int = 1, isRemade: Bool = false,
        day: Range<Instant>? = nil, members: [JobMember] = []
    ) {
        self.name = name
        self.raisedAt = raisedAt
        self.date = date
        self.subjects = subjects
        self.priority = priority
        self.title = title
        self.body = body
        self.data = data
        self.expiresAt = expiresAt
        self.subtype = subtype
        self.notAfter = notAfter
        self.notices = notices
        self.isRemade = isRemade
        self.day = day
        self.members = members
    }
}

/// One of several notices that a job told of: what it takes to ask whether it may come again, and to tell it alone.
struct JobMember: Sendable {
    let subject: String?
    let priority: Priority
    let raisedAt: Instant
    let date: LocalDate
    let slot: LocalDateTime?
    /// As that of a `Memo`.
    let due: Instant?
    /// As that of a `JobMemo`.
    let day: Range<Instant>?
    let content: NoticeContent?
}
