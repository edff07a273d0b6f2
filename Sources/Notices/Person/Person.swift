public import CivilTime

/// A person's folded state: a fixed-size part, and a box for what few people have.
///
/// It is changed in place, by one thread; to try something out, take a copy. Each of its verbs
/// changes one field at a time, so accesses never overlap and need no check at run time.
public final class Person {
    // One reference to each is the person's own.
    @exclusivity(unchecked) private var ownZone: Unmanaged<ZoneRules>
    @exclusivity(unchecked) private var ownPreferences: Unmanaged<Preferences>
    /// Everything due up to here has been decided.
    @exclusivity(unchecked) public var settledThrough: Instant
    /// The earliest moment at which anything could change; `distantFuture` for never.
    @exclusivity(unchecked) public var nextWake = Instant.distantFuture
    /// The last completed session or check-in (`C3`, `P2`).
    @exclusivity(unchecked) public var lastActiveAt = Instant.distantPast
    /// In order of time.
    @exclusivity(unchecked) public internal(set) var marks: [Mark] = []
    @exclusivity(unchecked) private var kept = Kept.nothing
    @exclusivity(unchecked) private var enrolled: FlaggedInstant
    @exclusivity(unchecked) private var heard: FlaggedInstant

    public init(zone: ZoneRules, preferences: Preferences, at: Instant) {
        ownZone = .passRetained(zone)
        ownPreferences = .passRetained(preferences)
        enrolled = FlaggedInstant(at)
        settledThrough = at
        heard = FlaggedInstant(at)
    }

    /// As it was kept in a snapshot.
    init(
        zone: ZoneRules, preferences: Preferences, at: Instant, flags: Flags, marks: [Mark], devices: DeviceList,
        details: Details?
    ) {
        ownZone = .passRetained(zone)
        ownPreferences = .passRetained(preferences)
        enrolled = FlaggedInstant(at)
        settledThrough = at
        heard = FlaggedInstant(at)
        self.flags = flags
        self.marks = marks
        if let details {
            kept = .details(Box(details, devices))
        } else if !devices.isEmpty {
            kept = .devices(devices)
        }
    }

    private init(_ other: Person) {
        ownZone = other.ownZone.retain()
        ownPreferences = other.ownPreferences.retain()
        enrolled = other.enrolled
        settledThrough = other.settledThrough
        nextWake = other.nextWake
        lastActiveAt = other.lastActiveAt
        heard = other.heard
        marks = other.marks
        kept = other.box.map { .details(Box($0.details, $0.devices)) } ?? other.kept
    }

    deinit {
        ownZone.release()
        ownPreferences.release()
    }

    public func copy() -> Person { Person(self) }

    // MARK: What is shared

    public var zone: ZoneRules {
        get { ownZone.takeUnretainedValue() }
        set { Self.replace(&ownZone, with: newValue) }
    }

    public var preferences: Preferences {
        get { ownPreferences.takeUnretainedValue() }
        set { Self.replace(&ownPreferences, with: newValue) }
    }

    /// For who looks, and changes neither them nor lets others: a look counts no reference.
    var seenPreferences: Preferences { @inline(__always) get { ownPreferences._withUnsafeGuaranteedRef { $0 } } }

    @inline(__always)
    func lookAtZone<Result>(_ body: (ZoneRules) -> Result) -> Result { ownZone._withUnsafeGuaranteedRef(body) }

