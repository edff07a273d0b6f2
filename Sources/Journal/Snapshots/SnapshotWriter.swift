internal import Notices

/// Writes a snapshot beside the log: a draft, synced and then renamed, so that a crash at any moment leaves the old one
/// or the new one. If it is given up, by an error or because the writer is released, no draft is left.
public final class SnapshotWriter {
    private let path: String
    private let draft: String
    private let disk: any Disk
    private let file: DiskFile
    /// `nil` where snapshots of this log lie in the clear.
    private let seal: SnapshotSeal?
    private var isFinished = false
    public private(set) var size = 0
    private let sizeMax: Int

    /// What is left free for the log, without which its worker stops. Where there is less than twice as much, half of it.
    static let bytesLeftFree = 64 << 20

    /// Refused where the log has seals and nobody has opened them, or they were let go: it would lie in the clear.
    ///
    /// - Parameter draftSuffix: who writes, where several may: no two may write the same draft.
    public convenience init(
        _ kind: SnapshotKind, at head: LogHead, of identity: LogIdentity, in directory: String, on disk: any Disk,
        draftSuffix: String = ""
    ) throws(DiskError) {
        let seals = disk.keys?.opened(in: directory)
        if seals == nil, try LogDirectory.isSealed(directory, on: disk) {
            throw DiskError(.write, DiskPath.join(directory, kind.fileName), ErrorCode.noKey)
        }
        try self.init(kind, at: head, of: identity, in: directory, on: disk, under: seals, draftSuffix: draftSuffix)
    }

    /// - Parameter seals: those of the log; `nil` where it has none.
    init(
        _ kind: SnapshotKind, at head: LogHead, of identity: LogIdentity, in directory: String, on disk: any Disk,
        under seals: (any LogSeals)?, draftSuffix: String
    ) throws(DiskError) {
        path = DiskPath.join(directory, kind.fileName)
        draft = path + draftSuffix + LogFile.temporarySuffix
        self.disk = disk
        seal = seals?.snapshotKey.map { SnapshotSeal($0, kind, head) }
        file = try disk.openDraft(draft)
        let free = (try? disk.freeSpace(at: directory)) ?? .max
        sizeMax = max(free / 2, free - Self.bytesLeftFree)
        var header = ByteBuffer()
        SnapshotHeader.write(kind, head, identity, seal: seal, into: &header)
        try write(header.bytes)
    }

    deinit {
        disk.close(file)
        if !isFinished { try? disk.remove(draft) }
    }

    public func section(_ tag: UInt32, _ bytes: UnsafeRawBufferPointer) throws(DiskError) {
        var header = ByteBuffer()
        header.appendLittleEndian(tag)
        header.appendLittleEndian(Checksum.of(bytes))
        header.appendLittleEndian(UInt64(bytes.count))
        try put(header.bytes)
        try put(bytes)
        // The next section begins at a multiple of 8.
        size = (size + 7) & ~7
    }

    public func section<Element: FixedWidthInteger>(
        _ tag: UInt32, _ elements: [Element]
    ) throws(DiskError) {
        try elements.withUnsafeBufferPointer { (buffer) throws(DiskError) in
            try section(tag, UnsafeRawBufferPointer(buffer))
        }
    }

    /// Makes it durable under its name.
    public func finish() throws(DiskError) {
        // The padding of the last section too.
        try disk.truncate(file, to: size)
        try disk.syncData(file)
        try disk.rename(draft, to: path)
        isFinished = true
        try disk.syncDirectory(DiskPath.parent(of: path))
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
        guard let seal else { return try write(bytes) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(SnapshotSeal.pieceBytes))
            let sealed = seal.applied(to: piece, at: size)
            try sealed.withUnsafeBufferPointer { (sealed) throws(DiskError) in
                try write(UnsafeRawBufferPointer(sealed))
            }
            rest = rest.dropFirst(piece.count)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
        guard bytes.count <= sizeMax - size else { throw DiskError(.write, draft, ErrorCode.noSpace) }
        try disk.writeAll(file, bytes, at: size)
        size += bytes.count
    }
}
