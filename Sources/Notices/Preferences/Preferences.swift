public import CivilTime

/// A person's preferences as they are in force: the policy's defaults with what the person changed (SPEC §3).
///
/// Immutable and shared: everyone who changed nothing has the same object. Kinds are by their place in the rulebook.
public final class Preferences: Sendable {
    public let isEnabled: Bool
    public let checkInsEnabled: Bool
    public let checkInTime: LocalTime
    /// From the frequency, or `check_in_days` where the person chose them (`C1`).
    public let checkInDays: WeekdaySet
    /// `nil` where quiet hours are switched off or have no days.
    public let quietHours: DailyWindow?
    /// Whether quiet hours make an exception for a kind, by its place.
    public let quietExceptions: [Bool]
    /// `nil` where none is set (`P9`).
    public let schedule: WeeklySchedule?
    public let digestMode: Bool
    /// The channels that are switched on at all; `in_app` always is.
    public let channels: ChannelSet
    /// By the kind's place.
    public let kinds: [KindPreference]
    /// Of goals that name none, where the person or the policy chose one; else as the kind's schedule has it.
    public let reminderTime: LocalTime?
    public let goals: [String: GoalPreference]
    /// What is switched for one subject alone, by the kind's place.
    public let subjects: [String: [Int: GoalPreference.Kind]]
    /// The app's own preferences, as they stand in texts and in a job's data.
    public let choices: [(name: String, text: String)]
    public let pauseThresholdSeconds: Int
    public let activeConversationThreshold: Int
    public let priorityKeywords: [String]
    public let maxAnalysesPerHour: Int
    public let fallback: AnalysisSource
    /// What of the person's document could not be read and fell to its default, each with its path and what is allowed.
    public let warnings: [FieldError]
    /// What they are the preferences of, for whoever changes or compares them.
    let origin: Origin

    /// What preferences were made of.
    struct Origin: Sendable {
        /// Which rulebook made them.
        let edition: UInt64
        /// What is stored of the person, as they said yes to check-ins or did not.
        let stored: Stored
        let fields: PreferenceFields
        /// All of the document could be read, and it is as it would be stored again.
        let isSettled: Bool
    }

    /// - Parameters:
    ///   - kinds: the rulebook's, retired ones included.
    init(_ origin: Origin, _ policy: Policy, kinds rules: [KindRule], warnings: [FieldError]) {
        self.origin = origin
        let fields = origin.fields
        isEnabled = fields.isEnabled
        checkInsEnabled = fields.checkInsEnabled
        checkInTime = fields.checkInTime
        checkInDays = fields.checkInDays ?? policy.frequencies[fields.frequency]
        quietHours = fields.quietHours.window
        quietExceptions =
            fields.quietHours.exceptions.isEmpty
            ? Array(repeating: false, count: rules.count)
            : rules.map { fields.quietHours.exceptions.contains($0.name.text) }
        schedule = fields.schedule?.windows
        digestMode = fields.digestMode
        channels = fields.channels.union(.inApp)
        let retired = rules.dropFirst(fields.kinds.count).map { rule in
            var retired = KindPreference()
            retired.isEnabled = false
            retired.channels = rule.channels
            return retired
        }
        kinds = retired.isEmpty ? fields.kinds : fields.kinds + retired
        reminderTime = fields.reminderTime
        goals = fields.goals
        subjects = fields.subjects
        choices = fields.choices.map { ($0.name, $0.value.plain) }
        pauseThresholdSeconds = fields.pauseThresholdSeconds
        activeConversationThreshold = fields.activeConversationThreshold
        priorityKeywords = fields.priorityKeywords
        maxAnalysesPerHour = fields.maxAnalysesPerHour
        fallback = fields.fallback
        self.warnings = warnings
    }
}

extension Preferences {
    /// Whether a kind is switched off for what a notice is about.
    func isOff(_ kind: Int, forSubject subject: String) -> Bool {
        guard !subjects.isEmpty else { return false }
        return subjects[subject]?[kind]?.isEnabled == false
    }

    /// The same exceptions, too (`P8`).
    func hasSameQuietHours(as other: Preferences) -> Bool {
        origin.fields.quietHours == other.origin.fields.quietHours
    }
}

extension FrequencyDays {
    subscript(_ frequency: PreferenceFields.Frequency) -> WeekdaySet {
        switch frequency {
        case .daily: daily
        case .fewTimesAWeek: fewTimesAWeek
        case .weekly: weekly
        }
    }
}

extension PreferenceFields.QuietHours {
    /// `nil` where they are switched off or have no days.
    var window: DailyWindow? { isEnabled && !days.isEmpty ? DailyWindow(start: start, end: end, days: days) : nil }
}

extension PreferenceFields.Week {
    var windows: WeeklySchedule {
        WeeklySchedule(
            zip(Weekday.allCases, days).flatMap { day, slots in
                slots.map { DailyWindow(start: $0.start, end: $0.end, days: WeekdaySet(day)) }
            })
    }
}
