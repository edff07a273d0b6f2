public import CivilTime

/// What a person chose for one kind of notice.
public struct KindPreference: Sendable, Equatable {
    public var isEnabled = true
    public var channels = ChannelSet.push
    /// The subtypes that are off.
    public var subtypesOff: Set<String> = []
    /// The digest it goes into, whatever the digest mode (`P10`).
    public var digest = DigestWish.none

    public init() {}
}

/// What a person chose for one goal; what is `nil` is as for every other goal.
public struct GoalPreference: Sendable, Equatable {
    public enum Repeat: String, Sendable {
        case once
        case everyTwoHours = "every_2_hours"
        case hourlyBeforeDeadline = "hourly_before_deadline"
    }

    public struct Kind: Sendable, Equatable {
        public var isEnabled: Bool?
        public var channels: ChannelSet?
        /// Subtypes that were switched, and to what.
        public var subtypes: [String: Bool] = [:]

        public init() {}
    }

    public var reminderTime: LocalTime?
    public var repeats = Repeat.once
    public var daysBefore = 0
    /// By the kind's place.
    public var kinds: [Int: Kind] = [:]

    public init() {}
}
