public import CivilTime
public import Hashing
public import Notices
internal import Synchronization

/// A log opened for reading, beside a writer or without one.
public struct LogReader: Sendable {
    public let directory: String
    public let disk: any Disk
    private var log: LogDirectory
    private let evidence: LogEvidence
    /// Read once somebody asks for it.
    private let known = KnownIndex()

    /// - Parameters:
    ///   - isWritersOwn: whether a writer is opening the log beside this, which destroys the keys of those it erased.
    ///   - isCopy: see `JournalOptions.isCopy`. The end of one that was not opened for writing since a power cut may be torn.
    public init(
        _ directory: String, on disk: any Disk, isWritersOwn: Bool = false, isCopy: Bool = false
    ) throws(JournalError) {
        self.directory = directory
        self.disk = disk
        // First what lies beside the log: a writer that goes on in between may then only have more than it says, never less.
        try LogDirectory.check(directory, on: disk)
        let found = try onDisk { () throws(DiskError) in try LogEvidence.read(directory, on: disk) }
        log = try LogDirectory(directory, on: disk)
        var evidence = try found.about(log)
        evidence.isOfCopy = isCopy
        self.evidence = evidence
        if log.isSealed, let identity = log.identity, let keys = disk.keys {
            let opened = keys.opened(in: directory)
            let seals =
                if let opened { opened } else { try keys.open(identity, in: directory, on: disk, forWriting: false) }
            log.kept = seals
            if opened == nil, !isWritersOwn {
                seals.deny(try index().people.erased)
                if let first = seals.firstTextWeek,
                    let week = try CommitReader(log).lastTextsErased(in: index().generalCommits, saidSince: first.start)
                {
                    seals.denyTexts(before: week)
                }
            }
        }
        if log.isEmpty, let shortfall = self.evidence.shortfall(at: 0) {
            throw .damaged(Damage(directory, "no segment is left, but the log \(shortfall)"))
        }
    }

    private init(_ known: LogReader, grownTo log: LogDirectory) {
        (directory, disk, evidence, self.log) = (known.directory, known.disk, known.evidence, log)
        self.log.kept = known.log.seals
    }

    /// The log as it is by now, for whoever reads one commit after the other as they come: of the segments it had only the last is opened.
    public func grown() throws(JournalError) -> LogReader {
        guard !log.isEmpty, !log.isSealed || disk.keys?.opened(in: directory) != nil else {
            return try LogReader(directory, on: disk)
        }
        // What lay beside the log before shows no more than there is now.
        return LogReader(self, grownTo: try LogDirectory(directory, on: disk, after: log))
    }

    static func closed(_ directory: String) -> String {
        "what the log in \(directory) says of people is sealed, and nobody was named who keeps the keys"
    }

    public var isEmpty: Bool { log.isEmpty }
    /// Whether what tells who people are is sealed in it (`E2`).
    public var isSealed: Bool { log.isSealed }
    /// Where its files end.
    public var endPosition: UInt64 { log.endPosition }
    /// Which log it is; `nil` for an empty one.
    public var identity: LogIdentity? { log.identity }
    public var segmentCount: Int { log.segments.count }
    public var byteCount: Int { log.segments.reduce(0) { $0 + $1.fileSize } }
    /// Whether the file is whole that shows a cut-off end.
    public var witness: WitnessState { evidence.witnessState }
    /// Where the acknowledged part of the log is known to reach at least; `nil` where no whole witness says so (`vouchedPosition`).
    public var durablePosition: UInt64? { evidence.durablePosition }

    /// Up to where the log is known to have been acknowledged, and the hash of all before: as its witness says, and where there is
    /// none, all of it. `nil` for a log that has nothing.
    public func acknowledged() throws(JournalError) -> (position: UInt64, hash: Digest)? {
        guard !log.isEmpty else { return nil }
        if let witness = evidence.witness { return witness.position == 0 ? nil : (witness.position, witness.hash) }
        let scanner = scanner(checksHashes: true)
        while let frame = try scanner.next() { _ = try scanner.walk(frame) }
        return scanner.head.position == 0 ? nil : (scanner.head.position, scanner.head.hash)
    }

