internal import CivilTime
internal import Dispatch
public import Hashing
public import Journal
public import Notices
internal import Synchronization

/// One event in its commit: after what caused it and before what followed (SPEC §1).
public struct EventOrigin: Sendable {
    public let event: Event
    /// The fact that it follows from; `nil` for a fact, and for what was decided because the time had come.
    public let cause: Event?
    /// What was decided because of it.
    public let consequences: [Event]
    /// Where the commit begins.
    public let position: UInt64
    public let first: UInt64
    public let last: UInt64
    /// What the chain of hashes comes to with this commit.
    public let head: Digest
}

extension EventHub {
    /// Finds an event that is durable; `nil` for one that the log does not have.
    public func origin(of seq: UInt64, isWanted: () -> Bool) throws(JournalError) -> EventOrigin? {
        let durable = sources.durable()
        guard seq >= 1, seq <= durable.lastSeq else { return nil }
        let log = try LogReader(sources.directory, on: sources.disk)
        let near = state.withLock { $0.place(before: seq) }
        let tail = TailReader(sources.directory, on: sources.disk, from: near ?? log.tailPlace(before: seq))
        try tail.pass(through: durable.position, before: seq, isWanted: isWanted)
        guard isWanted(), let frame = try tail.next(through: durable.position) else { return nil }
        guard let book = book(of: seq, isWanted) else { return nil }
        let events = try Self.events(of: frame, book)
        guard let place = events.firstIndex(where: { $0.seq == seq }) else { return nil }
        return EventOrigin(
            event: events[place], cause: Self.cause(of: place, in: events),
            consequences: Self.consequences(of: place, in: events), position: frame.position, first: frame.firstSeq,
            last: events.last?.seq ?? seq, head: ChainHasher().hash(frame.bytes))
    }

    /// Who the people are of whom the log speaks up to an event. The tail knows, once it is there.
    private func book(of seq: UInt64, _ isWanted: () -> Bool) -> NameBook? {
        let stream = follow(EventFilter(), as: .whole, after: seq - 1, through: seq)
        defer { stream.close() }
        let news = DispatchSemaphore(value: 0)
        stream.begin { news.signal() }
        while true {
            switch stream.next() {
            case .nothing:
                while news.wait(timeout: .now() + Self.glance) == .timedOut {
                    guard isWanted() else { return nil }
                }
            case .bytes, .events: continue
            case .end: return state.withLock { $0.book }
            }
        }
    }

    /// So often it is asked whether anybody waits still.
    private static let glance = DispatchTimeInterval.milliseconds(200)

    private static func events(of frame: Frame, _ book: NameBook) throws(JournalError) -> [Event] {
        var body = CommitBody(frame)
        var events: [Event] = []
        do {
            while let item = try body.next() {
                guard case .event(let raw) = item else { continue }
                if let event = try raw.event(about: raw.person.flatMap { book[Int($0)] }) { events.append(event) }
            }
        } catch {
            throw .damaged(Damage("the log", "position \(frame.position): \(error)"))
        }
        return events
    }

    /// The last fact in front of a decision, if what stands between the two follows from that fact as well.
    private static func cause(of place: Int, in events: [Event]) -> Event? {
        guard !events[place].isFact, let cause = events[..<place].last(where: \.isFact) else { return nil }
        return cause.user == nil || cause.user == events[place].user ? cause : nil
    }

    private static func consequences(of place: Int, in events: [Event]) -> [Event] {
        let cause = events[place]
        guard cause.isFact else { return [] }
        return Array(events[(place + 1)...].prefix { !$0.isFact && (cause.user == nil || $0.user == cause.user) })
    }
}
