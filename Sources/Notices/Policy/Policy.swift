package import CivilTime

/// One app's rules (SPEC §1, §15): its kinds of notice, limits, defaults, presets and copy. A JSON document.
///
/// What a document leaves out is as in `standard`: the values below are its.
package struct Policy: Sendable, Equatable {
    package var name = Identifier.start
    package var about = Text.start
    /// The zone of a person who never said theirs.
    package var defaultZone = ZoneName("UTC")
    package var consent = ConsentRule.none
    /// `P13`; `nil` for a policy without a daily cap.
    package var dailyCap: Int? = 3
    /// `P11`, for kinds that do not say otherwise; 0 for none.
    package var cooldownMinutes = 30
    /// `P12`, for policies without a daily cap.
    package var overload = OverloadRule()
    /// How late a slot may still fire (`C5`).
    package var catchUpMinutes = 240
    /// How near slots must be to share a job (`P19`).
    package var bundleMinutes = 15
    /// The lowest priority that passes quiet hours (`P14`): critical, or high.
    package var quietPass = Priority.critical
    /// Check-ins are off by default until the person said yes to them (`S4`).
    package var checkInsAfterYes = false
    /// `enabled` means smart notifications, and messages are analysed for those who opted in (`A2`, `A6`).
    package var isSmart = false
    package var frequencies = FrequencyDays()
    package var snoozes = SnoozeRule()
    /// What every person begins with, laid over `standard`'s own (SPEC §3).
    package var defaults = JSONValue.emptyObject
    package var ranges = PreferenceRanges()
    /// In the order that `P18` counts by.
    package var kinds: [KindRule] = []
    package var presets: [Preset] = []

    package init() {}
}

/// Whose consent the policy asks for before anything is sent (`P3`).
package enum ConsentRule: Int, Enumeration {
    case none = 1
    /// For a minor the guardian's; nobody else's is asked for.
    case guardianForMinors
    /// The person's, or for a minor the guardian's.
    case person
    package static let names = ["none", "guardian_for_minors", "person"]
}

/// `P12`: how many jobs in how many minutes are too many.
package struct OverloadRule: Sendable, Equatable {
    package var jobs = 10
    package var minutes = 60

    package init() {}
}

/// The days of each `frequency` (`C1`).
package struct FrequencyDays: Sendable, Equatable {
    package var daily = WeekdaySet.all
    package var fewTimesAWeek: WeekdaySet = [.mon, .wed, .fri]
    package var weekly: WeekdaySet = .mon

    package init() {}
}

/// `S1`, `S2`.
package struct SnoozeRule: Sendable, Equatable {
    package var minutes = [15, 60, 120]
    package var times = 3

    package init() {}
}

/// How far the numbers in the preferences may be moved.
package struct PreferenceRanges: Sendable, Equatable {
    package var pauseThresholdSeconds = 60...300
    package var activeConversationThreshold = 10...50
    package var maxAnalysesPerHour = 5...20

    package init() {}
}

/// Several preferences set at once (SPEC §3).
package struct Preset: Sendable, Equatable {
    package var name = Identifier.start
    package var about = Text.start
    package var patch = JSONValue.emptyObject

    package init() {}
}