    /// How far the log's own commits vouch that it is durable, for whoever has no witness: each says so of those that
    /// were synced when it was written.
    public func vouchedPosition() throws(JournalError) -> UInt64 {
        guard let last = log.segments.last else { return 0 }
        let scanner = scanner(from: last.header.head, checksHashes: false)
        while let frame = try scanner.next() { _ = try scanner.walk(frame) }
        // A segment is begun only when all before it is durable.
        return max(last.header.firstPosition, scanner.durableBefore)
    }

    /// That the files are shorter than the log was, which whoever reads only a part of it would not come to.
    public func checkLength() throws(JournalError) {
        guard let shortfall = evidence.shortfall(at: log.endPosition) else { return }
        throw .damaged(
            Damage(
                log.segments.last?.path ?? directory, "the log ends at position \(log.endPosition), but \(shortfall)"))
    }

    /// The commits from `start` on, checked as they are read.
    public func scanner(from start: LogHead = .start, checksHashes: Bool) -> LogScanner {
        LogScanner(log, from: start, checksHashes: checksHashes, evidence: evidence)
    }

    /// The people as of the end of the log, from the snapshot where that helps.
    public func index() throws(JournalError) -> LogIndex {
        try known.get { () throws(JournalError) in try readIndex() }
    }

    private func readIndex() throws(JournalError) -> LogIndex {
        guard let identity = log.identity else { return LogIndex(.none, keepsFactIDs: false) }
        var index = try IndexLoader(disk: disk, directory: directory)
            .load(log, identity, evidence.witness, keepsFactIDs: false)
        try index.read(scanner(from: index.head, checksHashes: false))
        return index
    }

    /// Writes the index as of a place in the log anew, for the next writer's start. Returns the file's size.
    /// - Parameter draftSuffix: says who writes; the log's own writer may be at it too.
    public func writeIndex(through limit: UInt64, draftSuffix: String) throws(JournalError) -> Int {
        guard let identity = log.identity else { return 0 }
        var index = try IndexLoader(disk: disk, directory: directory)
            .load(log, identity, evidence.witness, keepsFactIDs: true, through: limit)
        let before = Set(index.people.erased)
        try index.read(scanner(from: index.head, checksHashes: true), through: limit)
        try forgetFacts(of: index.people.erased.filter { !before.contains($0) }, in: &index)
        if isSealed, seals == nil { throw .keys(Self.closed(directory)) }
        return try onDisk { () throws(DiskError) in
            try IndexSnapshot.write(
                index, identity, in: directory, on: disk, under: seals, draftSuffix: draftSuffix)
        }
    }

    /// Drops what the index remembers of erased people's fact ids: kept, it would tell whether a guessed one was theirs.
    ///
    /// Of many at once: an entry does not say whose it is, so those of everybody have to be looked through.
    private func forgetFacts(of people: [UInt32], in index: inout LogIndex) throws(JournalError) {
        var positions: Set<UInt64> = []
        for person in people {
            guard let last = index.people.lastCommit(of: person) else { continue }
            let trail = PersonTrail(
                self, user: Erased.person(person), number: person, lastCommit: last, generalCommits: [])
            positions.formUnion(try trail.commits())
            guard positions.count >= Self.positionsForgottenAtOnce else { continue }
            try forgetFacts(at: positions, in: &index)
            positions = []
        }
        if !positions.isEmpty { try forgetFacts(at: positions, in: &index) }
    }

    /// As many as are kept in memory.
    private static let positionsForgottenAtOnce = 1 << 20

    private func forgetFacts(at positions: Set<UInt64>, in index: inout LogIndex) throws(JournalError) {
        index.factIDs.remove(at: positions)
        // Those of others in the same commits are known still.
        let reader = commitReader
        for position in positions.sorted() {
            try reader.withCommit(at: position) { (frame) throws(JournalError) in
                do throws(WireError) { try index.takeIDs(frame) } catch {
                    throw .damaged(Damage(directory, "position \(position): \(error)"))
                }
            }
        }
    }

    /// Whether the log has this very hash at this very place: what a snapshot must be asked before it is believed.
    public func isOnChain(_ head: LogHead) throws(JournalError) -> Bool { try log.isOnChain(head, evidence.witness) }

