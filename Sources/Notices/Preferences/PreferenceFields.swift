internal import CivilTime

/// Every field of the preferences document with a value (SPEC §3): the defaults, or what is in force for a person.
///
/// It begins as `standard`'s defaults; `PreferenceLayer` lays documents over it.
struct PreferenceFields: Sendable {
    enum Frequency: String, CaseIterable {
        case daily
        case fewTimesAWeek = "few_times_a_week"
        case weekly
    }

    struct QuietHours: Equatable {
        var isEnabled = true
        var start = PreferenceFields.time(22)
        var end = PreferenceFields.time(8)
        var days = WeekdaySet.all
        /// Names of kinds, and `critical`.
        var exceptions: [String] = []
    }

    struct Slot: Equatable {
        var start: LocalTime
        var end: LocalTime
    }

    /// The slots of each day, Monday first.
    struct Week: Equatable {
        var days: [[Slot]] = Array(repeating: [], count: 7)

        var isEmpty: Bool { days.allSatisfy(\.isEmpty) }
    }

    var isEnabled = true
    var checkInsEnabled = true
    var frequency = Frequency.fewTimesAWeek
    var checkInTime = PreferenceFields.time(9)
    var checkInDays: WeekdaySet?
    var quietHours = QuietHours()
    var schedule: Week?
    var digestMode = false
    var channels: ChannelSet = [.push, .email]
    /// The policy's own, by their place.
    var kinds: [KindPreference]
    /// Of goals that name none; `nil` as the policy's schedule has it.
    var reminderTime: LocalTime?
    var goals: [String: GoalPreference] = [:]
    /// By subject, then by the kind's place: what is switched for it alone. Channels are not.
    var subjects: [String: [Int: GoalPreference.Kind]] = [:]
    /// Of each that the policy declares, in its order.
    var choices: [(name: String, value: JSONValue)]
    var pauseThresholdSeconds = 120
    var activeConversationThreshold = 20
    var priorityKeywords = Payload.defaultKeywords
    var maxAnalysesPerHour = 10
    var fallback = AnalysisSource.simpleRules

    /// What holds for everybody before a policy says otherwise; of each kind what its own rule says.
    init(_ policy: Policy, kinds rules: ArraySlice<KindRule>) {
        choices = policy.choices.map { ($0.name.text, $0.usual) }
        kinds = rules.map { rule in
            var kind = KindPreference()
            kind.isEnabled = rule.isOnByDefault
            kind.channels = rule.channels
            kind.digest = rule.digests.first ?? .none
            kind.subtypesOff = Set(rule.subtypes.filter { !$0.isOnByDefault }.map(\.name.text))
            return kind
        }
    }

    /// Becomes what another document has in a field.
    mutating func take(_ field: DocumentField, from other: PreferenceFields) { field.declaration.take(&self, other) }

    static func time(_ hour: Int) -> LocalTime { LocalTime(hour: hour, minute: 0) ?? .midnight }
}
