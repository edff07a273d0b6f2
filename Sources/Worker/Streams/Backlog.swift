public import Journal
internal import Notices
internal import Synchronization

extension EventHub {
    /// Behind which event the last `count` begin that a filter wants.
    ///
    /// One person's are found by their chain. Those of a type are looked for from the end back, a stretch at a time, and only
    /// so far: of a type that hardly ever comes there may be fewer.
    /// - Parameter isWanted: asked now and then; once nobody waits any more the answer is of no use.
    public func seq(
        beforeLast count: Int, of filter: EventFilter, isWanted: () -> Bool
    ) throws(JournalError) -> UInt64 {
        let durable = sources.durable()
        guard count > 0 else { return durable.lastSeq }
        if filter.user != nil { return try seq(beforeLast: count, ofOne: filter, durable, isWanted) }
        if filter.types.isEmpty { return durable.lastSeq - min(durable.lastSeq, UInt64(count)) }
        let log = try LogReader(sources.directory, on: sources.disk)
        var end = durable
        var found: [UInt64] = []
        while end.lastSeq > 0, found.count < count, isWanted(),
            durable.position - end.position < UInt64(limits.backlogBytesMax)
        {
            let near = state.withLock { $0.place(before: end.lastSeq) }
            let place =
                near.flatMap { $0.head.position < end.position ? $0 : nil } ?? log.tailPlace(before: end.lastSeq)
            let tail = TailReader(sources.directory, on: sources.disk, from: place)
            found = try tail.numbers(of: filter.types, last: count - found.count, through: end, isWanted) + found
            end = place.head
        }
        return found.first.map { $0 - 1 } ?? (end.lastSeq == 0 ? 0 : durable.lastSeq)
    }

    private func seq(
        beforeLast count: Int, ofOne filter: EventFilter, _ durable: LogHead, _ isWanted: () -> Bool
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
                let events = try trail.events(at: position).filter { filter.wants(type: $0.payload.type.number) }
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
        of types: Set<Int>, last count: Int, through end: LogHead, _ isWanted: () -> Bool
    ) throws(JournalError) -> [UInt64] {
        var found: [UInt64] = []
        while head.position < end.position, isWanted(), let frame = try next(through: end.position) {
            var body = CommitBody(frame)
            var events = 0
            do throws(WireError) {
                while let item = try body.next() {
                    guard case .event(let raw) = item else { continue }
                    events += 1
                    if types.contains(raw.typeNumber) { found.append(raw.seq) }
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
