public import CivilTime

/// A notice being considered at an instant, with all that the rules may look at: a view of a person, a plan and an instant.
public struct Matter {
    public let notice: Notice
    // Whoever asks keeps all of these, and a matter is done with before they turn to somebody else or take another fact: to
    // count references to each would cost more than most rules.
    let seenPerson: Seen<Person>
    let seenPlan: Seen<Plan>
    let seenAlmanac: Seen<Almanac>
    private let seenPreferences: Seen<Preferences>
    private let seenKind: Seen<Kind>
    let now: Instant
    /// Whether the notice is locked: of a locked kind, and of a locked part of it (`P14`).
    public let isLocked: Bool
    /// The rules it is asked (`P14`, `P15`, `S1`, `D2`).
    public let asked: RuleSet
    /// Of a test, the channels it is for (`N8`).
    let tried: ChannelSet?
    /// Reached in the app instead (`P15`).
    public let isInApp: Bool
    /// Whether the daily digest is among what is considered at this instant, and its turn is still to come.
    let isDigestAsked: Bool

    var person: Person { seenPerson.it }
    var plan: Plan { seenPlan.it }
    var almanac: Almanac { seenAlmanac.it }
    var preferences: Preferences { seenPreferences.it }
    var kind: Kind { seenKind.it }
}

extension Matter {
    /// The person is looked at where they sit: what they are when a rule is asked, it sees.
    init(
        _ notice: Notice, of person: Person, _ plan: Plan, at now: Instant, _ almanac: Almanac,
        isDigestAsked: Bool = false
    ) {
        let place = notice.kind
        let kind = plan.kind(place)
        let isLocked = kind.isLocked && kind.isLockedPart(notice.content?.subtype)
        let tried: ChannelSet?
        if case .test(let channels) = notice.origin { tried = channels } else { tried = nil }
        let isInApp = !isLocked && tried == nil && person.isInApp(at: now)
        var asked = RuleSet.all
        if isLocked {
            asked = .ofLocked
        } else {
            if notice.priority == .critical { asked.formIntersection(.permanent) }
            if place == plan.summary {
                asked.formIntersection(.ofSummary)
            } else if kind.digest != nil {
                asked.formIntersection(.ofDigest)
            }
            if isInApp { asked.formIntersection(.inApp) }
        }
        if !notice.isOrdinary {
            asked.formIntersection(person.comesLate(notice, at: now) ? .ofLateRepeat : .permanent)
        }
        if tried != nil { asked = .ofSample }
        // `A6`: where `enabled` means smart notifications it is no master switch.
        if plan.policy.isSmart { asked.remove(.masterSwitch) }
        self.init(
            notice: notice, seenPerson: Seen(person), seenPlan: Seen(plan), seenAlmanac: Seen(almanac),
            seenPreferences: Seen(person.seenPreferences), seenKind: Seen(kind), now: now, isLocked: isLocked,
            asked: asked, tried: tried, isInApp: isInApp, isDigestAsked: isDigestAsked)
    }
}

extension Person {
    /// How long a sign of life lasts (`P15`).
    static let freshness: Int64 = 120_000

    private func isFresh(at now: Instant) -> Bool { now < details.lastSeenAt.advanced(byMilliseconds: Self.freshness) }

    /// `P15`: whether the app is open in front of the person.
    public func isInApp(at now: Instant) -> Bool { flags.contains(.appOpen) && isFresh(at: now) }

    /// `P7`: whether the person is looking at a conversation.
    func isViewing(_ conversation: some StringProtocol, at now: Instant) -> Bool {
        guard hasDetails, let viewing = details.viewing, isFresh(at: now) else { return false }
        return viewing.utf8.elementsEqual(conversation.utf8)
    }

    /// `P16`.
    ///
    /// Where the addresses are here nobody else can have one: push needs a device.
    public func reachable(_ plan: Plan) -> ChannelSet {
        var channels = ChannelSet.inApp
        let mayHaveDevice = plan.policy.addresses == .app && !flags.contains(.hadDevice)
        if !flags.contains(.permissionDenied), mayHaveDevice || flags.contains(.hasDevice) { channels.insert(.push) }
        if flags.contains(.hasEmail), !flags.contains(.emailBounced) { channels.insert(.email) }
        if hasWorkingPhone { channels.insert(.sms) }
        return channels
    }

    /// The person's consent, or for a minor the guardian's (`P3`).
    var hasConsent: Bool { flags.contains(flags.contains(.minor) ? .guardianConsent : .ownConsent) }

    /// `S4`: what they answered to being asked for push permission; `nil` while they have not, or put it off.
    var permissionAnswer: PermissionStatus? {
        if flags.contains(.permissionGranted) { return .granted }
        return flags.contains(.permissionDenied) ? .denied : nil
    }

    /// `A2`: messages are analysed for those who said so and have not switched it off.
    public func wantsAnalysis(_ plan: Plan) -> Bool { plan.policy.isSmart && hasConsent && preferences.isEnabled }
}