    /// Where to begin reading so as to meet event `seq`, without reading what is before its segment.
    public func head(before seq: UInt64) -> LogHead {
        log.segments.last { $0.header.firstSeq <= seq }?.header.head ?? .start
    }

    /// Where to begin reading so as to meet what happened at `instant` or after.
    public func head(before instant: Instant) -> LogHead {
        log.segments.last { $0.header.previousAt < instant }?.header.head ?? .start
    }

    /// The end of the commit that holds event `seq`, without its hash; `nil` where no commit does. Decodes no event.
    ///
    /// - Parameter isWanted: asked now and then, because up to a whole segment is read. Once nobody wants it, `nil`.
    public func end(ofCommitHolding seq: UInt64, isWanted: () -> Bool = { true }) throws(JournalError) -> LogHead? {
        let scanner = scanner(from: head(before: seq), checksHashes: false)
        while isWanted(), let frame = try scanner.next(), frame.firstSeq <= seq {
            var body = CommitBody(frame)
            var events = 0
            do throws(WireError) {
                while let item = try body.next() {
                    if case .event = item { events += 1 }
                }
            } catch {
                throw scanner.damage("\(error)")
            }
            try scanner.took(events: events)
            if scanner.head.lastSeq >= seq { return scanner.head }
        }
        return nil
    }

    /// The beginning of the segment that holds event `seq`, or the next one that will come.
    public func tailPlace(before seq: UInt64) -> TailPlace {
        tailPlace(at: head(before: seq))
    }

    /// A place that a caller knows, such as where a worker says that its log is durable.
    public func tailPlace(at head: LogHead) -> TailPlace {
        let segment = log.segment(holding: head.position).map { log.segments[$0].header.firstPosition } ?? 0
        return TailPlace(head: head, segment: segment)
    }

    /// Who the people are that a log had met at the newest index that can be believed, and where that was taken.
    func nameTable() throws(JournalError) -> NameTable? {
        guard let identity = log.identity,
            let snapshot = try? SnapshotReader(.index, of: identity, in: directory, on: disk, under: log.seals),
            try log.isOnChain(snapshot.head, evidence.witness)
        else { return nil }
        return NameTable(snapshot)
    }

    /// For whoever reads on under the same keys.
    var seals: (any LogSeals)? { log.seals }

    /// For whoever reads many commits by their positions.
    var commitReader: CommitReader { CommitReader(log) }

    /// An event that was met by its place, without having read who its person is.
    ///
    /// In a log without seals the name of a notice says whose it is, and nobody is looked up: an event that has none is nobody's.
    public func event(_ raw: RawEvent) throws(JournalError) -> Event? {
        let user = isSealed ? try raw.person.flatMap { (person) throws(JournalError) in try name(of: person) } : nil
        do throws(FieldError) {
            guard var event = try raw.event(about: user) else { return nil }
            if !isSealed { event.user = event.payload.firstName?.user }
            return event
        } catch {
            if let failure = raw.keyFailure { throw .keys(failure) }
            throw .damaged(Damage(directory, "event \(raw.seq): \(error)"))
        }
    }

    /// Who somebody is, by their number. `nil` where the log does not know them.
    public func name(of person: UInt32) throws(JournalError) -> String? {
        if let writing = disk.keys?.opened(in: directory)?.names { return writing[person] }
        return try index().people.names[person]
    }

    /// Before which week the log says that texts are erased; `nil` where it says so of none since an instant.
    ///
    /// - Parameter positions: of the commits about nobody in particular, as the index has them.
    public func lastTextsErased(
        in positions: [UInt64], saidSince instant: Instant
    ) throws(JournalError) -> TextWeek? {
        try CommitReader(log).lastTextsErased(in: positions, saidSince: instant)
    }

    /// A commit by its position.
    public func withCommit<Result>(
        at position: UInt64, _ body: (Frame) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try CommitReader(log).withCommit(at: position, body)
    }
}

/// The index as of the end of a log, kept for whoever asks for it again.
private final class KnownIndex: Sendable {
    private let index = Mutex<LogIndex?>(nil)

    func get(_ read: () throws(JournalError) -> LogIndex) throws(JournalError) -> LogIndex {
        if let known = index.withLock({ $0 }) { return known }
        let fresh = try read()
        index.withLock { $0 = fresh }
        return fresh
    }
}
