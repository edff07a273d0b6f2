internal import Hashing
internal import CivilTime
internal import Notices

/// What a section of a snapshot holds.
enum SnapshotTag: UInt32 {
    case peopleText = 1
    case peopleStarts = 2
    case peopleLastCommits = 3
    case factIDCounts = 4
    case factIDEntries = 5
    case generalCommits = 6
}

/// A fold of the log at some place, kept beside it so that opening need not read from the beginning.
///
/// Disposable: one that is missing, torn, of another log or of another version is passed over. It is believed only
/// when its own checksums hold and the chain it was taken from is the chain that is there.
enum SnapshotFile {
    static let magic: UInt64 = 0x0A50_4E53_4C45_42FF
    static let version: UInt32 = 2
    static let headerSize = 104

    // MARK: Writing

    static func write(_ index: LogIndex, _ identity: LogIdentity, to path: String, on disk: any Disk) throws(DiskError)
    {
        let draft = path + LogFile.temporarySuffix
        let file = try disk.open(draft, .createOrOpen)
        do throws(DiskError) {
            try fill(file, index, identity, disk)
        } catch {
            disk.close(file)
            try? disk.remove(draft)
            throw error
        }
        disk.close(file)
        do throws(DiskError) { try disk.rename(draft, to: path) } catch {
            try? disk.remove(draft)
            throw error
        }
        try disk.syncDirectory(DiskPath.parent(of: path))
    }

    private static func fill(
        _ file: DiskFile, _ index: LogIndex, _ identity: LogIdentity, _ disk: any Disk
    ) throws(DiskError) {
        try disk.truncate(file, to: 0)
        var writer = SectionWriter(disk: disk, file: file)
        try writer.header(index.head, identity)
        for tag in People.sections {
            try index.people.write(tag) { (bytes) throws(DiskError) in try writer.section(tag, bytes) }
        }
        try index.generalCommits.withUnsafeBufferPointer { (bytes) throws(DiskError) in
            try writer.section(.generalCommits, UnsafeRawBufferPointer(bytes))
        }
        let ids = index.factIDs.entries()
        try ids.counts.withUnsafeBufferPointer { (bytes) throws(DiskError) in
            try writer.section(.factIDCounts, UnsafeRawBufferPointer(bytes))
        }
        try ids.entries.withUnsafeBufferPointer { (bytes) throws(DiskError) in
            try writer.section(.factIDEntries, UnsafeRawBufferPointer(bytes))
        }
        try disk.syncData(file)
    }

    private struct SectionWriter {
        let disk: any Disk
        let file: DiskFile
        var offset = 0

        init(disk: any Disk, file: DiskFile) {
            self.disk = disk
            self.file = file
        }

        mutating func header(_ head: LogHead, _ identity: LogIdentity) throws(DiskError) {
            var buffer = ByteBuffer()
            buffer.appendLittleEndian(SnapshotFile.magic)
            buffer.appendLittleEndian(SnapshotFile.version)
            buffer.appendLittleEndian(UInt32(SnapshotFile.headerSize))
            buffer.appendLittleEndian(identity.words.0)
            buffer.appendLittleEndian(identity.words.1)
            buffer.appendLittleEndian(head.position)
            buffer.appendLittleEndian(head.lastSeq)
            buffer.appendLittleEndian(head.at.milliseconds)
            head.hash.withBytes { buffer.append($0) }
            buffer.appendLittleEndian(UInt64(0))
            buffer.appendLittleEndian(Checksum.of(buffer.bytes))
            buffer.appendLittleEndian(UInt32(0))
            try put(buffer.bytes)
        }

        mutating func section(_ tag: SnapshotTag, _ bytes: UnsafeRawBufferPointer) throws(DiskError) {
            var buffer = ByteBuffer()
            buffer.appendLittleEndian(tag.rawValue)
            buffer.appendLittleEndian(Checksum.of(bytes))
            buffer.appendLittleEndian(UInt64(bytes.count))
            try put(buffer.bytes)
            try put(bytes)
            // The next section begins at a multiple of 8.
            offset = (offset + 7) & ~7
        }

