internal import Hashing
internal import Notices

/// Brings a log to a clean end before it is written to (`G3`).
///
/// 1. Reads from the index snapshot (or the beginning) to the end, which checks the tail and completes the index.
/// 2. Writes again what is whole but not known to be durable: after a failed sync the kernel may show pages that never
///    reached the disk, and only rewriting makes them dirty, and so durable, again (`G4`).
/// 3. Keeps an unfinished tail aside as `.torn`, then cuts it. The name of that file says up to where the log was
///    durable (`LogEvidence`), which is true since it was made so first.
struct Recovery {
    let disk: any Disk
    let directory: String
    /// Of a log that has nothing yet.
    var newIdentity: LogIdentity?
    /// Whether its keys are another's to change.
    var isCopy = false

    struct Outcome {
        var index: LogIndex
        var identity: LogIdentity
        /// The segment to go on with; `nil` where the next commit begins one.
        var current: Segment?
        var tail: LogTail
        /// What lay in the witness's place.
        var witness: WitnessState
        /// `nil` where the log has none.
        var seals: (any LogSeals)?
        /// As of the index snapshot that was read; 0 without one.
        var snapshotPosition: UInt64
        /// Whether somebody was erased behind it.
        var hasErasure: Bool
    }

    func run() throws(JournalError) -> Outcome {
        let found = try onDisk { () throws(DiskError) in try LogEvidence.read(directory, on: disk) }
        var log = try LogDirectory(directory, on: disk)
        var evidence = try found.about(log)
        evidence.isOfCopy = isCopy
        let identity =
            if let known = log.identity ?? evidence.witness?.identity ?? newIdentity { known } else { try begun() }
        var seals = try openSeals(log, identity)
        // All of it is read before anything is changed.
        let (reading, scanner) = try complete(log, identity, evidence, seals)
        var tail = scanner.tail
        let known = max(evidence.durablePosition ?? 0, isCopy ? 0 : scanner.durableBefore)
        if let last = log.segments.last, log.unfinished == nil, log.emptySegment == nil, known < scanner.head.position {
            try rewrite(last, from: known, through: scanner.head.position)
        }
        if let unfinished = log.unfinished {
            try keep(unfinished.path, from: 0, size: unfinished.size)
            if unfinished.size > 0 { tail = .torn(file: unfinished.path, offset: 0, bytes: unfinished.size) }
        } else if case .torn(let file, let offset, let bytes) = scanner.tail {
            try keep(file, from: offset, size: offset + bytes)
            try cut(file, to: offset)
            log = try LogDirectory(directory, on: disk)
        } else if let last = log.segments.last, try wasCut(last) {
            // Whoever cut it there may have failed to make that durable.
            try cut(last.path, to: last.fileSize)
        }
        // A log is begun with seals where there is somebody to keep its keys.
        if seals == nil, log.segments.allSatisfy({ $0.fileSize <= SegmentHeader.size }), scanner.head == .start {
            seals =
                if isCopy { try disk.keys?.open(identity, in: directory, on: disk, forWriting: false) } else {
                    try disk.keys?.begin(identity, in: directory, on: disk)
                }
        }
        var isTorn = tail != .whole
        if let last = log.segments.last, try wasCut(last) { isTorn = true }
        let people = reading.index.people
        if isCopy {
            seals?.deny(people.erased)
            if let week = try textsErased(seals, log, reading.index) { seals?.denyTexts(before: week) }
        } else {
            try seals?.settle(people: people.count, erased: people.erased, isTorn: isTorn)
            // A backup of the keys brings no text back either (`E3`), and what was cut off goes on to its end.
            if let week = try textsErased(seals, log, reading.index) { try seals?.destroyKeys(before: week) }
        }
        if let empty = log.unfinished?.path ?? log.emptySegment?.path {
            try beginAgain(
                empty,
                SegmentHeader(
                    identity: identity, after: scanner.head, peopleBefore: reading.index.people.count,
                    isSealed: seals != nil))
            log = try LogDirectory(directory, on: disk)
        }
        try removeDraft()
        return Outcome(
            index: reading.index, identity: identity, current: log.segments.last, tail: tail,
            witness: evidence.witnessState, seals: seals, snapshotPosition: reading.snapshot,
            hasErasure: reading.hasErasure)
    }

    /// Before which week the log says that texts are erased.
    private func textsErased(
        _ seals: (any LogSeals)?, _ log: LogDirectory, _ index: LogIndex
    ) throws(JournalError) -> TextWeek? {
        guard let first = seals?.firstTextWeek else { return nil }
        return try CommitReader(log).lastTextsErased(in: index.generalCommits, saidSince: first.start)
    }

    /// Keys are made before the first segment is. Whoever was stopped in between had an identity already, which the keys know.
    private func begun() throws(JournalError) -> LogIdentity {
        try disk.keys?.begun(in: directory, on: disk) ?? LogIdentity(words: randomIdentity())
    }

    private func openSeals(_ log: LogDirectory, _ identity: LogIdentity) throws(JournalError) -> (any LogSeals)? {
        guard log.isSealed else { return nil }
        guard let keys = disk.keys else { throw .keys(LogReader.closed(directory)) }
        return try keys.open(identity, in: directory, on: disk, forWriting: !isCopy)
    }

