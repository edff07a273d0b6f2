package import CivilTime

/// A person's folded state: a fixed-size part, and a box for what few people have.
package struct Person: Sendable {
    package var zone: ZoneRules
    package var preferences: Preferences
    /// When the first fact about the person was recorded; slots come after it (`T10`).
    package var enrolledAt: Instant
    /// Everything due up to here has been decided.
    package var settledThrough: Instant
    /// The earliest moment at which anything could change; `distantFuture` for never.
    package var nextWake = Instant.distantFuture
    /// When the check-in slots last became what they are (`T10`).
    package var checkInsSince = Instant.distantPast
    /// The last completed session or check-in (`C3`, `P2`).
    package var lastActiveAt = Instant.distantPast
    /// The last sign of life that `P15` counts from.
    package var lastSeenAt = Instant.distantPast
    /// In order of time.
    package private(set) var marks: [Mark] = []
    private var box = Box.none
    package var flags = Flags()

    package init(zone: ZoneRules, preferences: Preferences, at: Instant) {
        self.zone = zone
        self.preferences = preferences
        enrolledAt = at
        settledThrough = at
    }

    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let minor = Flags(rawValue: 1 << 0)
        package static let ownConsent = Flags(rawValue: 1 << 1)
        package static let guardianConsent = Flags(rawValue: 1 << 2)
        package static let permissionGranted = Flags(rawValue: 1 << 3)
        package static let permissionDenied = Flags(rawValue: 1 << 4)
        /// Said yes to being checked in with, whatever the system dialog then said (`S4`).
        package static let saidYes = Flags(rawValue: 1 << 5)
        /// Was asked for permission and has not said `not_now` since (`S4`).
        package static let asked = Flags(rawValue: 1 << 6)
        package static let appOpen = Flags(rawValue: 1 << 7)
        package static let hadDevice = Flags(rawValue: 1 << 8)
        package static let hasDevice = Flags(rawValue: 1 << 9)
        package static let hasEmail = Flags(rawValue: 1 << 10)
        package static let emailBounced = Flags(rawValue: 1 << 11)
        package static let phoneVerified = Flags(rawValue: 1 << 12)
        /// Was offered another reminder time after a first missed check-in.
        package static let timingOffered = Flags(rawValue: 1 << 13)
        /// The tz database does not know the zone the log names: nothing is sent (`G6`).
        package static let zoneUnknown = Flags(rawValue: 1 << 14)
    }

    // MARK: What few people have

    /// Copied when it is changed and somebody else holds it too, so that a person is a value.
    /// `@unchecked`: it is written to only after its one owner was proven unique.
    private final class Box: @unchecked Sendable {
        var details: Details
        init(_ details: Details) { self.details = details }

        /// Everyone's who has none. It has always another owner, so nobody ever writes to it.
        static let none = Box(Details())
    }

    package var hasDetails: Bool { box !== Box.none }

    package var details: Details {
        _read { yield box.details }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.details) }
            yield &box.details
        }
    }

    /// What was raised by the event last applied and not yet considered.
    var raised: [Notice] { hasDetails ? details.raised : [] }

    /// The held notices whose holds end by an instant.
    func held(until instant: Instant) -> [Notice] {
        guard hasDetails else { return [] }
        return details.waiting.compactMap { waiting in
            waiting.heldUntil.flatMap { $0 <= instant ? waiting.notice : nil }
        }
    }

    // MARK: Marks

    /// How long a job can be snoozed and answered for.
    package static let jobsRemembered: Int64 = 7 * 86_400_000

    package mutating func add(_ mark: Mark) {
        let oldest = mark.at.advanced(byMilliseconds: -Self.jobsRemembered)
        if let first = marks.first, first.at < oldest { marks.removeAll { $0.at < oldest } }
        marks.append(mark)
    }

    package mutating func replaceMarks(_ change: (inout Mark) -> Void) {
        for place in marks.indices { change(&marks[place]) }
    }
}
