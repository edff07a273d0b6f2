public import CivilTime

/// What few people have: goals, notices that wait, conversations, devices, changed preferences.
public struct Details: Sendable {
    // First what changes with everyday facts: a fold of many people fetches this much of each (`Person.fetchDetails`).

    /// The last sign of life that `P15` counts from.
    public var lastSeenAt = Instant.distantPast
    /// The conversation being looked at (`P7`).
    public var viewing: String?
    public var week = ActivityLog()
    /// Earned since the last digest that went out (`D1`), by subject and local day, the oldest day first.
    public var points: [PointsEntry] = []
    public var conversations: [Conversation] = []
    /// Sorted by id.
    public var goals: [Goal] = []
    /// By subject; "" for the person's own.
    var streaks: [Streak] = []
    /// In the order in which they were first recorded as waiting.
    public var waiting = NoticeList<Waiting>()
    /// Raised by the event last applied and not yet considered.
    public var raised = NoticeList<Notice>()

    // Then what seldom does.

    /// What facts have raised lately, or the app has asked for itself (`C7`).
    var told: [ToldNotice] = []
    /// All points ever, by subject, where the policy tells of totals.
    var totals: [PointsTotal] = []
    public internal(set) var failures: [FailedJob] = []
    public var snoozes: [Snooze] = []
    public var snoozeCounts: [SnoozeCount] = []
    /// Slots that were taken long before their time: each is remembered until its date has passed (`T8`).
    public internal(set) var ahead: [Mark] = []
    public var displayName: String?
    /// When the check-in slots last became what they are (`T10`).
    public var checkInsSince = Instant.distantPast
    /// When they last said not now to push permission (`S4`).
    public var notNowAt = Instant.distantPast
    /// The fact that said so.
    var notNowBy: UInt64 = 0
    public var email: String?
    /// When the address was given: what comes of a job that went to the one before says nothing of it (`N3`).
    public internal(set) var emailSince = Instant.distantPast
    /// When they last asked for mail: switched it on, or gave another address. Where addresses are sealed they look alike, so that what is
    /// recorded may hang on this only where it hangs on `emailSince` too (`E2`).
    var emailWantedSince = Instant.distantPast
    /// The fact by which they changed their quiet hours last, or the zone that these are in: whatever was emitted before was not
    /// let through in these hours (`P8`).
    var quietBy: UInt64 = 0
    /// What of the preferences differs from the defaults, and the preset they came from.
    public var differences = JSONValue.emptyObject
    public var preset: String?
    /// What they stopped for some kinds, whatever their preferences say (`N6`).
    public internal(set) var stopped: [StoppedChannels] = []
    /// The device's zone, where the person keeps another (`T9`).
    public var deviceZone: String?
    @Apart public internal(set) var journey: Journey
    /// The zone's name where the tz database does not know it.
    public var unknownZone: String?
    @Apart public var analyses: AnalysisWindow
    @Apart public var phone: PhoneState
    /// What subjects are called, in the order of their ids.
    public internal(set) var subjectNames: [SubjectName] = []

    public init() {}

    /// `S4`: whether "not now" was the answer to this question. In one millisecond the order of the facts tells.
    func wasPutOff(_ question: Notice) -> Bool {
        question.raisedAt < notNowAt || question.raisedAt == notNowAt && question.sequence < notNowBy
    }

    /// How much of the details everyday facts are about.
    static let everydayByteCount = MemoryLayout<Details>.offset(of: \.told) ?? MemoryLayout<Details>.size

    /// The overload summary that notices are being gathered for.
    public var summary: String? {
        waiting.first { $0.reason == .overload && $0.gatheredInto != nil }?.gatheredInto
    }
}

public struct PointsEntry: Sendable, Equatable {
    /// Empty for none.
    public var subject: String
    /// The local day they were earned on. Travel does not make it another (`D6`).
    public var day: LocalDate
    public var points: Int
}

/// All that was ever earned with a subject; empty for none (`C7`).
public struct PointsTotal: Sendable, Equatable {
    public var subject: String
    public var points: Int
}

public struct SubjectName: Sendable, Equatable {
    public var subject: String
    public var title: String
}