    private static func replace<Shared>(_ own: inout Unmanaged<Shared>, with new: Shared) {
        let old = own
        own = .passRetained(new)
        old.release()
    }

    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        public static let minor = Flags(rawValue: 1 << 0)
        public static let ownConsent = Flags(rawValue: 1 << 1)
        public static let guardianConsent = Flags(rawValue: 1 << 2)
        public static let permissionGranted = Flags(rawValue: 1 << 3)
        public static let permissionDenied = Flags(rawValue: 1 << 4)
        /// Said yes to being checked in with, whatever the system dialog then said (`S4`).
        public static let saidYes = Flags(rawValue: 1 << 5)
        /// Was asked for permission and has not said `not_now` since (`S4`).
        public static let asked = Flags(rawValue: 1 << 6)
        public static let appOpen = Flags(rawValue: 1 << 7)
        public static let hadDevice = Flags(rawValue: 1 << 8)
        public static let hasDevice = Flags(rawValue: 1 << 9)
        public static let hasEmail = Flags(rawValue: 1 << 10)
        public static let emailBounced = Flags(rawValue: 1 << 11)
        public static let phoneVerified = Flags(rawValue: 1 << 12)
        /// Was offered another reminder time after a first missed check-in.
        public static let timingOffered = Flags(rawValue: 1 << 13)
        /// The tz database does not know the zone the log names: nothing is sent (`G6`).
        public static let zoneUnknown = Flags(rawValue: 1 << 14)
        /// Nothing is known of them and nothing happens to them any more (`E1`).
        public static let erased = Flags(rawValue: 1 << 15)
        /// Texts to the number can never be delivered (`N3`).
        public static let phoneDead = Flags(rawValue: 1 << 16)
        /// Turned with every policy that is adopted in pieces, as the register is: whoever is not as it is has not been moved to
        /// the policy yet. Of nobody who is folded from a log.
        static let turned = Flags(rawValue: 1 << 17)
    }

    // MARK: What shares a word

    /// When the first fact about the person was recorded; slots come after it (`T10`).
    public var enrolledAt: Instant {
        get { enrolled.instant }
        set { enrolled.instant = newValue }
    }

    /// The last fact that came from the person: what retention goes by.
    public var lastHeardAt: Instant {
        get { heard.instant }
        set { heard.instant = newValue }
    }

    /// Twenty at most: half of them stand beside either instant.
    public var flags: Flags {
        get { Flags(rawValue: enrolled.flags | heard.flags << FlaggedInstant.flagCount) }
        set {
            enrolled.flags = newValue.rawValue
            heard.flags = newValue.rawValue >> FlaggedInstant.flagCount
        }
    }

    public var isErased: Bool { flags.contains(.erased) }

    /// Whether texts reach them: a number that was verified and that no provider has called dead since.
    public var hasWorkingPhone: Bool { flags.contains(.phoneVerified) && !flags.contains(.phoneDead) }

    /// Forgets everything but that there was somebody.
    func erase(_ plan: Plan) {
        zone = .utc
        preferences = plan.rules.preferences(differing: .emptyObject, saidYes: false)
        lastActiveAt = .distantPast
        nextWake = .distantFuture
        marks = []
        kept = .nothing
        flags = .erased
    }

    // MARK: Devices

    public var devices: DeviceList {
        get {
            switch kept {
            case .nothing: DeviceList()
            case .devices(let devices): devices
            case .details(let box): box.devices
            }
        }
        set {
            if let box {
                box.devices = newValue
            } else {
                kept = newValue.isEmpty ? .nothing : .devices(newValue)
            }
        }
    }

    // MARK: What few people have

    /// Many have a device and nothing else of it.
    private enum Kept {
        case nothing
        case devices(DeviceList)
        case details(Box)
    }

    private var box: Box? { if case .details(let box) = kept { box } else { nil } }

    private final class Box {
        @exclusivity(unchecked) var details: Details
        @exclusivity(unchecked) var devices: DeviceList
        /// Worked out from the marks of whoever has many.
        @exclusivity(unchecked) var handled: HandledSlots?
        init(_ details: Details, _ devices: DeviceList = DeviceList()) {
            self.details = details
            self.devices = devices
        }

        /// Of those who have none. Never changed: whoever gets details gets a box.
        nonisolated(unsafe) static let none = Box(Details())
    }

    public var hasDetails: Bool { box != nil }

    public var details: Details {
        _read {
            // One place to yield from: only then is it inlined where it is read.
            let box = box ?? Box.none
            yield box.details
        }
        _modify {
            let own = box ?? Box(Details(), devices)
            kept = .details(own)
            yield &own.details
        }
    }

    /// What was raised by the event last applied and not yet considered.
    /// Of whoever has no details nothing is kept.
    var handled: HandledSlots? {
        get { box?.handled }
        set { box?.handled = newValue }
    }

    var hasRaised: Bool { hasDetails && !details.raised.isEmpty }

    /// What was raised and may be considered at once: as many as may wait.
    var raised: [Notice] { hasDetails ? Array(details.raised.prefix(PersonLimits.waiting)) : [] }

    /// Those that wait and are looked at: beyond the limit they are only dropped (`Desk.dropExcess`).
    var lookedAt: some Sequence<Waiting> { details.waiting.lazy.prefix(PersonLimits.lookedAt) }

    /// The held notices whose holds end by an instant.
    func held(until instant: Instant) -> [Notice] {
        guard hasDetails else { return [] }
        return lookedAt.compactMap { waiting in
            waiting.heldUntil.flatMap { $0 <= instant ? waiting.notice : nil }
        }
    }

    /// What was gathered for a digest or a summary that the policy has no more.
    func orphans(_ plan: Plan) -> [Notice] {
        guard hasDetails else { return [] }
        return lookedAt.compactMap { waiting in
            guard waiting.gatheredInto != nil else { return nil }
            let isThere =
                waiting.reason == .overload
                ? plan.summary != nil : plan.digest(waiting.isForWeek ? .weekly : .daily) != nil
            return isThere ? nil : waiting.notice
        }
    }

    // MARK: Fetching ahead

    /// The fields of a person behind the two words that every object has.
    private static let byteCount = 16 + 9 * 8

    func fetch() { fetchSoon(Unmanaged.passUnretained(self).toOpaque(), Self.byteCount) }

    /// To be called when the person has been fetched.
    func fetchDetails() {
        let address = box.map { Unmanaged.passUnretained($0).toOpaque() }
        fetchSoon(address, 16 + Details.everydayByteCount)
    }
}
