package import CivilTime

/// What a person chose for one kind of notice.
package struct KindPreference: Sendable, Equatable {
    package var isEnabled = true
    package var channels = ChannelSet.push
    /// The subtypes that are off.
    package var subtypesOff: Set<String> = []

    package init() {}
}

/// What a person chose for one goal; what is `nil` is as for every other goal.
package struct GoalPreference: Sendable, Equatable {
    package enum Repeat: String, Sendable {
        case once
        case everyTwoHours = "every_2_hours"
        case hourlyBeforeDeadline = "hourly_before_deadline"
    }

    package struct Kind: Sendable, Equatable {
        package var isEnabled: Bool?
        package var channels: ChannelSet?
        /// Subtypes that were switched, and to what.
        package var subtypes: [String: Bool] = [:]

        package init() {}
    }

    package var reminderTime: LocalTime?
    package var repeats = Repeat.once
    package var daysBefore = 0
    /// By the kind's place.
    package var kinds: [Int: Kind] = [:]

    package init() {}
}
