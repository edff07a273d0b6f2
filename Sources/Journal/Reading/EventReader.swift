internal import CivilTime
package import Notices

/// The events of a log in order, decoded.
package final class EventReader {
    private let scanner: LogScanner
    private var decoder: EventDecoder
    private let limit: UInt64
    private var waiting: ArraySlice<Event> = []

    /// - Parameters:
    ///   - start: where to begin. Anywhere but at the beginning, `people` must know everyone met before.
    ///   - limit: commits that end behind this position are left for later.
    ///   - checksHashes: whether the hash chain is checked as well (`G7`).
    package init(
        _ log: LogReader, from start: LogHead = .start, people: People? = nil, limit: UInt64 = .max,
        checksHashes: Bool = false
    ) {
        scanner = log.scanner(from: start, checksHashes: checksHashes)
        decoder = EventDecoder(people ?? People(log.identity ?? .none))
        self.limit = limit
    }

    package var head: LogHead { scanner.head }
    package var people: People { decoder.people }
    package var tail: LogTail { scanner.tail }
    package var unknownTypes: Int { decoder.unknownTypes }

    package func next() throws(JournalError) -> Event? {
        while waiting.isEmpty {
            guard let commit = try nextCommit() else { return nil }
            waiting = commit[...]
        }
        return waiting.removeFirst()
    }

    /// One cause and everything decided because of it. Not to be mixed with `next()`.
    package func nextCommit() throws(JournalError) -> [Event]? {
        guard scanner.head.position < limit, let frame = try scanner.next() else { return nil }
        let read: (events: [Event], total: Int)
        do throws(CommitFault) { read = try decoder.events(of: frame) } catch {
            throw scanner.damage(error.problem)
        }
        try scanner.took(events: read.total)
        return read.events
    }
}
