package import CivilTime

/// What few people have: goals, notices that wait, conversations, devices, changed preferences.
package struct Details: Sendable {
    static let none = Details()

    package var displayName: String?
    /// When the check-in slots last became what they are (`T10`).
    package var checkInsSince = Instant.distantPast
    /// When they last said not now to push permission (`S4`).
    package var notNowAt = Instant.distantPast
    /// The last sign of life that `P15` counts from.
    package var lastSeenAt = Instant.distantPast
    package var email: String?
    package var devices: [String] = []
    /// What of the preferences differs from the defaults, and the preset they came from.
    package var differences = JSONValue.emptyObject
    package var preset: String?
    /// The device's zone, where the person keeps another (`T9`).
    package var deviceZone: String?
    /// The zone's name where the tz database does not know it.
    package var unknownZone: String?
    /// Sorted by id.
    package var goals: [Goal] = []
    /// In the order in which they were first recorded as waiting.
    package var waiting: [Waiting] = []
    /// Raised by the event last applied and not yet considered.
    package var raised: [Notice] = []
    package var snoozes: [Snooze] = []
    package var snoozeCounts: [SnoozeCount] = []
    /// The conversation being looked at (`P7`).
    package var viewing: String?
    package var conversations: [Conversation] = []
    package var analyses = AnalysisWindow()
    package var phone = PhoneState()
    /// Earned since the last digest that went out (`D1`), by subject; "" for none.
    package var points: [PointsEntry] = []
    package var week = ActivityLog()

    package init() {}

    /// The overload summary that notices are being gathered for.
    package var summary: String? { waiting.first { $0.reason == .overload && $0.gatheredInto != nil }?.gatheredInto }
}

package struct PointsEntry: Sendable, Equatable {
    package var subject: String
    package var points: Int
}

package struct Goal: Sendable {
    package var id: String
    package var title: String
    package var deadline: Instant?
    package var reminderTime: LocalTime?
    package var checkInDays: WeekdaySet?
    package var hasEnded = false
    /// The check-ins of the last two weeks: longer than a notice waits.
    package internal(set) var checkIns: [Instant] = []
    /// When its reminders last changed: those it has are after this (`T10`).
    package var since = Instant.distantPast
    /// The day of a reminder that went out and was not answered since.
    package var remindedOn: LocalDate?

    package var subject: String { "goal:" + id }

    package mutating func checkIn(at instant: Instant) {
        let oldest = instant.advanced(byDays: -14)
        if let first = checkIns.first, first < oldest { checkIns.removeAll { $0 < oldest } }
        checkIns.append(instant)
        remindedOn = nil
    }
}

/// A repeat that the person asked for (`S1`).
package struct Snooze: Sendable {
    package var due: Instant
    /// The job's name without `~n`.
    package var base: String
    package var number: Int
    package var kind: Int
    package var job: JobMemo
    package var slot: LocalDateTime?
}

package struct SnoozeCount: Sendable {
    package var base: String
    package var count: Int
    package var lastAt: Instant
}

/// Messages of one conversation, as far as sessions (`S3`) and analyses (`A2`) need them.
package struct Conversation: Sendable {
    package var id: String
    /// Received or sent.
    package var lastMessageAt = Instant.distantPast
    /// Since the last completed session.
    package var exchanged = 0
    /// Received since the last analysis or reading.
    package var fresh = 0
    /// Among those, one with a mention or a keyword.
    package var isPressing = false
    /// The newest message received, as a notice about it tells of it.
    package var lastMessage = ""
    package var lastSender: String?
    package var lastAvatar: String?
    /// An analysis that was asked for and not answered: since when, about which message.
    package var pending: PendingAnalysis?

    /// Nothing of it is needed any more.
    package var isIdle: Bool { exchanged == 0 && fresh == 0 && pending == nil }
}

package struct PendingAnalysis: Sendable {
    package var since: Instant
    package var isPressing: Bool
    package var message: String
    package var sender: String?
    package var avatar: String?
    package var answer: Answer?

    package enum Answer: Sendable {
        case answered(AnalysisAnswered)
        case failed
    }
}

/// `A3`: analyses in the hour that began with the first.
package struct AnalysisWindow: Sendable {
    package var start = Instant.distantPast
    package var count = 0
    /// Why the last one was not the analyser's, for the status that is shown (`A4`).
    package var fallbackReason: String?
    package var lastConversation: String?
}

/// Verification of a phone number (SPEC §11).
package struct PhoneState: Sendable {
    package var number: String?
    package var asked: String?
    package var askedAt = Instant.distantPast
    package var attempts = 0
    package var wasCorrect = false
    package var lockedUntil = Instant.distantPast
}
