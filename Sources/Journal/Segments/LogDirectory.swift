internal import CivilTime
internal import Notices

/// One segment file of a log.
struct Segment: Sendable, Equatable {
    var path: String
    var header: SegmentHeader
    /// The file's size when it was listed; the last one may grow.
    var fileSize: Int

    /// Where in the log its commits end.
    var endPosition: UInt64 { header.firstPosition + UInt64(max(0, fileSize - SegmentHeader.size)) }
}

/// The segment files of a log, in order, each checked to begin where the one before it ends.
struct LogDirectory {
    let path: String
    let disk: any Disk
    private(set) var segments: [Segment] = []
    /// A last file that has no whole header: the log was cut off while it was being made.
    private(set) var unfinished: (path: String, size: Int)?
    /// What whoever reads the log has opened, and holds for as long as they read: the process may let its keys go meanwhile.
    var kept: (any LogSeals)?

    /// Lists the log. An empty directory is an empty log.
    ///
    /// - Parameter before: the same log as it was listed before. What another segment followed then changes no more, and is not opened again.
    init(_ path: String, on disk: any Disk, after before: LogDirectory? = nil) throws(JournalError) {
        self.path = path
        self.disk = disk
        try Self.check(path, on: disk)
        let names = try onDisk { () throws(DiskError) in try disk.list(path) }
        let firsts = names.compactMap(LogFile.firstPosition).sorted()
        if firsts.isEmpty, let stranger = names.first(where: { !LogFile.mayLieInALog($0) }) {
            throw .notALog(directory: path, found: "it holds \"\(stranger)\"")
        }
        let known = before?.segments.dropLast() ?? []
        for (place, first) in firsts.enumerated() {
            if place < known.count, known[place].header.firstPosition == first {
                try join(known[place])
            } else {
                try add(first, isLast: place == firsts.count - 1)
            }
        }
    }

    /// That there is a directory to look into.
    static func check(_ path: String, on disk: any Disk) throws(JournalError) {
        guard let status = try onDisk({ () throws(DiskError) in try disk.status(of: path) }) else {
            throw .noLog(directory: path)
        }
        guard status.kind == .directory else { throw .notALog(directory: path, found: "it is a file") }
    }

    var identity: LogIdentity? { segments.first?.header.identity }
    var isSealed: Bool { segments.first?.header.isSealed ?? false }
    /// Those that the process has opened last know the most of what is erased. `nil` where the log has none, and where nobody has
    /// opened them.
    var seals: (any LogSeals)? { isSealed ? disk.keys?.opened(in: path) ?? kept : nil }
    /// Opens what is sealed in it, for one thread.
    var sealer: (any FieldSealer)? { seals?.sealer() }
    var isEmpty: Bool { segments.isEmpty }
    var endPosition: UInt64 { segments.last?.endPosition ?? 0 }
    /// The last segment where it has a header and nothing else.
    var emptySegment: Segment? { segments.last.flatMap { $0.fileSize == SegmentHeader.size ? $0 : nil } }

    /// The segment in which a position lies; at a boundary, the one that begins there.
    func segment(holding position: UInt64) -> Int? {
        segments.lastIndex { $0.header.firstPosition <= position }
    }

    private mutating func add(_ first: UInt64, isLast: Bool) throws(JournalError) {
        let file = DiskPath.join(path, LogFile.segment(first))
        let (bytes, size) = try onDisk { () throws(DiskError) in try Self.beginning(of: file, on: disk) }
        let header: SegmentHeader
        do throws(SegmentHeader.Fault) {
            header = try bytes.withUnsafeBufferPointer { (raw) throws(SegmentHeader.Fault) in
                try SegmentHeader(UnsafeRawBufferPointer(raw))
            }
        } catch {
            if case .newerVersion(let version) = error { throw .newerFormat(file: file, version: version) }
            // Commits are written only after the header is durable, so a file that has none never held a commit.
            if isLast, size <= SegmentHeader.size {
                guard first == endPosition else {
                    throw .damaged(
                        Damage(file, "this segment was begun, but what is in front of it ends at \(endPosition)"))
                }
                unfinished = (file, size)
                return
            }
            throw .damaged(Damage(file, at: 0, error.sentence))
        }
        guard header.firstPosition == first else {
            throw .damaged(
                Damage(
                    file, at: 32, "the header says position \(header.firstPosition), as if the file had been renamed"))
        }
        try join(Segment(path: file, header: header, fileSize: size))
    }

    private mutating func join(_ segment: Segment) throws(JournalError) {
        let first = segment.header.firstPosition
        if let identity, identity != segment.header.identity {
            throw .damaged(Damage(segment.path, at: 16, "the segment belongs to another log"))
        }
        if !segments.isEmpty, isSealed != segment.header.isSealed {
            throw .damaged(Damage(segment.path, at: 8, "the segment has seals and the log has none, or the other way"))
        }
        if first > endPosition {
            let missing = DiskPath.join(path, LogFile.segment(endPosition))
            throw .damaged(
                Damage(
                    missing,
                    "the log is missing \(first - endPosition) bytes from position \(endPosition); the next file is \(DiskPath.name(of: segment.path))"
                ))
        }
        if first < endPosition {
            throw .damaged(Damage(segment.path, "the segment begins before the one in front of it ends"))
        }
        segments.append(segment)
    }

    /// Whether a log has seals, as its first segment says; one whose header cannot be read may.
    static func isSealed(_ path: String, on disk: any Disk) throws(DiskError) -> Bool {
        guard let first = try disk.list(path).compactMap(LogFile.firstPosition).min() else { return false }
        let (bytes, _) = try beginning(of: DiskPath.join(path, LogFile.segment(first)), on: disk)
        return bytes.withUnsafeBytes { try? SegmentHeader($0) }?.isSealed ?? true
    }

    private static func beginning(of path: String, on disk: any Disk) throws(DiskError) -> ([UInt8], Int) {
        let file = try disk.open(path, .read)
        defer { disk.close(file) }
        let size = try disk.size(of: file)
        var bytes = [UInt8](repeating: 0, count: min(size, SegmentHeader.size))
        let read = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
            try disk.readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
        bytes.removeLast(bytes.count - read)
        return (bytes, size)
    }
}
