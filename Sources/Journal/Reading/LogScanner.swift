internal import Hashing
internal import Notices

/// Where reading stopped before the end of the last file, and what that means.
public enum LogTail: Sendable, Equatable {
    /// The last file ends with a whole commit.
    case whole
    /// The rest of the last file is a write that was never finished, so never acknowledged.
    case torn(file: String, offset: Int, bytes: Int)
}

/// Reads the commits of a log in order, over all its files.
public final class LogScanner {
    private let directory: LogDirectory
    private let hasher: ChainHasher?
    private var chain: Chain
    private var segmentIndex: Int
    private var reader: SegmentReader?
    private var openFile: DiskFile?
    /// The commit given last, until `took` says how many events it has: the caller knows once it has walked it.
    private var given: Frame?
    private let evidence: LogEvidence
    private let sealer: (any FieldSealer)?
    public private(set) var tail = LogTail.whole
    /// How many people the segment being read says were known before it.
    private var peopleBefore: UInt64?
    /// The durable position that the last commit vouches for.
    private(set) var durableBefore: UInt64 = 0

    /// - Parameters:
    ///   - start: where to begin; `.start`, or a head that an index or a caller remembers.
    ///   - checksHashes: whether the hash chain is checked as well (`G7`).
    init(
        _ directory: LogDirectory, from start: LogHead = .start, checksHashes: Bool, evidence: LogEvidence
    ) {
        self.directory = directory
        sealer = directory.sealer
        hasher = checksHashes ? ChainHasher() : nil
        chain = Chain(from: start, hasher: hasher)
        segmentIndex = directory.segment(holding: start.position) ?? 0
        self.evidence = evidence
    }

    deinit { closeFile() }

    public var head: LogHead { chain.head }

    /// What the header of the segment just begun says; asked for once a segment.
    func takePeopleBefore() -> UInt64? {
        defer { peopleBefore = nil }
        return peopleBefore
    }

    /// The next commit that is whole, or `nil` at the end. `took(events:)` must be called in between.
    public func next() throws(JournalError) -> Frame? {
        precondition(given == nil, "took(events:) must follow every frame")
        while segmentIndex < directory.segments.count {
            let reader = try openReader()
            switch try reader.next() {
            case .frame(let frame):
                given = frame
                durableBefore = max(durableBefore, frame.durableBefore)
                return frame
            case .fault(let fault):
                try meet(fault, reader)
                segmentIndex = directory.segments.count
            case nil:
                closeFile()
                segmentIndex += 1
            }
        }
        try checkEnd()
        return nil
    }

    /// Says how many events the commit just given has, which is what the next one's number is checked by.
    public func took(events: Int) throws(JournalError) {
        guard let frame = given.take() else { preconditionFailure("no frame was given") }
        do throws(FrameFault) { try chain.take(frame, events: events) } catch {
            throw .damaged(Damage(currentPath, at: currentOffset - frame.bytes.count, "\(error)"))
        }
    }

    /// The damage that a caller found in the commit it was given.
    public func damage(_ problem: String) -> JournalError {
        if let failure = sealer?.failure { return .keys(failure) }
        let length = given?.bytes.count ?? 0
        return .damaged(Damage(currentPath, at: currentOffset - length, problem))
    }

    private var currentPath: String {
        directory.segments.isEmpty
            ? directory.path : directory.segments[min(segmentIndex, directory.segments.count - 1)].path
    }

    private var currentOffset: Int { reader?.offset ?? 0 }

    private func openReader() throws(JournalError) -> SegmentReader {
        if let reader { return reader }
        let segment = directory.segments[segmentIndex]
        if segment.header.firstPosition == chain.head.position { try check(segment) }
        peopleBefore = segment.header.firstPosition == chain.head.position ? segment.header.peopleBefore : nil
        let file = try onDisk { () throws(DiskError) in try directory.disk.open(segment.path, .read) }
        let fresh = SegmentReader(
            disk: directory.disk, file: file, firstPosition: segment.header.firstPosition, fileEnd: segment.fileSize,
            sealer: sealer)
        if chain.head.position > segment.header.firstPosition { fresh.seek(to: chain.head.position) }
        openFile = file
        reader = fresh
        return fresh
    }

