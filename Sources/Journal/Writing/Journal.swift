internal import Hashing
public import CivilTime
public import Notices

/// The append-only log of one data directory, open for writing.
///
/// It belongs to one queue. Appending only builds commits in memory; they are durable, and may be acknowledged, when the
/// batch that `takeBatch` gave has been written by the `writer` and handed back to `finished`. While one batch is being
/// synced the next collects, which is the whole of group commit.
public final class Journal {
    public let directory: String
    public let writer: BatchWriter
    public let recoveredTail: LogTail
    /// What lay in the witness's place when the log was opened; a log that has nothing yet needs none.
    public let recoveredWitness: WitnessState
    /// Where it lies, to be looked after from any thread.
    public let site: LogSite
    public let disk: any Disk
    private let options: JournalOptions
    public let identity: LogIdentity
    private let lockFiles: [DiskFile]
    private let hasher = ChainHasher()
    /// `nil` where the log has no seals.
    public let seals: (any LogSeals)?
    private let sealer: (any FieldSealer)?
    private var index: LogIndex
    private var commitIDs = CommitIDs()
    /// The log's files, and what was durable when they were listed: behind that a listing may meet half a write.
    private var listed: (log: LogDirectory, durable: UInt64)?
    private var currentSegmentEnd: Int
    /// Collecting.
    private var pending: Batch
    /// Sealed, in order; the first may be with the writer.
    private var sealed: [Batch] = []
    private var isWriting = false
    /// Memory to be used again: the last durable batch's, and the body of the commit being built.
    private var spare = ByteBuffer()
    private var scratch = ByteBuffer()
    private var durable: LogHead
    private var erasures = ErasuresUnderWay()
    private var snapshotPosition: UInt64
    /// Whether the index has facts of somebody erased: it is not written then, and who takes a snapshot leaves them out.
    private var mustForgetFacts = false
    /// Why nothing more is taken, if something has failed.
    public private(set) var failure: JournalError?

    /// Takes the log's lock, recovers the log and opens it for writing. An empty or missing directory becomes a log.
    public init(
        _ directory: String, on disk: any Disk, holder: String, options: JournalOptions = JournalOptions()
    ) throws(JournalError) {
        self.directory = directory
        self.disk = disk
        self.options = options
        let locks = try WriterLock.take(directory, on: disk, holder: holder, patience: options.lockPatience)
        lockFiles = locks
        do throws(JournalError) {
            try ImportMark(directory, on: disk).admit(options)
            let site = try onDisk { () throws(DiskError) in
                let site = try LogSite(directory, on: disk)
                for file in locks { try site.hold(file) }
                return site
            }
            self.site = site
            let recovered = try Recovery(
                disk: disk, directory: directory, newIdentity: options.identity, isCopy: options.isCopy
            ).run()
            identity = recovered.identity
            seals = recovered.seals
            sealer = recovered.seals?.sealer()
            index = recovered.index
            if !options.isCopy { recovered.seals?.lend(recovered.index.people.names) }
            mustForgetFacts = recovered.hasErasure
            recoveredTail = recovered.tail
            let isNew = recovered.index.head == .start && recovered.tail == .whole
            recoveredWitness = isNew ? .whole : recovered.witness
            snapshotPosition = recovered.snapshotPosition
            durable = recovered.index.head
            currentSegmentEnd = recovered.current?.fileSize ?? 0
            writer = try onDisk { () throws(DiskError) in
                let writer = try BatchWriter(
                    disk: disk, directory: directory, identity: recovered.identity, current: recovered.current,
                    site: site)
                // Before the first commit, so that whoever follows never takes what is not yet durable for what is.
                try writer.writeWitness(recovered.index.head)
                // Beside a witness that is known to be damaged a torn end could not be told from a cut one.
                if case .damaged = recovered.witness { try writer.syncWitness(evenUnused: true) }
                return writer
            }
            pending = Batch(at: recovered.index.head, opens: nil, sealer, in: ByteBuffer(capacity: 1 << 16))
            // A writer that is killed leaves none, and the next one would read the same again.
            writeSnapshotIfDue()
        } catch {
            for file in lockFiles { disk.close(file) }
            throw error
        }
    }