public struct Goal: Sendable {
    public var id: String
    public var title: String
    public var deadline: Instant?
    /// The fact that set the deadline, and when.
    var deadlineSequence: UInt64 = 0
    var deadlineAt = Instant.distantPast
    public var reminderTime: LocalTime?
    public var checkInDays: WeekdaySet?
    public var hasEnded = false
    /// When it ended last; it may have been started again since.
    public var endedAt = Instant.distantPast
    /// The check-ins of the last two weeks, which is longer than a notice waits: of those that lie close together the
    /// first and the last. No local day has only what lies between them.
    public internal(set) var checkIns: [Instant] = []
    /// When its reminders last changed: those it has are after this (`T10`).
    public var since = Instant.distantPast
    /// The day of a reminder that went out and was not answered since.
    public var remindedOn: LocalDate?

    public init(id: String, title: String) {
        self.id = id
        self.title = title
    }

    public var subject: String { "goal:" + id }

    /// On which days it is reminded of, with what the person chose for it.
    func reminderDays(_ choice: GoalPreference) -> WeekdaySet {
        (checkInDays ?? .all).shifted(byDays: -choice.daysBefore)
    }

    /// In hours: no local day is as short (`T6`).
    private static let shortestDay: Int64 = 6

    public mutating func checkIn(at instant: Instant) {
        let oldest = instant.advanced(byDays: -14)
        if let first = checkIns.first, first < oldest { checkIns.removeAll { $0 < oldest } }
        let isBetween = checkIns.count > 1 && instant < checkIns[checkIns.count - 2].advanced(byHours: Self.shortestDay)
        if isBetween { checkIns.removeLast() }
        checkIns.append(instant)
        remindedOn = nil
    }
}

/// A repeat that the person asked for (`S1`).
public struct Snooze: Sendable {
    /// When it is considered: at the time that was asked for, or when it is held no longer.
    public var due: Instant
    /// The job's name without `~n`.
    public var base: String
    public var number: Int
    public var kind: Int
    public var job: JobMemo
    public var slot: LocalDateTime?
    /// When that slot was due where the person was then (`T8`).
    var slotDue: Instant?
    /// Those of its subjects that are conversations read or opened since (`P2`).
    public internal(set) var read: [String] = []
    /// Why it is held since the time that was asked for has passed; `nil` where it is not.
    public internal(set) var held: Reason?
}

public struct SnoozeCount: Sendable {
    public var base: String
    public var count: Int
    public var lastAt: Instant
}

/// Messages of one conversation, as far as sessions (`S3`) and analyses (`A2`) need them.
public struct Conversation: Sendable {
    public var id: String
    /// Received or sent.
    public var lastMessageAt = Instant.distantPast
    /// Since the last completed session.
    public var exchanged = 0
    /// Received since the last analysis or reading.
    public var fresh = 0
    /// Received since the last reading (`D8`).
    public internal(set) var unread = 0
    /// Among those, one with a mention or a keyword.
    public var isPressing = false
    /// The newest message received, as a notice about it tells of it.
    public var lastMessage = ""
    public var lastSender: String?
    public var lastAvatar: String?
    /// An analysis that was asked for and not answered: since when, about which message.
    public var pending: PendingAnalysis?

    /// Nothing of it is needed any more.
    public var isIdle: Bool { exchanged == 0 && fresh == 0 && unread == 0 && pending == nil }

    /// Something is about to be decided about it.
    var isInUse: Bool { fresh > 0 || pending != nil || exchanged >= Person.sessionMessages }
}

public struct PendingAnalysis: Sendable {
    public var since: Instant
    public var isPressing: Bool
    public var message: String
    public var sender: String?
    public var avatar: String?
    public var answer: Answer?

    public enum Answer: Sendable {
        case answered(AnalysisAnswered)
        case failed
    }
}

/// `A3`: analyses in the hour that began with the first.
public struct AnalysisWindow: Blank {
    public var start = Instant.distantPast
    public var count = 0
    /// Why the last one was not the analyser's, for the status that is shown (`A4`).
    public var fallbackReason: String?
    public var lastConversation: String?

    public init() {}
}

/// Verification of a phone number (SPEC §11).
public struct PhoneState: Blank {
    public var number: String?
    public var asked: String?
    public var askedAt = Instant.distantPast
    /// When codes were asked for last, whatever the numbers: as often as they may be within a day (`G11`).
    public internal(set) var codesAsked: [Instant] = []
    /// The number of the event that asked for the code (`N9`).
    public var request: UInt64 = 0
    public var attempts = 0
    public var wasCorrect = false
    public var lockedUntil = Instant.distantPast
    /// When the number was given or verified last: an older job's failure says nothing of it.
    public internal(set) var since = Instant.distantPast

    public init() {}
}
