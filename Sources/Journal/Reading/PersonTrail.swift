public import CivilTime
public import Notices

/// One person's events, found by following their own back-pointers instead of reading everybody's.
public struct PersonTrail {
    private let log: LogReader
    private let reader: CommitReader
    private let user: String
    /// The log's number for them.
    public let person: UInt32
    private let lastCommit: UInt64?
    private let general: [UInt64]

    /// `nil` for someone the log has never met.
    public init?(_ log: LogReader, _ index: LogIndex, user: String) {
        guard let number = index.people.number(of: user) else { return nil }
        self.init(
            log, user: user, number: number, lastCommit: index.people.lastCommit(of: number),
            generalCommits: index.generalCommits)
    }

    /// For whoever knows where the trail ends, and so needs no index of everybody.
    ///
    /// - Parameters:
    ///   - lastCommit: the last commit about the person that is wanted; `nil` where there is none.
    ///   - generalCommits: those about nobody in particular.
    public init(_ log: LogReader, user: String, number: UInt32, lastCommit: UInt64?, generalCommits: [UInt64]) {
        self.log = log
        reader = log.commitReader
        self.user = user
        self.lastCommit = lastCommit
        person = number
        general = generalCommits
    }

    /// The positions of the commits about the person, oldest first, none that lies wholly before `instant` or `seq`.
    ///
    /// - Parameter isWanted: asked now and then, because the way may be long. Once nobody wants them any more, what is given
    ///   is of no use.
    public func commits(
        from instant: Instant? = nil, seq: UInt64? = nil, isWanted: () -> Bool = { true }
    ) throws(JournalError) -> [UInt64] {
        var positions: [UInt64] = []
        var next = lastCommit
        while let position = next, isWanted() {
            let link = try link(at: position)
            if let instant, link.at < instant { break }
            positions.append(position)
            if let seq, link.firstSeq <= seq { break }
            next = try before(position, link)
        }
        return positions.reversed()
    }

    /// Of the commits that hold what came after event `seq`, the first so many, oldest first, and whether that is all.
    ///
    /// The way back is as long as what came since, and no more of it is kept than is given.
    public func commits(
        after seq: UInt64, atMost count: Int, isWanted: () -> Bool = { true }
    ) throws(JournalError) -> (positions: [UInt64], isAll: Bool) {
        var positions: [UInt64] = []
        var (isAll, next) = (true, lastCommit)
        while let position = next, isWanted() {
            let link = try link(at: position)
            positions.append(position)
            if positions.count >= 2 * count {
                positions.removeFirst(positions.count - count)
                isAll = false
            }
            if link.firstSeq <= seq + 1 { break }
            next = try before(position, link)
        }
        if positions.count > count {
            positions.removeFirst(positions.count - count)
            isAll = false
        }
        return (positions.reversed(), isAll)
    }

    /// The newest commits about the person, newest first, from `position` on or from the last; and where the next one is.
    public func newestCommits(
        _ count: Int, from position: UInt64? = nil
    ) throws(JournalError) -> (positions: [UInt64], next: UInt64?) {
        var positions: [UInt64] = []
        var next = position ?? lastCommit
        while let position = next, positions.count < count {
            positions.append(position)
            next = try before(position, link(at: position))
        }
        return (positions, next)
    }

    private func before(_ position: UInt64, _ link: Link) throws(JournalError) -> UInt64? {
        guard link.previous.map({ $0 < position }) ?? true else {
            throw .damaged(Damage(log.directory, "the commit at position \(position) points forward"))
        }
        return link.previous
    }

    /// Everything that made the person's state: their own commits and those about nobody in particular, oldest first.
    public func wholeStory(isWanted: () -> Bool = { true }) throws(JournalError) -> [UInt64] {
        let own = try commits(isWanted: isWanted)
        return general.isEmpty ? own : Set(own).union(general).sorted()
    }

    /// The person's events in the commit at `position`, and those about nobody in particular.
    public func storyEvents(at position: UInt64) throws(JournalError) -> [Event] {
        try events(at: position, andGeneral: true)
    }

    /// The person's events in the commit at `position`.
    public func events(at position: UInt64) throws(JournalError) -> [Event] {
        try events(at: position, andGeneral: false)
    }

    private func events(at position: UInt64, andGeneral: Bool) throws(JournalError) -> [Event] {
        try reader.withCommit(at: position) { (frame) throws(JournalError) in
            // Nobody else's events are decoded, so no other name is asked for.
            var decoder = EventDecoder(People(.none), after: Int(UInt32.max))
            do throws(CommitFault) {
                return try decoder.events(
                    of: frame, about: person, andGeneral: andGeneral, naming: { $0 == person ? user : nil }
                ).events
            } catch {
                if let failure = frame.opener?.it.failure { throw .keys(failure) }
                throw .damaged(Damage(log.directory, "position \(position): \(error.problem)"))
            }
        }
    }

    private struct Link {
        var at: Instant
        var firstSeq: UInt64
        var previous: UInt64?
    }

    private func link(at position: UInt64) throws(JournalError) -> Link {
        try reader.withCommit(at: position) { (frame) throws(JournalError) -> Link in
            Link(at: frame.at, firstSeq: frame.firstSeq, previous: try previous(in: frame))
        }
    }

    /// The pointer on the person's first event in the commit.
    private func previous(in frame: Frame) throws(JournalError) -> UInt64? {
        var body = CommitBody(frame)
        do throws(WireError) {
            while let item = try body.next() {
                if case .event(let event) = item, event.person == person { return event.previous }
            }
        } catch {
            throw .damaged(Damage(log.directory, "position \(frame.position): \(error)"))
        }
        throw .damaged(
            Damage(log.directory, "the commit at position \(frame.position) is not about the person it should be"))
    }
}