    /// What has been appended, durable or not.
    public var head: LogHead { index.head }
    public var durableHead: LogHead { durable }
    /// Up to where what was asked for may be answered: all that is durable, but for an erasure whose key could not be destroyed.
    public var answerable: UInt64 { erasures.answerable(durable.position) }
    /// Of so many people keys are still to be destroyed.
    public var keysToDestroy: Int { erasures.people }
    public var people: People { index.people }
    public var generalCommits: [UInt64] { index.generalCommits }
    public var hasUnwritten: Bool { !pending.isEmpty || !sealed.isEmpty }
    /// Bytes that wait for the disk.
    public var unwrittenBytes: Int { Int(index.head.position - durable.position) }

    // MARK: Appending

    /// Builds one commit of these entries at this instant, which is never before the log's last (`T7`).
    ///
    /// Entries whose id the log knows are left out. When all are, there is no commit.
    ///
    /// - Parameter textsByWeek: whether what people are told is sealed with a key of its week besides theirs.
    public func append(
        _ entries: [Entry], at now: Instant, textsByWeek: Bool = false
    ) throws(JournalError) -> [Appended] {
        var outcomes: [Appended] = []
        outcomes.reserveCapacity(entries.count)
        try build(at: now, textsByWeek) { (commit, body) throws(JournalError) in
            for entry in entries {
                if let seq = try knownSeq(entry.id, in: &commit) {
                    outcomes.append(.duplicate(of: seq))
                } else {
                    outcomes.append(.recorded(seq: try commit.add(entry, to: &body, &index)))
                }
            }
        }
        return outcomes
    }

    /// Builds one commit of these events, which are numbered as the log goes on and of which none is in it: whoever made
    /// them has looked up their ids.
    public func append(_ events: [Event], at now: Instant, textsByWeek: Bool = false) throws(JournalError) {
        try build(at: now, textsByWeek) { (commit, body) throws(JournalError) in
            // Looked at where they stand: an event is large to copy.
            let events = events.span
            for place in events.indices {
                let seq = try commit.add(events[place], to: &body, &index)
                precondition(seq == events[place].seq, "the log counts otherwise than its writer")
            }
        }
    }

    private func build(
        at now: Instant, _ textsByWeek: Bool,
        _ fill: (inout CommitBuilder, inout ByteBuffer) throws(JournalError) -> Void
    ) throws(JournalError) {
        if let failure { throw failure }
        var commit = CommitBuilder(at: now, after: index, seals, sealer, textsByWeek: textsByWeek)
        var body = ByteBuffer()
        swap(&body, &scratch)
        defer {
            body.removeAll()
            swap(&body, &scratch)
        }
        do throws(JournalError) {
            try commit.makeKey()
            try fill(&commit, &body)
        } catch {
            // The index has heard of entries that no commit will hold, so nothing may follow.
            failure = error
            throw error
        }
        if commit.events > 0 { seal(commit, body) }
        if !commit.erased.isEmpty || commit.textsErasedBefore != nil {
            erasures.append(commit.erased, texts: commit.textsErasedBefore, durableAt: index.head.position)
            mustForgetFacts = mustForgetFacts || !commit.erased.isEmpty
        }
        if let failure { throw failure }
    }

    private func seal(_ commit: CommitBuilder, _ body: borrowing ByteBuffer) {
        guard body.count <= options.commitBytesMax else {
            // The index has heard of what no commit will hold, so nothing may follow.
            failure = .tooLarge(bytes: body.count)
            return
        }
        beginSegmentIfFull(FrameHeader.frameLength(body.count), peopleBefore: commit.peopleBefore)
        let start = pending.bytes.count
        pending.bytes.appendZeros(FrameHeader.size)
        pending.bytes.append(body.bytes)
        pending.bytes.appendZeros(FrameHeader.frameLength(body.count) - FrameHeader.size - body.count)
        var header = FrameHeader(
            position: commit.position, firstSeq: commit.firstSeq, at: commit.at, previousHash: index.head.hash,
            unsyncedBefore: Int(commit.position - durable.position))
        header.seal(in: &pending.bytes, from: start, bodyLength: body.count)
        currentSegmentEnd += header.frameLength
        index.head = LogHead(
            position: commit.position + UInt64(header.frameLength),
            lastSeq: commit.firstSeq + UInt64(commit.events) - 1,
            at: commit.at, hash: hasher.hash(pending.bytes.bytes.piece(start, header.frameLength)))
        pending.end = index.head
    }