    /// A segment's header is outside the chain of hashes, so what it says of what is before it is checked by itself.
    private func check(_ segment: Segment) throws(JournalError) {
        let header = segment.header
        guard header.firstSeq == chain.head.lastSeq &+ 1 else {
            throw .damaged(
                Damage(segment.path, at: 40, "the segment says that it begins with event \(header.firstSeq)"))
        }
        if hasher != nil, header.previousHash != chain.head.hash {
            throw .damaged(Damage(segment.path, at: 56, "the segment does not carry the hash of what is before it"))
        }
        guard header.previousAt == chain.head.at else {
            throw .damaged(
                Damage(segment.path, at: 88, "the segment says that what is before it ended at \(header.previousAt)"))
        }
    }

    private func closeFile() {
        if let openFile { directory.disk.close(openFile) }
        openFile = nil
        reader = nil
    }

    /// Tells a write that was never finished from damage.
    ///
    /// It is damage when anything shows that the commit was once durable: a file after this one, a later commit that
    /// was written when this one was durable already, or what lies beside the log. It is also damage where the witness,
    /// which would show it, is damaged itself: no crash leaves both.
    private func meet(_ fault: FrameFault, _ reader: SegmentReader) throws(JournalError) {
        let segment = directory.segments[segmentIndex]
        let offset = reader.offset
        let damage = Damage(segment.path, at: offset, "\(fault)")
        guard segmentIndex == directory.segments.count - 1, directory.unfinished == nil else { throw .damaged(damage) }
        let position = reader.position
        if let shortfall = evidence.shortfall(at: position) {
            throw .damaged(Damage(segment.path, at: offset, "\(fault), though the log \(shortfall)"))
        }
        if !evidence.isOfCopy, let later = try laterFrame(in: segment, after: offset), later.durableBefore > position {
            throw .damaged(
                Damage(
                    segment.path, at: offset, "\(fault), and whole commits follow it from position \(later.position)"))
        }
        if case .damaged = evidence.witnessState, let doubt = evidence.witnessState.doubt {
            throw .damaged(
                Damage(
                    segment.path, at: offset,
                    "\(fault), and \(doubt), which would show whether that had been acknowledged. If you know that it had not, remove \(LogFile.witness): the rest is then set aside"
                ))
        }
        tail = .torn(file: segment.path, offset: offset, bytes: segment.fileSize - offset)
    }

    /// A whole frame further on, preferring one that proves that what is at `offset` was durable.
    private func laterFrame(in segment: Segment, after offset: Int) throws(JournalError) -> FrameHeader? {
        let bytes = try onDisk { () throws(DiskError) in
            try directory.disk.contents(of: segment.path, limit: .max)
        }
        return bytes.withUnsafeBytes { whole -> FrameHeader? in
            // A writer may have gone on since the file was measured; what it wrote then proves nothing about before.
            let raw = UnsafeRawBufferPointer(rebasing: whole.prefix(segment.fileSize))
            var found: FrameHeader?
            var at = offset + 8
            while at + FrameHeader.size <= raw.count {
                defer { at += 8 }
                guard raw.word(at, as: UInt32.self) == FrameHeader.magic,
                    let header = FrameHeader(raw.piece(at, FrameHeader.size)),
                    header.position == segment.header.firstPosition + UInt64(at - SegmentHeader.size),
                    at + header.frameLength <= raw.count,
                    FrameHeader.checksum(of: raw.piece(at, header.frameLength)) == header.checksum
                else { continue }
                found = header
                if header.durableBefore > segment.header.firstPosition + UInt64(offset - SegmentHeader.size) { break }
            }
            return found
        }
    }

    private func checkEnd() throws(JournalError) {
        let head = chain.head
        if let shortfall = evidence.shortfall(at: head.position) {
            throw .damaged(
                Damage(
                    currentPath,
                    "the log ends at position \(head.position) (event \(head.lastSeq)), but \(shortfall). If an older copy was put back on purpose, remove \(evidence.files(beyond: head.position)): what came after it is then lost"
                ))
        }
        if hasher != nil, let witness = evidence.witness, witness.position == head.position, witness.hash != head.hash {
            throw .damaged(Damage(currentPath, "the last commit's hash is not the one that was acknowledged"))
        }
    }
}
