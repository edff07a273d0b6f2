internal import Notices

/// A snapshot opened for reading. Several threads may read its sections at once.
///
/// Whatever is wrong with it, the answer is `nil`: a snapshot that cannot be believed costs time and nothing else.
public final class SnapshotReader: Sendable {
    public struct Section: Sendable, Equatable {
        public let tag: UInt32
        public let size: Int
        fileprivate let checksum: UInt32
        fileprivate let offset: Int
    }

    public let head: LogHead
    /// In the order of the file.
    public let sections: [Section]
    private let disk: any Disk
    private let file: DiskFile
    /// `nil` where it lies in the clear.
    private let seal: SnapshotSeal?

    /// `nil` where there is none of this kind and version, of this log, that is whole as far as its outline shows.
    /// - Parameter seals: those of the log, where whoever reads holds them.
    public init?(
        _ kind: SnapshotKind, of identity: LogIdentity, in directory: String, on disk: any Disk,
        under seals: (any LogSeals)? = nil
    ) throws(DiskError) {
        let path = DiskPath.join(directory, kind.fileName)
        guard let status = try disk.status(of: path), status.kind == .file, status.size >= SnapshotHeader.size else {
            return nil
        }
        let file = try disk.open(path, .read)
        do throws(DiskError) {
            let header = try Self.bytes(SnapshotHeader.size, at: 0, of: file, disk, nil)
            let key = (seals ?? disk.keys?.opened(in: directory))?.snapshotKey
            guard let head = header.withUnsafeBytes({ SnapshotHeader.head($0, kind, identity) }) else {
                disk.close(file)
                return nil
            }
            let number = header.withUnsafeBytes { SnapshotHeader.seal($0) }
            let seal = key.map { SnapshotSeal($0, kind, head, number: number) }
            guard (number == 0) == (key == nil), let sections = try Self.outline(of: file, disk, seal) else {
                disk.close(file)
                return nil
            }
            self.seal = seal
            self.head = head
            self.sections = sections
            self.disk = disk
            self.file = file
        } catch {
            disk.close(file)
            throw error
        }
    }

    deinit { disk.close(file) }

    /// Whether what lies behind the header can be told under the log's keys as they are now, as far as the first bytes of a snapshot
    /// show: what conceals it is another's after an erasure.
    public static func opens(
        _ start: [UInt8], _ kind: SnapshotKind, of identity: LogIdentity, in directory: String, on disk: any Disk
    ) -> Bool {
        guard let head = kind.head(of: start, identity), start.count >= SnapshotHeader.size + 16 else { return false }
        let number = start.withUnsafeBytes { SnapshotHeader.seal($0) }
        let key = disk.keys?.opened(in: directory)?.snapshotKey
        guard (number == 0) == (key == nil) else { return false }
        var section = Array(start[SnapshotHeader.size...].prefix(16))
        return section.withUnsafeMutableBytes { bytes in
            if let key { SnapshotSeal(key, kind, head, number: number).apply(to: bytes, at: SnapshotHeader.size) }
            let outline = UnsafeRawBufferPointer(bytes)
            // No section has such a tag, or so many bytes.
            return outline.word(0, as: UInt32.self) < 1 << 8 && outline.word(8, as: UInt64.self) < 1 << 40
        }
    }

    /// Where each section lies, hopping from one header to the next.
    private static func outline(
        of file: DiskFile, _ disk: any Disk, _ seal: SnapshotSeal?
    ) throws(DiskError) -> [Section]? {
        let size = try disk.size(of: file)
        var sections: [Section] = []
        var at = SnapshotHeader.size
        while at < size {
            guard at + 16 <= size else { return nil }
            let header = try bytes(16, at: at, of: file, disk, seal)
            guard header.count == 16 else { return nil }
            let (tag, checksum, length) = header.withUnsafeBytes {
                ($0.word(0, as: UInt32.self), $0.word(4, as: UInt32.self), $0.word(8, as: UInt64.self))
            }
            guard length <= UInt64(size - at - 16) else { return nil }
            sections.append(Section(tag: tag, size: Int(length), checksum: checksum, offset: at + 16))
            at = (at + 16 + Int(length) + 7) & ~7
        }
        return sections
    }

    private static func bytes(
        _ count: Int, at offset: Int, of file: DiskFile, _ disk: any Disk, _ seal: SnapshotSeal?
    ) throws(DiskError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            let read = try disk.readAll(file, into: raw, at: offset)
            seal?.apply(to: raw, at: offset)
            return read
        }
        bytes.removeLast(count - read)
        return bytes
    }

    // MARK: Sections

    /// Fills `buffer`, which has the section's size; `false` where its checksum does not hold.
    public func read(_ section: Section, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Bool {
        precondition(buffer.count == section.size, "a section of \(section.size) bytes into \(buffer.count)")
        let read = try disk.readAll(file, into: buffer, at: section.offset)
        seal?.apply(to: buffer, at: section.offset)
        return read == section.size && Checksum.of(UnsafeRawBufferPointer(buffer)) == section.checksum
    }

    /// Whether the checksums of all that is in it hold.
    public func isWhole() throws(DiskError) -> Bool {
        for section in sections {
            guard try holds(section) else { return false }
        }
        return true
    }

    /// Whether a section's checksum holds, read in pieces.
    func holds(_ section: Section) throws(DiskError) -> Bool {
        var checksum = Checksum()
        var at = 0
        while at < section.size {
            let piece = try Self.bytes(min(section.size - at, 1 << 20), at: section.offset + at, of: file, disk, seal)
            guard !piece.isEmpty else { return false }
            piece.withUnsafeBytes { checksum.add($0) }
            at += piece.count
        }
        return checksum.value == section.checksum
    }

    /// A part of a section that was found to hold.
    func bytes(of section: Section, _ range: Range<Int>) throws(DiskError) -> [UInt8] {
        try Self.bytes(range.count, at: section.offset + range.lowerBound, of: file, disk, seal)
    }

    /// The numbers in the section of a tag that comes but once.
    public func numbers<Element: FixedWidthInteger & BitwiseCopyable>(
        _ tag: UInt32, _ type: Element.Type = Element.self
    ) throws(DiskError) -> [Element]? {
        let stride = MemoryLayout<Element>.stride
        guard let section = sections.first(where: { $0.tag == tag }), section.size % stride == 0 else { return nil }
        var answer = Result<Bool, DiskError>.success(false)
        let elements = [Element](unsafeUninitializedCapacity: section.size / stride) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: section.size)
            do throws(DiskError) { answer = .success(try read(section, into: raw)) } catch { answer = .failure(error) }
            // Any bytes are numbers; those of a section that does not hold are thrown away below.
            if case .success(true) = answer { count = buffer.count }
        }
        return try answer.get() ? elements : nil
    }
}