    private struct Reading {
        var index: LogIndex
        var snapshot: UInt64
        var hasErasure: Bool
    }

    /// An older copy that was put back with the index beside it, and with the keys of after, is read from its beginning: that index names
    /// people whose key is gone since (`E3`), where the log alone can name them no more.
    private func complete(
        _ log: LogDirectory, _ identity: LogIdentity, _ evidence: LogEvidence, _ seals: (any LogSeals)?
    ) throws(JournalError) -> (Reading, LogScanner) {
        let kept = try IndexLoader(disk: disk, directory: directory)
            .load(log, identity, evidence.witness, keepsFactIDs: true)
        let (reading, scanner) = try complete(kept, log, evidence)
        let people = reading.index.people
        guard !isCopy, kept.head.position > 0, let seals,
            try seals.hasDestroyed(below: people.count, besides: people.erased)
        else { return (reading, scanner) }
        return try complete(LogIndex(identity, keepsFactIDs: true), log, evidence)
    }

    private func complete(
        _ start: LogIndex, _ log: LogDirectory, _ evidence: LogEvidence
    ) throws(JournalError) -> (Reading, LogScanner) {
        var index = start
        // Asked before any is met: whoever holds people of one log shares their names.
        let erasedBefore = start.people.erased.count
        let scanner = LogScanner(log, from: index.head, checksHashes: true, evidence: evidence)
        try index.read(scanner)
        let reading = Reading(
            index: index, snapshot: start.head.position, hasErasure: index.people.erased.count > erasedBefore)
        return (reading, scanner)
    }

    /// The index that a writer was writing when it was killed: it tells of people who may have been erased since.
    private func removeDraft() throws(JournalError) {
        try onDisk { () throws(DiskError) in
            let draft = DiskPath.join(directory, LogFile.writersDraft)
            guard try disk.status(of: draft) != nil else { return }
            try disk.remove(draft)
            try disk.syncDirectory(directory)
        }
    }

    /// Copies the tail to a file of its own, durably; only then may it be cut off.
    private func keep(_ path: String, from offset: Int, size: Int) throws(JournalError) {
        if size == offset { return }
        try onDisk { () throws(DiskError) in
            let file = try disk.open(path, .read)
            defer { disk.close(file) }
            var bytes = [UInt8](repeating: 0, count: size - offset)
            let read = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
                try disk.readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            }
            bytes.removeLast(bytes.count - read)
            try disk.writeAtomically(try tornPath(path, offset, bytes), bytes)
        }
    }

    /// A file for these bytes, past those that hold other tails cut off at the same place.
    private func tornPath(_ path: String, _ offset: Int, _ bytes: [UInt8]) throws(DiskError) -> String {
        var name = "\(path)-\(offset)"
        var number = 1
        while try disk.status(of: name + LogFile.tornSuffix) != nil,
            try disk.contents(of: name + LogFile.tornSuffix, limit: .max) != bytes
        {
            number += 1
            name = "\(path)-\(offset)-\(number)"
        }
        return name + LogFile.tornSuffix
    }

    /// Whether a tail was kept aside that had begun where the segment ends now.
    private func wasCut(_ segment: Segment) throws(JournalError) -> Bool {
        let path = "\(segment.path)-\(segment.fileSize)\(LogFile.tornSuffix)"
        return try onDisk { () throws(DiskError) in try disk.status(of: path) } != nil
    }

    private func cut(_ path: String, to size: Int) throws(JournalError) {
        try onDisk { () throws(DiskError) in
            let file = try disk.open(path, .write)
            defer { disk.close(file) }
            try disk.truncate(file, to: size)
            try disk.syncData(file)
        }
    }

    /// Puts a segment that has no commits there anew. Neither its header nor its name need have been durable, and
    /// what a failed sync has forgotten no later sync makes durable. For the same reason it is never removed.
    private func beginAgain(_ path: String, _ header: SegmentHeader) throws(JournalError) {
        var buffer = ByteBuffer(capacity: SegmentHeader.size)
        header.write(into: &buffer)
        let bytes = Array(buffer.bytes)
        try onDisk { () throws(DiskError) in try disk.writeAtomically(path, bytes) }
    }

    private func rewrite(_ segment: Segment, from position: UInt64, through end: UInt64) throws(JournalError) {
        let first = segment.header.firstPosition
        let offset = position > first ? SegmentHeader.size + Int(position - first) : 0
        let endOffset = SegmentHeader.size + Int(end - first)
        try onDisk { () throws(DiskError) in
            let file = try disk.open(segment.path, .write)
            defer { disk.close(file) }
            var at = offset
            var piece = [UInt8](repeating: 0, count: min(1 << 20, endOffset - offset))
            while at < endOffset {
                let read = try piece.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
                    try disk.readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: at)
                }
                guard read > 0 else { break }
                try disk.writeAll(file, Array(piece[..<min(read, endOffset - at)]), at: at)
                at += read
            }
            try disk.syncData(file)
            try disk.syncDirectory(directory)
        }
    }
}
