internal import CivilTime
internal import Notices

/// Reads single commits by their positions, for whoever follows pointers.
///
/// The segment that was read last stays open, and where one commit lies near the one before it more is read at once: a
/// story of 100,000 commits is not 100,000 times a file to open.
final class CommitReader {
    private let log: LogDirectory
    private let sealer: (any FieldSealer)?
    private var opened: Opened?
    /// How much is read at once. It grows as long as the next commit lies within it.
    private var window = CommitReader.windowLeast
    private var lastPosition: UInt64?

    private static let windowLeast = 16 << 10
    private static let windowMost = 256 << 10

    private struct Opened {
        let place: Int
        let file: DiskFile
        let reader: SegmentReader
    }

    init(_ log: LogDirectory) {
        self.log = log
        sealer = log.sealer
    }

    deinit {
        if let opened { log.disk.close(opened.file) }
    }

    /// Gives the commit that begins at `position` to `body`; the bytes are good for as long as that runs.
    func withCommit<Result>(
        at position: UInt64, _ body: (Frame) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        guard let place = log.segment(holding: position) else {
            throw .damaged(Damage(log.path, "no segment holds position \(position)"))
        }
        let reader = try reader(of: place)
        reader.seek(to: position)
        try lookAround(position, reader)
        guard case .frame(let frame)? = try reader.next() else {
            throw .damaged(
                Damage(log.segments[place].path, at: reader.offset, "no whole commit begins at position \(position)"))
        }
        return try body(frame)
    }

    private func reader(of place: Int) throws(JournalError) -> SegmentReader {
        if let opened, opened.place == place { return opened.reader }
        if let opened { log.disk.close(opened.file) }
        opened = nil
        let segment = log.segments[place]
        let file = try onDisk { () throws(DiskError) in try log.disk.open(segment.path, .read) }
        let reader = SegmentReader(
            disk: log.disk, file: file, firstPosition: segment.header.firstPosition, fileEnd: segment.fileSize,
            sealer: sealer, bufferSize: Self.windowLeast)
        opened = Opened(place: place, file: file, reader: reader)
        return reader
    }

    /// Reads what will be asked for next along with what is asked for now, before it or behind it.
    private func lookAround(_ position: UInt64, _ reader: SegmentReader) throws(JournalError) {
        defer { lastPosition = position }
        guard !reader.holdsNext else { return }
        let last = lastPosition ?? position
        let isBackward = position < last
        let isNear = lastPosition != nil && (isBackward ? last - position : position - last) <= UInt64(window)
        window = isNear ? min(window * 2, Self.windowMost) : Self.windowLeast
        try reader.hold(window, behind: isBackward ? window - Self.windowLeast : 0)
    }
}

extension CommitReader {
    /// Before which week the log says that texts are erased; `nil` where it says so of none.
    ///
    /// - Parameters:
    ///   - positions: of the commits about nobody in particular.
    ///   - instant: what was recorded before it is not asked.
    func lastTextsErased(in positions: [UInt64], saidSince instant: Instant) throws(JournalError) -> TextWeek? {
        for position in positions.reversed() {
            let (at, found) = try withCommit(at: position) { (frame) throws(JournalError) in
                let weeks = CommitBody.payloads(aboutNobodyIn: frame).compactMap { _, payload in
                    if case .textsErased(let erased) = payload { TextWeek(of: erased.before) } else { nil }
                }
                return (frame.at, weeks.last)
            }
            // The next says no less.
            if let found { return found }
            if at < instant { return nil }
        }
        return nil
    }
}
