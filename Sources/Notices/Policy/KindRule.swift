package import CivilTime

/// One type of notice and the rules it follows (SPEC §15).
package struct KindRule: Sendable, Equatable {
    package var name = Identifier.start
    /// What people call it: "Goal reminders".
    package var label = Text.start
    package var priority = Priority.medium
    /// Whether an app may ask for one by `notice_requested`.
    package var isOnRequest = false
    /// Whether a person has it unless they switch it off.
    package var isOnByDefault = true
    package var schedule: Schedule?
    /// Makes the kind itself a digest (`D1`, `D3`).
    package var digest: DigestScope?
    /// Passes P3–P5 and P8–P13 and always uses its required channels (`P14`).
    package var isLocked = false
    /// Whether it may wait for a digest (`P10`).
    package var isDigestible = false
    /// Whether several share a job (`P19`).
    package var isBundling = false
    /// Whether a goal's end or check-in makes it needless (`P2`). A notice that tells of the end is not.
    package var isSettledByGoal = true
    package var overCap = OverCap.drop
    package var inQuietHours = InQuietHours.hold
    /// Where it differs from the policy's.
    package var cooldownMinutes: Int?
    package var channels = ChannelSet.push
    /// A locked kind's channels.
    package var requiredChannels: ChannelSet = []
    package var subtypes: [SubtypeRule] = []
    package var copy = Copy()
    /// What a device shows with it: the category's name and its actions (SPEC §11).
    package var category: Identifier?
    package var actions: [Identifier] = []

    package init() {}
}

/// When a kind comes by itself.
package enum Schedule: Sendable, Equatable {
    /// By the person's check-in time and days (`C1`–`C3`).
    case checkIn
    /// Every local day (`C6`).
    case daily(LocalTime)
    case weekly(Weekday, LocalTime)
    /// For each goal on its check-in days, at its own reminder time or else this one, with its repeats.
    case goal(LocalTime)
    /// Before each goal's deadline.
    case deadline(DeadlineOffsets)
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
package struct DeadlineOffsets: Sendable, Equatable {
    package struct Offset: Sendable, Equatable {
        package var minutes: Int
        package var subtype: String
        /// Sent as well where the subtype of this name is on.
        package var escalation: String?

        package init(minutes: Int, subtype: String, escalation: String? = nil) {
            self.minutes = minutes
            self.subtype = subtype
            self.escalation = escalation
        }
    }

    /// From the earliest to the last.
    package var offsets: [Offset] = []
    /// Warnings this near to the deadline are critical.
    package var criticalMinutes = 60

    package init() {}
}

package enum DigestScope: Int, Enumeration {
    /// What was gathered and the points since the last one (`D1`).
    case daily = 1
    /// The activity of the local week (`D3`).
    case weekly
    package static let names = ["daily", "weekly"]
}

/// What becomes of a notice that finds the day's cap reached (`P13`).
package enum OverCap: Int, Enumeration {
    case drop = 1, hold, gather
    package static let names = ["drop", "hold", "gather"]
}

/// What becomes of a notice in quiet hours (`P8`).
package enum InQuietHours: Int, Enumeration {
    case drop = 1, hold
    package static let names = ["drop", "hold"]
}

/// A part of a kind that can be switched by itself; a notice says which it is of in `data.subtype`.
package struct SubtypeRule: Sendable, Equatable {
    package var name = Identifier.start
    package var label = Text.start
    package var isOnByDefault = true
    /// Of a locked kind, whether this part is locked too.
    package var isLocked = true

    package init() {}
}

/// The words of a kind. In each text `{name}` stands for a value; `{count|one|many}` picks by number.
package struct Copy: Sendable, Equatable {
    package var title = ""
    package var body = ""
    /// For several at once (`P19`).
    package var bundleTitle = ""
    package var bundleBody = ""
    /// Instead of the body, in turn by the day: a line that is not the same every time.
    package var bodies: [String] = []

    package init() {}
}
