internal import Notices

/// Reads the commits of one segment file in order, through one buffer.
final class SegmentReader {
    private let disk: any Disk
    private let file: DiskFile
    private let firstPosition: UInt64
    private let sealer: (any FieldSealer)?
    /// How far the file is read; a writer may be adding to it.
    private(set) var fileEnd: Int
    private var buffer: UnsafeMutableRawBufferPointer
    /// The part of the file that the buffer holds.
    private var held: Range<Int> = 0..<0

    /// Where in the file the next frame begins.
    private(set) var offset: Int

    init(
        disk: any Disk, file: DiskFile, firstPosition: UInt64, fileEnd: Int, sealer: (any FieldSealer)? = nil,
        bufferSize: Int = 1 << 20
    ) {
        self.sealer = sealer
        self.disk = disk
        self.file = file
        self.firstPosition = firstPosition
        self.fileEnd = fileEnd
        buffer = .allocate(byteCount: bufferSize, alignment: 16)
        offset = SegmentHeader.size
    }

    deinit { buffer.deallocate() }

    var position: UInt64 { firstPosition + UInt64(offset - SegmentHeader.size) }

    /// The file is whole up to here by now.
    func extend(to end: Int) { fileEnd = max(fileEnd, end) }

    func seek(to position: UInt64) {
        offset = SegmentHeader.size + Int(position - firstPosition)
    }

    /// The next commit, `nil` at the end of the file, or what is wrong with the bytes there.
    ///
    /// Checks everything a frame says of itself; how it continues the chain is `Chain`'s to check.
    func next() throws(JournalError) -> FrameRead? {
        guard offset < fileEnd else { return nil }
        let available = fileEnd - offset
        guard available >= FrameHeader.size else { return .fault(.incomplete) }
        let head = try bytes(FrameHeader.size)
        guard let header = FrameHeader(head) else { return .fault(.noFrame) }
        guard header.frameLength <= available else { return .fault(.incomplete) }
        guard header.position == position else { return .fault(.wrongPosition(header.position)) }
        let whole = try bytes(header.frameLength)
        guard FrameHeader.checksum(of: whole) == header.checksum else { return .fault(.badChecksum) }
        offset += header.frameLength
        return .frame(
            Frame(
                position: header.position, firstSeq: header.firstSeq, at: header.at,
                body: whole.piece(FrameHeader.size, header.bodyLength), bytes: whole,
                durableBefore: header.durableBefore, sealer: sealer, previousHash: header.previousHash))
    }

    /// `count` bytes of the file from `offset` on; the caller knows that they are there.
    private func bytes(_ count: Int) throws(JournalError) -> UnsafeRawBufferPointer {
        if held.lowerBound > offset || held.upperBound < offset + count { try fill(count) }
        return UnsafeRawBufferPointer(rebasing: buffer[(offset - held.lowerBound)..<(offset - held.lowerBound + count)])
    }

    private func fill(_ count: Int) throws(JournalError) {
        if count > buffer.count { grow(to: count * 2) }
        try hold(from: offset, buffer.count)
        guard held.upperBound >= offset + count else {
            throw .damaged(Damage(file.path, at: held.upperBound, "the file ends before its size says"))
        }
    }

    /// Whether the beginning of the next frame is in the buffer already.
    var holdsNext: Bool { held.contains(offset) }

    /// Reads `count` bytes at once, so many of them in front of the next frame.
    func hold(_ count: Int, behind: Int) throws(JournalError) {
        if count > buffer.count { grow(to: count) }
        try hold(from: max(SegmentHeader.size, offset - behind), count)
    }

    private func hold(from start: Int, _ count: Int) throws(JournalError) {
        let wanted = min(count, max(fileEnd - start, 0))
        held = 0..<0
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        let read = try onDisk { () throws(DiskError) in try disk.readAll(file, into: target, at: start) }
        held = start..<(start + read)
    }

    private func grow(to count: Int) {
        buffer.deallocate()
        buffer = .allocate(byteCount: count, alignment: 16)
        held = 0..<0
    }
}
