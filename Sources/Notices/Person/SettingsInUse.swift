public import CivilTime

/// Which settings a person uses, and in which zone: small enough to be kept for everybody, and the same for
/// all who did the same. The code that folds a person folds it too.
public struct SettingsInUse: Hashable, Sendable {
    /// Which of a policy's settings somebody uses (SPEC §16, `V6`).
    public struct Use: Hashable, Sendable {
        public var hasQuietHours: Bool
        public var isDigestMode: Bool
        /// `daily`, `few_times_a_week` or `weekly`.
        public var frequency: String
        /// `custom` where a preset was changed by hand; `nil` for who never took one of the policy's.
        public var preset: String?
    }

    public private(set) var zone: String
    /// The zone before the last move, until the person keeps it after all (`T9`).
    private var zoneBefore: String?
    private var unknownZone: String?
    /// As they are written.
    private var differences = JSONValue.emptyObject.text
    private var preset: String?
    private var saidYes = false

    /// Of somebody who just became known.
    public init(under policy: Policy) { zone = policy.defaultZone.text }

    /// Whether an event can change any of it.
    public static func hangs(on payload: Payload) -> Bool {
        switch payload {
        case .userEnrolled, .timezoneChanged, .pushPermissionChanged, .preferencesChanged, .presetApplied,
            .preferencesReset, .unsubscribed:
            true
        case .policyAdopted, .consentGiven, .consentWithdrawn, .deviceRegistered, .deviceRemoved,
            .phoneVerificationRequested, .phoneCodeEntered, .appOpened, .appClosed, .conversationOpened,
            .conversationClosed, .messagesRead, .messageReceived, .messageSent, .sessionCompleted, .checkedIn,
            .pointsEarned, .goalStarted, .goalChanged, .goalEnded, .noticeRequested, .analysisAnswered,
            .analysisFailed, .jobDelivered, .jobFailed, .noticeOpened, .noticeDismissed, .noticeSnoozed,
            .feedbackGiven, .historyCleared, .runRequested, .deliveryReported, .jobRetryRequested,
            .testRequested, .feedSeen, .subjectNamed, .contactChanged, .personErased, .noticeHeld, .noticeGathered,
            .noticeDropped, .slotsSkipped, .jobEmitted, .analysisRequested, .analysisConcluded, .phoneVerified,
            .phoneLocked, .workerStarted,
            .partitionTaken, .policyApplied, .textsErased:
            false
        }
    }

    public mutating func fold(_ payload: Payload, at: Instant, _ plan: Plan) {
        let person = Person(zone: plan.zone(zone) ?? .utc, preferences: preferences(plan), at: at)
        let stored = JSONValue(parsing: differences) ?? .emptyObject
        if stored != .emptyObject { person.details.differences = stored }
        if let preset { person.details.preset = preset }
        if let zoneBefore { person.details.journey.before = zoneBefore }
        if saidYes { person.flags.insert(.saidYes) }
        person.fold(payload, on: Occasion(1, at, user: "", plan))
        zone = person.zone.name
        saidYes = person.flags.contains(.saidYes)
        guard person.hasDetails else { return }
        differences = person.details.differences.text
        preset = person.details.preset
        zoneBefore = person.details.journey.before
        unknownZone = person.details.unknownZone
    }

    private func preferences(_ plan: Plan) -> Preferences {
        plan.rules.preferences(differing: JSONValue(parsing: differences) ?? .emptyObject, saidYes: saidYes)
    }

    public func use(under rules: Rulebook) -> Use {
        let fields = rules.layer(JSONValue(parsing: differences) ?? .emptyObject, saidYes: saidYes).fields
        return Use(
            hasQuietHours: fields.quietHours.window != nil, isDigestMode: fields.digestMode,
            frequency: fields.frequency.rawValue, preset: rules.presetInForce(preset))
    }

    /// In a form that can be kept: `nil` stands for what is not there.
    public var parts: [String?] { [zone, zoneBefore, unknownZone, differences, preset, saidYes ? "yes" : nil] }

    /// `nil` for what are no parts of it.
    public init?(parts: [String?]) {
        guard parts.count == 6, let zone = parts[0], let differences = parts[3],
            JSONValue(parsing: differences) != nil
        else { return nil }
        self.zone = zone
        (zoneBefore, unknownZone, preset, saidYes) = (parts[1], parts[2], parts[4], parts[5] != nil)
        self.differences = differences
    }
}