    /// A commit never spans two segments.
    private func beginSegmentIfFull(_ length: Int, peopleBefore: Int) {
        let isFirst = currentSegmentEnd == 0
        guard isFirst || currentSegmentEnd + length > options.segmentBytesMax else { return }
        if !isFirst, currentSegmentEnd == SegmentHeader.size { return }
        if !pending.isEmpty { sealed.append(pending) }
        let header = SegmentHeader(
            identity: identity, after: index.head, peopleBefore: peopleBefore, isSealed: seals != nil)
        pending = newBatch(opens: header)
        currentSegmentEnd = SegmentHeader.size
    }

    // MARK: Commits of another copy

    /// Appends whole frames as another copy of this log has them, byte for byte. Each is checked: that it goes on where the log
    /// ends, its checksum, and the hash of all before it.
    public func append(frames: [UInt8]) throws(JournalError) {
        if let failure { throw failure }
        let problem = frames.withUnsafeBytes { bytes -> String? in
            var rest = bytes[...]
            while !rest.isEmpty {
                let bytes = UnsafeRawBufferPointer(rebasing: rest)
                guard let header = FrameHeader(bytes), header.frameLength <= bytes.count else {
                    return "no whole commit"
                }
                if let problem = append(bytes.piece(0, header.frameLength), header) { return problem }
                rest = rest.dropFirst(header.frameLength)
            }
            return nil
        }
        guard let problem else { return }
        let error = JournalError.damaged(
            Damage(directory, "what is to follow position \(index.head.position) does not: \(problem)"))
        failure = error
        throw error
    }

    /// What is wrong with the frame; `nil` where it was appended.
    private func append(_ bytes: UnsafeRawBufferPointer, _ header: FrameHeader) -> String? {
        guard header.position == index.head.position, header.firstSeq == index.head.lastSeq + 1 else {
            return "another commit follows"
        }
        guard header.previousHash == index.head.hash else { return "the hash of what is before it is another" }
        guard FrameHeader.checksum(of: bytes) == header.checksum else { return "the checksum is wrong" }
        let peopleBefore = index.people.count
        let frame = Frame(
            position: header.position, firstSeq: header.firstSeq, at: header.at,
            body: bytes.piece(FrameHeader.size, header.bodyLength), bytes: bytes, durableBefore: header.durableBefore,
            sealer: sealer, previousHash: header.previousHash)
        let events: Int
        do throws(WireError) { events = try index.take(frame) } catch { return "\(error)" }
        beginSegmentIfFull(bytes.count, peopleBefore: peopleBefore)
        pending.bytes.append(bytes)
        currentSegmentEnd += bytes.count
        index.head = LogHead(
            position: header.position + UInt64(bytes.count), lastSeq: header.firstSeq + UInt64(events) - 1,
            at: header.at, hash: hasher.hash(bytes))
        pending.end = index.head
        return nil
    }

    // MARK: Duplicates

    /// The number of the fact that was sent under this key, if the log has it, durable or not.
    public func seq(ofFact id: String) throws(JournalError) -> UInt64? {
        var id = id
        for position in id.withUTF8({ index.factIDs.candidates(UnsafeRawBufferPointer($0)) }) {
            if let seq = try seq(ofID: id, inCommitAt: position) { return seq }
        }
        return nil
    }

    private func knownSeq(_ id: String?, in commit: inout CommitBuilder) throws(JournalError) -> UInt64? {
        guard var id else { return nil }
        let candidates = id.withUTF8 { index.factIDs.candidates(UnsafeRawBufferPointer($0)) }
        for position in candidates {
            if position == commit.position {
                if let seq = commit.seq(ofID: id) { return seq }
            } else if let seq = try seq(ofID: id, inCommitAt: position) {
                return seq
            }
        }
        return nil
    }

