internal import Notices

/// What lies beside the segments and shows how long the log once was.
///
/// The witness says so, and so does every snapshot and every tail that was set aside: each was made of a log that was
/// durable up to its place. A log that ends before any of them has lost acknowledged commits, whatever else was removed.
struct LogEvidence: Sendable {
    /// One file's word.
    struct Mark: Sendable, Equatable {
        let file: String
        /// The log was durable up to here.
        let position: UInt64
        /// The last event before that, where the file says so.
        let lastSeq: UInt64?
        /// Which log it is about; `nil` for what is known by its name alone.
        let identity: LogIdentity?
    }

    let witness: Witness?
    let witnessState: WitnessState
    /// What the witness says, for writers and readers alike. One that is missing, blank or damaged says nothing, which is not that
    /// nothing was acknowledged.
    var durablePosition: UInt64? { witness?.position }
    private var marks: [Mark]
    /// Whether the log is a copy. Its commits say what was durable in the log they come from, and nothing of these files.
    var isOfCopy = false

    /// To be read before the segments are listed: a writer that goes on in between may then only have more than this says.
    static func read(_ directory: String, on disk: any Disk) throws(DiskError) -> LogEvidence {
        let found = try Witness.read(disk, directory)
        var marks: [Mark] = []
        if let witness = found.witness {
            marks.append(
                Mark(
                    file: LogFile.witness, position: witness.position, lastSeq: witness.lastSeq,
                    identity: witness.identity))
        }
        for name in try disk.list(directory) {
            if let mark = try mark(name, in: directory, on: disk) { marks.append(mark) }
        }
        return LogEvidence(witness: found.witness, witnessState: found.state, marks: marks)
    }

    private static func mark(_ name: String, in directory: String, on disk: any Disk) throws(DiskError) -> Mark? {
        if let position = LogFile.positionSetAside(name) {
            return Mark(file: name, position: position, lastSeq: nil, identity: nil)
        }
        guard LogFile.isSnapshotOrDraft(name) else { return nil }
        // Whatever is odd about a snapshot, it is no evidence then. It may also be renamed or removed meanwhile.
        guard let (identity, head) = place(of: name, in: directory, on: disk) else { return nil }
        return Mark(file: name, position: head.position, lastSeq: head.lastSeq, identity: identity)
    }

    /// Of which log a snapshot or a draft was taken and where that stood; `nil` where it does not say so.
    static func place(
        of name: String, in directory: String, on disk: any Disk
    ) -> (identity: LogIdentity, head: LogHead)? {
        guard let header = try? beginning(of: DiskPath.join(directory, name), on: disk) else { return nil }
        return header.withUnsafeBytes { SnapshotHeader.place($0) }
    }

    private static func beginning(of path: String, on disk: any Disk) throws(DiskError) -> [UInt8] {
        let file = try disk.open(path, .read)
        defer { disk.close(file) }
        var bytes = [UInt8](repeating: 0, count: SnapshotHeader.size)
        let read = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
            try disk.readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
        bytes.removeLast(bytes.count - read)
        return bytes
    }

    /// What is about this log. Snapshots of another are none of its business; to an empty one they all belong.
    func about(_ log: LogDirectory) throws(JournalError) -> LogEvidence {
        try witness?.belongs(to: log)
        guard let identity = log.identity else { return self }
        var own = self
        own.marks.removeAll { $0.identity.map { $0 != identity } ?? false }
        return own
    }
}

extension LogEvidence {
    /// That the log was longer than this, and what shows it; `nil` where nothing does.
    func shortfall(at position: UInt64) -> String? {
        let beyond = marks.filter { $0.position > position }.sorted { $0.position > $1.position }
        guard let furthest = beyond.first else { return nil }
        let seq = beyond.compactMap(\.lastSeq).max().map { " (event \($0))" } ?? ""
        return "had been acknowledged up to position \(furthest.position)\(seq), as shown by "
            + Self.list(beyond.map { $0.file + ($0.lastSeq.map { " (event \($0))" } ?? " (position \($0.position))") })
    }

    /// What whoever put an older copy in place on purpose has to remove.
    func files(beyond position: UInt64) -> String { Self.list(marks.filter { $0.position > position }.map(\.file)) }

    private static func list(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension LogFile {
    /// Where the log ended, and was durable, when the bytes in this `.torn` file were set aside; `nil` for another file.
    static func positionSetAside(_ name: String) -> UInt64? {
        guard name.hasSuffix(tornSuffix), let dash = name.firstIndex(of: "-"),
            let first = firstPosition(String(name[..<dash])),
            let offset = Int(name[name.index(after: dash)...].prefix { $0.isASCII && $0.isNumber })
        else { return nil }
        return first + UInt64(max(0, offset - SegmentHeader.size))
    }

    /// Of the index or the state, whole or being written.
    static func isSnapshotOrDraft(_ name: String) -> Bool {
        [index, state].contains { name == $0 || isDraft(name, of: $0) }
    }

    /// Of any snapshot that is written under `snapshot.lock`. The log's writer writes an index without it.
    static func isDraftBesideWriter(_ name: String) -> Bool {
        name != writersDraft && snapshots.contains { isDraft(name, of: $0) }
    }

    private static func isDraft(_ name: String, of snapshot: String) -> Bool {
        name.hasPrefix(snapshot + ".") && name.hasSuffix(temporarySuffix)
    }
}
