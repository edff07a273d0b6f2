public import Notices

/// A place in a log from which reading can continue without listing its files.
public struct TailPlace: Sendable, Equatable {
    /// Where the next commit begins.
    public var head: LogHead
    /// The first position of the segment that this lies in, which is also the file's name.
    var segment: UInt64
}

/// Reads a growing log commit by commit, from one durable position to the next.
///
/// It lists no directory and keeps one file open: a segment is named after the position where the one before it ends.
/// It is told how far the log is durable and never reads beyond that, so it never sees a write that is still under
/// way.
public final class TailReader {
    private let directory: String
    private let disk: any Disk
    private var chain: Chain
    private var segment: UInt64
    private var opened: (file: DiskFile, reader: SegmentReader)?
    /// How many events the commit given last has is known once the next is asked for.
    private var given: Frame?
    private let bufferSize: Int
    private var seals: (any LogSeals)?

    /// - Parameter seals: those of the log, where whoever reads holds them. The process may open newer ones, and let them go.
    public init(
        _ directory: String, on disk: any Disk, from place: TailPlace, under seals: (any LogSeals)? = nil,
        bufferSize: Int = 256 << 10
    ) {
        self.directory = directory
        self.disk = disk
        self.bufferSize = bufferSize
        self.seals = seals ?? disk.keys?.opened(in: directory)
        segment = place.segment
        chain = Chain(from: place.head, hasher: nil)
    }

    deinit { close() }

    public var head: LogHead { chain.head }
    public var place: TailPlace { TailPlace(head: chain.head, segment: segment) }

    /// The next commit that ends at `limit` or before; `nil` where there is none. `took(events:)` must follow.
    ///
    /// - Parameter limit: up to where the log is durable, which is the end of a commit.
    public func next(through limit: UInt64) throws(JournalError) -> Frame? {
        precondition(given == nil, "took(events:) must follow every frame")
        while chain.head.position < limit {
            let reader = try reader(through: limit)
            switch try reader.next() {
            case .frame(let frame):
                given = frame
                return frame
            case .fault(let fault):
                throw .damaged(Damage(path, at: reader.offset, "\(fault)"))
            case nil:
                // The segment has no more, and the log has: the next one begins here.
                close()
                guard segment != chain.head.position else {
                    throw .damaged(Damage(path, "the segment ends before what was acknowledged"))
                }
                segment = chain.head.position
            }
        }
        return nil
    }

    public func took(events: Int) throws(JournalError) {
        guard let frame = given.take() else { preconditionFailure("no frame was given") }
        do throws(FrameFault) { try chain.take(frame, events: events) } catch {
            throw .damaged(Damage(path, at: Int(frame.position - segment) + SegmentHeader.size, "\(error)"))
        }
    }

    /// Gives the file up; reading on opens it again.
    public func close() {
        if let opened { disk.close(opened.file) }
        opened = nil
    }

    private var path: String { DiskPath.join(directory, LogFile.segment(segment)) }

    private func reader(through limit: UInt64) throws(JournalError) -> SegmentReader {
        let (file, known) = if let opened { (opened.file, opened.reader) } else { try open() }
        guard known.offset >= known.fileEnd else { return known }
        let size = try onDisk { () throws(DiskError) in try disk.size(of: file) }
        known.extend(to: min(size, SegmentHeader.size + Int(limit - segment)))
        return known
    }

    private func open() throws(JournalError) -> (DiskFile, SegmentReader) {
        let path = path
        let file = try onDisk { () throws(DiskError) in try disk.open(path, .read) }
        seals = disk.keys?.opened(in: directory) ?? seals
        do throws(JournalError) { try checkSeals(file) } catch {
            disk.close(file)
            throw error
        }
        let reader = SegmentReader(
            disk: disk, file: file, firstPosition: segment, fileEnd: 0, sealer: seals?.sealer(), bufferSize: bufferSize)
        reader.seek(to: chain.head.position)
        opened = (file, reader)
        return (file, reader)
    }

    /// What nobody can open looks as if it were erased. So it does to whoever reads without keys at all, and to nobody else.
    private func checkSeals(_ file: DiskFile) throws(JournalError) {
        guard seals == nil, disk.keys != nil else { return }
        var bytes = [UInt8](repeating: 0, count: SegmentHeader.size)
        _ = try onDisk { () throws(DiskError) in
            try bytes.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
                try disk.readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            }
        }
        guard bytes.withUnsafeBytes({ try? SegmentHeader($0) })?.isSealed ?? false else { return }
        throw .keys("what the log in \(directory) says of people is sealed, and its keys were let go of")
    }
}

extension TailReader {
    /// Reads past commits without decoding any event, up to `limit` or behind event `seq`. Tells each new person's id, and each
    /// person who was erased.
    ///
    /// - Parameter isWanted: asked now and then; once nobody wants it, it ends early.
    public func pass(
        through limit: UInt64, before seq: UInt64 = .max, isWanted: () -> Bool = { true },
        meeting: (RawPerson) throws(WireError) -> Void = { _ in }, parting: (UInt32) -> Void = { _ in }
    ) throws(JournalError) {
        while chain.head.lastSeq + 1 < seq, isWanted(), let frame = try next(through: limit) {
            var body = CommitBody(frame)
            var events: UInt64 = 0
            do throws(WireError) {
                while let item = try body.next() {
                    switch item {
                    case .newPerson(let person): try meeting(person)
                    case .event(let event):
                        events += 1
                        if let person = event.person, event.typeNumber == PersonErased.type.number { parting(person) }
                    }
                }
            } catch {
                throw .damaged(Damage(path, "position \(frame.position): \(error)"))
            }
            // The commit that holds what is looked for is to be read again, from its beginning.
            if frame.firstSeq + events > seq { return rewind() }
            try took(events: Int(events))
        }
    }

    private func rewind() {
        given = nil
        opened?.reader.seek(to: chain.head.position)
    }
}
