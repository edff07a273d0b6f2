internal import CivilTime
public import Notices

/// The events of a log in order, decoded.
public final class EventReader {
    private let scanner: LogScanner
    private var decoder: EventDecoder
    private let limit: UInt64
    private let peopleThrough: UInt64
    private var waiting: ArraySlice<Event> = []

    /// - Parameters:
    ///   - start: where to begin. Anywhere but at the beginning, `people` must know everyone met before, or the caller
    ///     knows the first `known` of them and names them to `tellCommit`.
    ///   - peopleThrough: where `people` were taken from, if that is further on.
    ///   - share: of whom alone is told, beside what is about everyone; commits may then be given without any event.
    ///   - limit: commits that end behind this position are left for later.
    ///   - checksHashes: whether the hash chain is checked as well (`G7`).
    public init(
        _ log: LogReader, from start: LogHead = .start, people: People? = nil, peopleThrough: UInt64 = 0,
        known: Int = 0, share: Share = .whole, limit: UInt64 = .max, checksHashes: Bool = false
    ) {
        scanner = log.scanner(from: start, checksHashes: checksHashes)
        decoder = EventDecoder(people ?? People(log.identity ?? .none), after: known, share: share)
        self.limit = limit
        self.peopleThrough = peopleThrough
    }

    public var head: LogHead { scanner.head }
    public var people: People { decoder.people }
    /// How many people the log has met so far.
    public var peopleMet: Int { decoder.met }
    public var tail: LogTail { scanner.tail }
    public var unknownTypes: Int { decoder.unknownTypes }

    public func next() throws(JournalError) -> Event? {
        while waiting.isEmpty {
            guard let commit = try nextCommit() else { return nil }
            waiting = commit[...]
        }
        return waiting.removeFirst()
    }

    /// The id of somebody met by this reader, not told by its caller.
    public func newcomer(_ number: Int) -> String? { decoder.newcomer(number) }

    /// Whom the events of the commit read last are about, by the numbers the log gives them; `nil` for nobody.
    public var subjects: [Int?] { decoder.subjects }

    /// One cause and everything decided because of it. Not to be mixed with `next()`.
    public func nextCommit() throws(JournalError) -> [Event]? {
        var events: [Event] = []
        let isThere = try read { (decoder, frame) throws(CommitFault) in
            let read = try decoder.events(of: frame)
            events = read.events
            return read.total
        }
        return isThere ? events : nil
    }

    /// The same, for those who keep no event: each is looked at where it lies, with the number of whom it is about. Returns
    /// whether there was a commit.
    /// - Parameters:
    ///   - name: gives the ids of those the caller knows; those of others it may.
    ///   - expect: is told whom the events are about before any of them is decoded.
    public func tellCommit(
        naming name: (Int) -> String?, expecting expect: ([Int?]) -> Void, _ take: (Event, Int?) -> Void
    ) throws(JournalError) -> Bool {
        try read { (decoder, frame) throws(CommitFault) in
            try decoder.tell(of: frame, naming: name, expecting: expect, take)
        }
    }

    /// - Parameter decode: returns how many events there are in a commit.
    private func read(
        _ decode: (inout EventDecoder, Frame) throws(CommitFault) -> Int
    ) throws(JournalError) -> Bool {
        guard scanner.head.position < limit, let frame = try scanner.next() else { return false }
        let total: Int
        decoder.isBehindPeople = frame.position < peopleThrough
        do throws(CommitFault) { total = try decode(&decoder, frame) } catch { throw scanner.damage(error.problem) }
        try scanner.took(events: total)
        return true
    }
}
