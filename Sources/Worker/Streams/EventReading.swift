internal import Journal
internal import Notices
internal import Synchronization

/// How somebody who is behind goes through the log by themselves: a piece at a time, from where the last one ended.
///
/// Everybody's events are read one commit after the other. One person's are found by their own chain, so that they cost what
/// that person has.
struct EventReading: Sendable {
    struct Order {
        var filter: EventFilter
        var form: EventForm
        var after: UInt64
        var through: UInt64?
        var left: Int?
        var isWanted: () -> Bool
    }

    /// What a step came to.
    struct Step {
        var piece = EventPiece()
        /// Everything up to this event is in the piece, or was given before.
        var seq: UInt64
        var isAtEnd = false
    }

    /// Where to go on.
    private var place: TailPlace?
    private var chain: Chain?

    private struct Chain: Sendable {
        var place: PersonPlace
        var positions: ArraySlice<UInt64>
        var isAll: Bool
    }

    private static let chainMax = 4096
    /// A step of one person's looks at so many of their commits.
    private static let commitsMax = 256

    mutating func step(_ order: Order, _ hub: EventHub) throws(JournalError) -> Step {
        if order.filter.user != nil { return try chainStep(order, hub) }
        let (head, book, near) = hub.state.withLock { ($0.head, $0.book, $0.place(before: order.after + 1)) }
        var step = Step(seq: order.after)
        guard let head, let book else { return step }
        let tail = TailReader(
            hub.sources.directory, on: hub.sources.disk, from: try start(order, near, hub), bufferSize: 64 << 10)
        try tail.pass(through: head.position, before: order.after + 1, isWanted: order.isWanted)
        var json = ByteBuffer(capacity: 4096)
        let begin = tail.head.position
        let last = min(order.through ?? .max, head.lastSeq)
        place = tail.place
        while step.seq < last, !step.piece.isFull, order.left.map({ step.piece.count < $0 }) ?? true, order.isWanted(),
            tail.head.position - begin < UInt64(hub.limits.stepBytesMax),
            let frame = try tail.next(through: head.position)
        {
            let events = try take(frame, order, last, book, &json, &step)
            guard let events else { break }
            try tail.took(events: events)
            place = tail.place
        }
        return step
    }

    private func start(_ order: Order, _ near: TailPlace?, _ hub: EventHub) throws(JournalError) -> TailPlace {
        if let place, place.head.lastSeq <= order.after {
            return [place, near].compactMap(\.self).max { $0.head.lastSeq < $1.head.lastSeq } ?? place
        }
        if let near { return near }
        return try LogReader(hub.sources.directory, on: hub.sources.disk).tailPlace(before: order.after + 1)
    }

    /// How many events the commit has; `nil` where the piece was full, or enough, before the commit was at its end.
    private func take(
        _ frame: Frame, _ order: Order, _ last: UInt64, _ book: NameBook, _ json: inout ByteBuffer, _ step: inout Step
    ) throws(JournalError) -> Int? {
        var body = CommitBody(frame)
        var events = 0
        do {
            while let item = try body.next() {
                guard case .event(let raw) = item else { continue }
                events += 1
                guard raw.seq > step.seq else { continue }
                guard raw.seq <= last, !step.piece.isFull, order.left.map({ step.piece.count < $0 }) ?? true else {
                    return nil
                }
                step.seq = raw.seq
                guard order.filter.wants(type: raw.typeNumber),
                    let event = try raw.event(about: raw.person.flatMap { book[Int($0)] })
                else { continue }
                json.removeAll()
                event.writeJSON(into: &json)
                step.piece.add(event, json: json, as: order.form)
            }
        } catch {
            throw .damaged(Damage("the log", "position \(frame.position): \(error)"))
        }
        return events
    }

    // MARK: One person's

    private mutating func chainStep(_ order: Order, _ hub: EventHub) throws(JournalError) -> Step {
        var step = Step(seq: order.after)
        guard let user = order.filter.user else { return step }
        if chain == nil { chain = try findChain(of: user, order, hub, &step) }
        guard var chain else { return step }
        let log = try LogReader(hub.sources.directory, on: hub.sources.disk)
        let trail = chain.place.trail(in: log)
        var json = ByteBuffer(capacity: 4096)
        var looked = 0
        let last = order.through ?? .max
        while !step.piece.isFull, order.left.map({ step.piece.count < $0 }) ?? true, looked < Self.commitsMax,
            order.isWanted(), let position = chain.positions.first
        {
            looked += 1
            for event in try trail.events(at: position) where event.seq > step.seq {
                guard event.seq <= last, order.left.map({ step.piece.count < $0 }) ?? true else { break }
                step.seq = event.seq
                guard order.filter.wants(type: event.payload.type.number) else { continue }
                json.removeAll()
                event.writeJSON(into: &json)
                step.piece.add(event, json: json, as: order.form)
            }
            chain.positions.removeFirst()
        }
        guard chain.positions.isEmpty else {
            self.chain = chain
            return step
        }
        // All that there was when the chain was found has been given; what came since is found from there.
        if chain.isAll { step.seq = max(step.seq, min(chain.place.head.lastSeq, last)) }
        self.chain = nil
        return step
    }

    /// `nil` where nobody is there, or nobody answers.
    private func findChain(
        of user: String, _ order: Order, _ hub: EventHub, _ step: inout Step
    ) throws(JournalError) -> Chain? {
        let durable = hub.sources.durable()
        guard let answer = hub.sources.place(user, order.filter.number) else {
            step.isAtEnd = true
            return nil
        }
        guard let place = answer else {
            // The log had not met them then.
            step.seq = max(step.seq, min(durable.lastSeq, order.through ?? .max))
            return nil
        }
        let log = try LogReader(hub.sources.directory, on: hub.sources.disk)
        let (positions, isAll) = try place.trail(in: log).commits(
            after: order.after, atMost: Self.chainMax, isWanted: order.isWanted)
        return Chain(place: place, positions: positions[...], isAll: isAll)
    }
}

extension PersonPlace {
    /// Their own events.
    func trail(in log: LogReader) -> PersonTrail {
        PersonTrail(log, user: user, number: number, lastCommit: lastCommit, generalCommits: generalCommits)
    }
}
