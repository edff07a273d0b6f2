public import CivilTime

/// One app's rules (SPEC §1, §15): its kinds of notice, limits, defaults, presets and copy. A JSON document.
///
/// What a document leaves out is as in `standard`, whose values are the defaults below.
public struct Policy: Sendable, Equatable {
    public var name = Identifier.start
    public var about = Text.start
    /// The zone of a person who never said theirs.
    public var defaultZone = ZoneName("UTC")
    public var consent = ConsentRule.none
    /// Who knows the addresses of people's devices (`P16`).
    public var addresses = AddressBook.app
    /// A channel that fails for good gives way to the next that the person chose (`N4`).
    public var givesWay = false
    /// `P13`; `nil` for a policy without a daily cap.
    public var dailyCap: Int? = 3
    /// `P11`, for kinds that do not say otherwise; 0 for none.
    public var cooldownMinutes = 30
    /// `P12`, for policies without a daily cap.
    public var overload = OverloadRule()
    /// How late a slot may still fire (`C5`).
    public var catchUpMinutes = 240
    /// How near slots must be to share a job (`P19`).
    public var bundleMinutes = 15
    /// The lowest priority that passes quiet hours (`P14`): critical, or high.
    public var quietPass = Priority.critical
    /// Check-ins are off by default until the person said yes to them (`S4`).
    public var checkInsAfterYes = false
    /// `enabled` means smart notifications, and messages are analysed for those who opted in (`A2`, `A6`).
    public var isSmart = false
    public var frequencies = FrequencyDays()
    public var snoozes = SnoozeRule()
    /// What every person begins with, laid over `standard`'s own (SPEC §3).
    public var defaults = JSONValue.emptyObject
    public var ranges = PreferenceRanges()
    /// In the order that `P18` counts by.
    public var kinds: [KindRule] = []
    public var presets: [Preset] = []
    /// Preferences that are the app's own.
    public var choices: [ChoiceRule] = []
    /// `nil` for a policy that keeps everybody for ever.
    public var retention: RetentionRule?

    public init() {}
}

/// Whose consent the policy asks for before anything is sent (`P3`).
public enum ConsentRule: Int, Enumeration {
    case none = 1
    /// For a minor the guardian's; nobody else's is asked for.
    case guardianForMinors
    /// The person's, or for a minor the guardian's.
    case person
    public static let names = ["none", "guardian_for_minors", "person"]
}

/// Who has the addresses that push goes to (`P16`).
public enum AddressBook: Int, Enumeration {
    /// The app's own server, which takes the jobs: somebody of whom no device was told may have one.
    case app = 1
    /// Belfry, whose own senders deliver: only a registered device is reached.
    case here
    public static let names = ["app", "here"]
}

/// `P12`: how many jobs in how many minutes are too many.
public struct OverloadRule: Sendable, Equatable {
    public var jobs = 10
    public var minutes = 60

    public init() {}
}

/// The days of each `frequency` (`C1`).
public struct FrequencyDays: Sendable, Equatable {
    public var daily = WeekdaySet.all
    public var fewTimesAWeek: WeekdaySet = [.mon, .wed, .fri]
    public var weekly: WeekdaySet = .mon

    public init() {}
}

/// `S1`, `S2`.
public struct SnoozeRule: Sendable, Equatable {
    public var minutes = [15, 60, 120]
    public var times = 3

    public init() {}
}

/// How far the numbers in the preferences may be moved.
public struct PreferenceRanges: Sendable, Equatable {
    public var pauseThresholdSeconds = 60...300
    public var activeConversationThreshold = 10...50
    public var maxAnalysesPerHour = 5...20

    public init() {}
}

/// Several preferences set at once (SPEC §3).
public struct Preset: Sendable, Equatable {
    public var name = Identifier.start
    public var about = Text.start
    public var patch = JSONValue.emptyObject

    public init() {}
}
