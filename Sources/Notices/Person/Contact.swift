public import CivilTime

/// Where a person can be reached at an instant, for whoever delivers (`N2`).
public struct Contact: Sendable, Equatable {
    /// A registered device. Its address is in the log, where the registration is.
    public struct Device: Sendable, Equatable {
        public var name: String
        /// The number of the event that registered it.
        public var registration: UInt64
        /// Of that event's commit.
        public var position: UInt64
        public var registeredAt: Instant

        public init(name: String, registration: UInt64, position: UInt64, registeredAt: Instant) {
            self.name = name
            self.registration = registration
            self.position = position
            self.registeredAt = registeredAt
        }
    }

    public var devices: [Device] = []
    /// An address that has not bounced.
    public var email: String?
    /// A number that is verified.
    public var phone: String?
    /// The channels that the person has not switched off, for all or for this kind, and on which they can be reached.
    public var channels: ChannelSet = []
    /// What the person has stopped of what it is about, and whether they can.
    public var stops = Stops()
    /// Whether a channel that the pipeline never saw may not ring with it now (`P8`, `P9`).
    public var isQuiet = false
    /// The quiet hours that hold now for what it is about.
    public var quiet: Range<Instant>?
    /// The fact by which the person changed their quiet hours last, or their zone.
    public var quietBy: UInt64 = 0
    /// When the policy was adopted that says what may ring in them.
    public var policyAt = Instant.distantPast
    /// Whether a channel that fails gives way to the next (`N4`).
    public var mayGiveWay = false

    public init() {}

    /// Until when a job waits that is still to ring. One that was emitted in the quiet hours that hold now was let through; one from
    /// before them was not, nor one from before the hours, the zone or the policy were changed to what they are.
    ///
    /// - Parameters:
    ///   - sequence: the number of the event that emitted it.
    ///   - instant: when that was.
    public func endOfQuiet(for sequence: UInt64, at instant: Instant) -> Instant? {
        guard let quiet else { return nil }
        let isOfThem = quiet.lowerBound <= instant && quietBy < sequence && policyAt <= instant
        return isOfThem ? nil : quiet.upperBound
    }
}

extension Person {
    /// Where they can be reached with a job now.
    public func contact(about topic: JobTopic, on occasion: Occasion) -> Contact {
        let (now, plan) = (occasion.at, occasion.plan)
        var contact = Contact()
        let topic = remembered(topic)
        let reachable = reachable(plan)
        contact.devices = devices.map {
            Contact.Device(
                name: $0.id, registration: $0.sequence, position: $0.position, registeredAt: $0.registeredAt)
        }
        contact.mayGiveWay = plan.policy.givesWay
        contact.channels = reachable.intersection(spareChannels(of: topic.kind, plan))
        if hasDetails {
            if reachable.contains(.email) { contact.email = details.email }
            if reachable.contains(.sms) { contact.phone = details.phone.number }
        }
        contact.stops = stops(of: topic, on: occasion)
        if !contact.stops.isLocked {
            contact.quiet = quiet(for: topic, at: now, plan)
            if hasDetails { contact.quietBy = details.quietBy }
            contact.policyAt = plan.adoptedAt
            contact.isQuiet = contact.quiet != nil && !topic.isAskedFor || isOutsideSchedule(topic, at: now)
        }
        return contact
    }

    /// On which a kind may come where its own channels fail: those switched on, and where the person chose others for the
    /// kind or for a goal than it begins with, those alone. A goal's count for the whole kind: when in doubt, silence.
    private func spareChannels(of kind: String, _ plan: Plan) -> ChannelSet {
        guard let place = plan.rules.place(of: kind), !plan.rules.isRetired(place) else { return [] }
        let rule = plan.rules.kinds[place]
        let chosen = preferences.kinds[place].channels
        var spare = preferences.channels
        if !rule.isLocked {
            if chosen != rule.channels { spare = spare.intersection(chosen) }
            spare.subtract(stopped(kind))
        }
        for goal in preferences.goals.values {
            if let ofGoal = goal.kinds[place]?.channels { spare = spare.intersection(ofGoal) }
        }
        return spare
    }

    private func quiet(for topic: JobTopic, at now: Instant, _ plan: Plan) -> Range<Instant>? {
        guard topic.priority != .critical, !topic.isTest else { return nil }
        guard !passesQuietHours(topic.priority, plan.rules.place(of: topic.kind), plan) else { return nil }
        // Nobody knows when it began, nor when it ends (`G6`).
        if flags.contains(.zoneUnknown) { return topic.isAskedFor ? nil : .distantFuture..<(.distantFuture) }
        let hours = preferences.quietHours?.interval(containing: now, in: zone)
        // Whoever asked for the last minute before them gets it, also where the sender takes some seconds.
        if topic.isAskedFor, let hours, now <= hours.lowerBound.advanced(byMilliseconds: Self.repeatPatience) {
            return nil
        }
        return hours
    }

    /// Whether a weekly schedule is closed for what a job is about. Exceptions from quiet hours do not open it (`P9`, `P14`); who asked
    /// for the hour did (`S1`).
    private func isOutsideSchedule(_ topic: JobTopic, at now: Instant) -> Bool {
        guard topic.priority != .critical, !topic.isAskedFor, let schedule = preferences.schedule else { return false }
        // Without the zone's rules nobody knows (`G6`).
        return flags.contains(.zoneUnknown) || schedule.end(containing: now, in: zone) == nil
    }
}
