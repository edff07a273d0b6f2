internal import CivilTime
internal import Journal
internal import Notices

/// The folded state in a file beside the log. `FORMAT.md` has its bytes.
///
/// Disposable. It is believed where its checksums hold, it is of this log, the chain has its hash at its place, and this
/// program would have folded the log to the same state: from the same policy, by the same version of the fold.
enum StateSnapshot {
    /// To be raised whenever the same log folds to another state, or the state is written otherwise. A test that knows a
    /// state by its hash says when.
    static let version: UInt32 = 26
    static let kind = SnapshotKind.state(version: version)

    enum Tag: UInt32 {
        case outline = 1
        case namesText = 2
        case namesStarts = 3
        case namesSlots = 4
        case outstanding = 5
        case people = 6
    }

    struct Kept {
        var register: Register
        var outstanding: Outstanding
        var policies: PolicyChain
        /// Whether its wakes are of another tz database.
        var hasOtherZones: Bool
    }

    // MARK: Writing

    static func write(
        _ folded: FoldedLog, _ identity: LogIdentity, to directory: String, on disk: any Disk, _ draftSuffix: String
    ) throws(DiskError) -> Int {
        let file = try SnapshotWriter(
            kind, at: folded.head, of: identity, in: directory, on: disk, draftSuffix: draftSuffix)
        let people = folded.register.people
        var zones = ZoneTable()
        for place in 0..<PeopleChunk.count(of: people.count) {
            var writer = KeptWriter(zones: zones, capacity: 1 << 20)
            guard PeopleChunk(place, of: people.count).write(people, into: &writer) else { return 0 }
            try file.section(Tag.people.rawValue, writer.bytes.bytes)
            zones = writer.zones
        }
        let names = folded.register.names.parts
        try file.section(Tag.namesText.rawValue, names.text)
        try file.section(Tag.namesStarts.rawValue, names.starts)
        try file.section(Tag.namesSlots.rawValue, names.slots)
        try file.section(Tag.outstanding.rawValue, folded.outstanding.numbers)
        var outline = ByteBuffer()
        StateOutline(folded, zones.names).write(into: &outline)
        try file.section(Tag.outline.rawValue, outline.bytes)
        try file.finish()
        return file.size
    }

    // MARK: Reading

    /// The snapshot's state where it can be believed.
    ///
    /// - Parameter opened: called when the keys of the log are not needed for the snapshot any more.
    static func newest(
        _ log: LogReader, _ beginning: Beginning, through limit: UInt64, opened: () -> Void = {}
    ) throws(JournalError) -> FoldedLog? {
        let found = try believable(kind, log, through: limit)
        opened()
        guard let (file, outline) = found, let identity = log.identity,
            let kept = try? read(file, outline, identity, beginning)
        else { return nil }
        return FoldedLog(kept, file.head, identity, beginning)
    }

    /// A file with a state of this log, as far as its outline shows.
    static func believable(
        _ kind: SnapshotKind, _ log: LogReader, through limit: UInt64 = .max
    ) throws(JournalError) -> (file: SnapshotReader, outline: StateOutline)? {
        // A snapshot that cannot be read costs time, never the log.
        guard let identity = log.identity,
            let file = try? SnapshotReader(kind, of: identity, in: log.directory, on: log.disk),
            file.head.position <= limit, try log.isOnChain(file.head),
            let bytes: [UInt8] = try? file.numbers(Tag.outline.rawValue), let outline = StateOutline(bytes)
        else { return nil }
        return (file, outline)
    }

    private static func read(
        _ file: SnapshotReader, _ outline: StateOutline, _ identity: LogIdentity, _ beginning: Beginning
    ) throws(DiskError) -> Kept? {
        guard outline.beginning == beginning.policy,
            let rules = outline.policies.rulebook(from: beginning.plan.rules),
            let zones = outline.zones(from: beginning),
            let jobs: [UInt64] = try file.numbers(Tag.outstanding.rawValue),
            let outstanding = Outstanding(identity, numbers: jobs, as: file.head)
        else { return nil }
        let plan = Plan(rules, adoptedAt: outline.adoptedAt, slotsSince: outline.slotsSince, zone: beginning.plan.zone)
        let reading = PeopleReading(file, people: outline.people, KeptContext(rules, zones: zones))
        guard let (names, people) = reading.run(hashedBy: KeyHash(identity)) else { return nil }
        let register = Register(plan, names: names, people: people, adoption: outline.adoption)
        let knowsMore = register.lookUpUnknownZones()
        let hasOtherZones = knowsMore || outline.tzdb != beginning.tzdb
        return Kept(
            register: register, outstanding: outstanding, policies: outline.policies, hasOtherZones: hasOtherZones)
    }
}