        private mutating func put(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
            try disk.writeAll(file, bytes, at: offset)
            offset += bytes.count
        }
    }

    // MARK: Reading

    /// The index, or `nil` where there is none to believe.
    static func read(
        _ path: String, _ identity: LogIdentity, keepsFactIDs: Bool, on disk: any Disk
    ) throws(DiskError) -> LogIndex? {
        guard let status = try disk.status(of: path), status.kind == .file, status.size >= headerSize else {
            return nil
        }
        let file = try disk.open(path, .read)
        defer { disk.close(file) }
        var reader = SectionReader(disk: disk, file: file, size: status.size)
        guard let head = try reader.header(identity) else { return nil }
        guard let text: [UInt8] = try reader.section(.peopleText),
            let starts: [UInt64] = try reader.section(.peopleStarts),
            let lastCommits: [UInt64] = try reader.section(.peopleLastCommits),
            lastCommits.allSatisfy({ $0 <= head.position }),
            let people = People(identity, text: text, starts: starts, lastCommits: lastCommits),
            let general: [UInt64] = try reader.section(.generalCommits),
            general.allSatisfy({ $0 < head.position })
        else { return nil }
        var index = LogIndex(identity, keepsFactIDs: keepsFactIDs)
        index.head = head
        index.people = people
        index.generalCommits = general
        guard keepsFactIDs else { return index }
        guard let counts: [UInt32] = try reader.section(.factIDCounts),
            let entries: [UInt64] = try reader.section(.factIDEntries),
            let factIDs = FactIDs(identity, counts: counts, entries: entries)
        else { return nil }
        index.factIDs = factIDs
        return index
    }

    private struct SectionReader {
        let disk: any Disk
        let file: DiskFile
        let size: Int
        var offset = 0

        init(disk: any Disk, file: DiskFile, size: Int) {
            self.disk = disk
            self.file = file
            self.size = size
        }

        mutating func header(_ identity: LogIdentity) throws(DiskError) -> LogHead? {
            guard let bytes: [UInt8] = try take(SnapshotFile.headerSize) else { return nil }
            return bytes.withUnsafeBytes { raw -> LogHead? in
                guard raw.word(0, as: UInt64.self) == SnapshotFile.magic,
                    raw.word(8, as: UInt32.self) == SnapshotFile.version,
                    raw.word(96, as: UInt32.self) == Checksum.of(raw.piece(0, 96)),
                    LogIdentity(words: (raw.word(16), raw.word(24))) == identity, let start = raw.baseAddress
                else { return nil }
                return LogHead(
                    position: raw.word(32), lastSeq: raw.word(40), at: Instant(milliseconds: raw.word(48)),
                    hash: Digest(at: start + 56))
            }
        }

        mutating func section<Element: FixedWidthInteger>(_ tag: SnapshotTag) throws(DiskError) -> [Element]? {
            guard let header: [UInt8] = try take(16) else { return nil }
            let (found, checksum, length) = header.withUnsafeBytes {
                ($0.word(0, as: UInt32.self), $0.word(4, as: UInt32.self), $0.word(8, as: UInt64.self))
            }
            guard found == tag.rawValue, length <= UInt64(size - offset),
                length % UInt64(MemoryLayout<Element>.size) == 0,
                let elements: [Element] = try take(Int(length) / MemoryLayout<Element>.size)
            else { return nil }
            offset = (offset + 7) & ~7
            return elements.withUnsafeBytes { Checksum.of($0) } == checksum ? elements : nil
        }

        private mutating func take<Element: FixedWidthInteger>(_ count: Int) throws(DiskError) -> [Element]? {
            guard offset + count * MemoryLayout<Element>.size <= size else { return nil }
            var elements = [Element](repeating: 0, count: count)
            let read = try elements.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
                try disk.readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            }
            guard read == count * MemoryLayout<Element>.size else { return nil }
            offset += read
            return elements
        }
    }
}
