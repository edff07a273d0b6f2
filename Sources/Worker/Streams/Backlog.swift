public import Journal
internal import Notices
internal import Synchronization

extension EventHub {
    /// Behind which event the last `count` begin that a filter wants.
    ///
    /// One person's are found by their chain. Those of a type are looked for from the end back, a stretch at a time, and only
    /// so far: of a type that hardly ever comes there may be fewer.
    /// - Parameters:
    ///   - through: the last event that is looked at; `nil` for the end of the log.
    ///   - isWanted: asked now and then; once nobody waits any more the answer is of no use.
    public func seq(
        beforeLast count: Int, of filter: EventFilter, through: UInt64? = nil, isWanted: () -> Bool
    ) throws(JournalError) -> UInt64 {
        let durable = sources.durable()
        let newest = min(through ?? .max, durable.lastSeq)
        guard count > 0, newest > 0 else { return newest }
        if filter.user != nil { return try seq(beforeLast: count, ofOne: filter, newest, durable, isWanted) }
        if filter.types.isEmpty { return newest - min(newest, UInt64(count)) }
        let log = try LogReader(sources.directory, on: sources.disk)
        var (end, top) = (durable, durable.position)
        var found: [UInt64] = []
        while end.lastSeq > 0, found.count < count, isWanted(),
            top - end.position < UInt64(limits.backlogBytesMax)
        {
            let last = min(end.lastSeq, newest)
            let near = state.withLock { $0.place(before: last) }
            let place = near.flatMap { $0.head.position < end.position ? $0 : nil } ?? log.tailPlace(before: last)
            let tail = TailReader(sources.directory, on: sources.disk, from: place)
            found =
                try tail.numbers(of: filter.types, last: count - found.count, upTo: newest, through: end, isWanted)
                + found
            // What lies behind the newest that is wanted was not searched.
            if end.lastSeq > newest { top = place.head.position }
            end = place.head
        }
        return found.first.map { $0 - 1 } ?? (end.lastSeq == 0 ? 0 : durable.lastSeq)
    }

    private func seq(
        beforeLast count: Int, ofOne filter: EventFilter, _ last: UInt64, _ durable: LogHead, _ isWanted: () -> Bool
    ) throws(JournalError) -> UInt64 {
        guard let user = filter.user, let answer = sources.place(user, filter.number), let place = answer else {
            return durable.lastSeq
        }
        let trail = place.trail(in: try LogReader(sources.directory, on: sources.disk))
        var found: [UInt64] = []
        var (looked, next) = (0, Optional(place.lastCommit))
        // Every commit of theirs has an event about them, but not of every type.
        while let position = next, found.count < count, looked < Self.backlogCommitsMax, isWanted() {
            let newest = try trail.newestCommits(min(count, 256), from: position)
            for position in newest.positions where found.count < count {
                let events = try trail.events(at: position)
                    .filter { $0.seq <= last && filter.wants(type: $0.payload.type.number) }
                found += events.reversed().map(\.seq)
            }
            looked += newest.positions.count
            next = newest.next
        }
        return found.prefix(count).last.map { $0 - 1 } ?? durable.lastSeq
    }

    /// As many of one person's commits are looked through.
    private static let backlogCommitsMax = 16_384
}

extension TailReader {
    /// The numbers of the last events of some types, oldest first.
    fileprivate func numbers(
        of types: Set<Int>, last count: Int, upTo newest: UInt64, through end: LogHead, _ isWanted: () -> Bool
    ) throws(JournalError) -> [UInt64] {
        var found: [UInt64] = []
        while head.position < end.position, head.lastSeq < newest, isWanted(),
            let frame = try next(through: end.position)
        {
            var body = CommitBody(frame)
            var events = 0
            do throws(WireError) {
                while let item = try body.next() {
                    guard case .event(let raw) = item else { continue }
                    events += 1
                    if types.contains(raw.typeNumber), raw.seq <= newest { found.append(raw.seq) }
                }
            } catch {
                throw .damaged(Damage("the log", "position \(frame.position): \(error)"))
            }
            try took(events: events)
            if found.count > 4 * count { found.removeFirst(found.count - count) }
        }
        return Array(found.suffix(count))
    }
}