    private func seq(ofID id: String, inCommitAt position: UInt64) throws(JournalError) -> UInt64? {
        if !commitIDs.holds(position) { try rememberIDs(ofCommitAt: position) }
        return commitIDs.seq(of: id, at: position)
    }

    private func rememberIDs(ofCommitAt position: UInt64) throws(JournalError) {
        if pending.holds(position) { return commitIDs.remember(pending.frame(at: position)) }
        if let batch = sealed.first(where: { $0.holds(position) }) {
            return commitIDs.remember(batch.frame(at: position))
        }
        try CommitReader(directory(holding: position)).withCommit(at: position) { commitIDs.remember($0) }
    }

    /// The log's files, listed again only when what is asked for has been written since.
    private func directory(holding position: UInt64) throws(JournalError) -> LogDirectory {
        if let listed, position < listed.durable { return listed.log }
        let fresh = try LogDirectory(directory, on: disk, after: listed?.log)
        listed = (fresh, durable.position)
        return fresh
    }

    /// The next batch to collect in, on memory that an earlier one has given back.
    private func newBatch(opens header: SegmentHeader?) -> Batch {
        var buffer = ByteBuffer()
        swap(&buffer, &spare)
        return Batch(at: index.head, opens: header, sealer, in: buffer)
    }

    // MARK: Making durable

    /// The next batch to write, or `nil` when nothing waits or one is being written already.
    public func takeBatch() -> Batch? {
        guard !isWriting, failure == nil else { return nil }
        if sealed.isEmpty {
            guard !pending.isEmpty else { return nil }
            sealed.append(pending)
            pending = newBatch(opens: nil)
        }
        isWriting = true
        return sealed[0]
    }

    /// The writer is done with the batch: what it held is durable, or the log stops here.
    public func finished(_ batch: Batch, _ result: Result<Void, DiskError>) {
        precondition(isWriting && sealed.first === batch, "batches are finished in the order they were taken")
        isWriting = false
        switch result {
        case .success:
            sealed.removeFirst()
            durable = batch.end
            swap(&batch.bytes, &spare)
            spare.removeAll()
            destroyKeys()
        case .failure(let error):
            failure = .stopped(error)
        }
    }

    /// Whether keys are to be destroyed of those whose erasure is durable.
    public var hasKeysDue: Bool { failure == nil && erasures.isDue(at: durable.position) }

    /// Destroys some of those keys: to be called until none is due.
    public func destroyKeys() {
        guard hasKeysDue else { return }
        // Whoever has their id next is not told that facts are known (`E4`).
        commitIDs = CommitIDs()
        do throws(JournalError) { try erasures.destroyKeys(seals, durable: durable.position) } catch {
            failure = failure ?? error
        }
    }

    /// Writes and syncs all that waits, on the calling thread.
    public func commit() throws(JournalError) {
        precondition(!isWriting, "committed while a batch is with the writer")
        while let batch = takeBatch() {
            do throws(DiskError) {
                try writer.write(batch)
                finished(batch, .success(()))
            } catch {
                finished(batch, .failure(error))
            }
        }
        while hasKeysDue { destroyKeys() }
        if let failure { throw failure }
    }

    /// Makes all durable, writes the index snapshot when it is worth its while, and gives the log up.
    public func close() throws(JournalError) {
        defer { giveUpFiles() }
        try commit()
        // So that after a power cut, too, the end is known to be whole.
        try onDisk { () throws(DiskError) in try writer.syncWitness() }
        writeSnapshotIfDue()
    }

    /// Gives the log up as it is durable: what was only appended is let go of, and nothing more is written.
    public func abandon() {
        precondition(!isWriting, "abandoned while a batch is with the writer")
        failure = failure ?? .closed
        giveUpFiles()
    }

    private func giveUpFiles() {
        writer.close()
        for file in lockFiles { disk.close(file) }
    }

    /// Disposable: a full disk here costs the next start some time and nothing else.
    private func writeSnapshotIfDue() {
        guard !mustForgetFacts, index.head.position - snapshotPosition > UInt64(options.snapshotEveryBytes) else {
            return
        }
        if (try? IndexSnapshot.write(index, identity, in: directory, on: disk, under: seals)) != nil {
            snapshotPosition = index.head.position
        }
    }
}
