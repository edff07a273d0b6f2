internal import Shared
internal import Synchronization

/// One connection to the simulated database.
final class SimulatedSession: SharedLogConnection {
    let cluster: Cluster
    let backend: Int32
    let database: SimulatedSharedLog
    private let isOpenHere = Mutex(true)

    init(_ database: SimulatedSharedLog, _ cluster: Cluster, backend: Int32) {
        self.database = database
        self.cluster = cluster
        self.backend = backend
    }

    var isOpen: Bool { isOpenHere.withLock { $0 } }

    func close() {
        isOpenHere.withLock { $0 = false }
        // What hangs does not notice that its client is gone.
        database.state.withLock { state in
            if state.hanging[backend] == nil { state.sessions[backend] = nil }
        }
    }

    private func breakOff() { isOpenHere.withLock { $0 = false } }

    /// What a statement would do: its answer, the change that it commits, and the partitions whose rows it locks for that.
    struct Effect<Answer: Sendable>: Sendable {
        var answer: Answer
        var locks: Set<Int> = []
        var change: (@Sendable (inout SimulatedSharedLog.Tables) -> Void)?
    }

    /// One message: worked out on what is committed, again after waiting for a lock, and then committed.
    func send<Answer: Sendable>(
        changes: Bool = true,
        _ work: (SimulatedSharedLog.State) throws(SharedLogError) -> Effect<Answer>
    ) throws(SharedLogError) -> Answer {
        guard isOpen else { throw .unreachable("the connection was closed") }
        let (answer, problem, isBroken) = try database.state.withLock { state throws(SharedLogError) in
            state.messages += 1
            state.now += state.pace
            let fault = state.faults[state.messages]
            let broken: SharedLogError =
                changes ? .unknown("the connection broke") : .unreachable("the connection broke")
            guard state.sessions[backend] != nil, fault != .cutBefore else {
                state.sessions[backend] = nil
                return (nil as Answer?, broken as SharedLogError?, true)
            }
            if let refusal = state.refusal { throw refusal }
            var effect = try work(state)
            if state.isHeld(effect.locks, otherThan: backend) { throw .busy }
            effect = try work(state)
            if fault == .hang, let change = effect.change {
                state.hanging[backend] = SimulatedSharedLog.Hanging(partitions: effect.locks, change: change)
                return (nil, broken, true)
            }
            effect.change?(&state.tables)
            switch fault {
            case nil, .cutBefore: return (effect.answer, nil, false)
            case .warning where !changes: return (effect.answer, nil, false)
            case .warning: return (nil, .unknown("the wait for the standby was cancelled"), false)
            case .cutAfter, .hang:
                state.sessions[backend] = nil
                return (nil, broken, true)
            }
        }
        if isBroken { breakOff() }
        if let problem { throw problem }
        guard let answer else { preconditionFailure("a message has an answer or a problem") }
        return answer
    }
}

// MARK: - The log

extension SimulatedSession {
    func tail(of partition: Int) throws(SharedLogError) -> LogTail {
        try send(changes: false) { state throws(SharedLogError) in Effect(answer: state.tables.tail(of: partition)) }
    }

    func append(_ flushes: [Flush]) throws(SharedLogError) -> [FlushOutcome] {
        guard !flushes.isEmpty else { return [] }
        precondition(Set(flushes.map(\.partition)).count == flushes.count, "one row a partition a flush")
        let bytes = flushes.reduce(0) { $0 + $1.frames.count }
        guard bytes <= LogRow.bytesMax else { throw .tooLarge(bytes: bytes) }
        do throws(SharedLogError) {
            return try send { state throws(SharedLogError) in
                let fenced = flushes.filter { state.tables.partitions[$0.partition]?.epoch == $0.epoch }
                let taken = fenced.filter { state.tables.tail(of: $0.partition).isContinued(by: $0) }
                let answer: [FlushOutcome] = flushes.map { taken.contains($0) ? .taken : .lost }
                return Effect(answer: answer, locks: Set(fenced.map(\.partition))) { tables in
                    for flush in taken { tables.log[flush.partition, default: []].append(flush.row) }
                }
            }
        } catch .unknown {
            return flushes.map { _ in .unknown }
        }
    }

    func rows(of partition: Int, from position: UInt64, bytes: Int) throws(SharedLogError) -> [LogRow] {
        try send(changes: false) { state throws(SharedLogError) in
            let rows = state.tables.log[partition] ?? []
            let end = position + UInt64(max(1, bytes))
            return Effect(answer: rows.filter { $0.until > position && $0.position < end })
        }
    }

    func presence(of head: AcknowledgedHead) throws(SharedLogError) -> HeadPresence {
        guard head.position > 0 else { return .present }
        return try send(changes: false) { state throws(SharedLogError) in
            let tail = state.tables.tail(of: head.partition)
            guard tail.until >= head.position else { return Effect(answer: .missing(end: tail.until)) }
            guard let row = state.tables.log[head.partition]?.last(where: { $0.position < head.position }) else {
                return Effect(answer: .different)
            }
            let next = row.frames.dropFirst(Int(head.position - row.position))
            return Effect(answer: head.presence(inRowUntil: row.until, row.head, next: next))
        }
    }
}

extension SimulatedSession {
    func tellMissing(_ missing: MissingHead) throws(SharedLogError) {
        try send { _ throws(SharedLogError) in
            Effect(answer: ()) { tables in
                tables.missing.removeAll { $0.url == missing.url && $0.head.partition == missing.head.partition }
                tables.missing.append(missing)
            }
        }
    }

    func missing() throws(SharedLogError) -> [MissingHead] {
        try send(changes: false) { state throws(SharedLogError) in
            Effect(answer: state.tables.missing.sorted { ($0.head.partition, $0.url) < ($1.head.partition, $1.url) })
        }
    }

    func missNothing(at url: String) throws(SharedLogError) -> Bool {
        try send { state throws(SharedLogError) in
            Effect(answer: state.tables.missing.contains { $0.url == url }) { tables in
                tables.missing.removeAll { $0.url == url }
            }
        }
    }
}

extension LogTail {
    func isContinued(by flush: Flush) -> Bool {
        flush.after.until == 0
            ? until == 0 : flush.after.row == row && flush.after.until == until && flush.after.head == head
    }
}

extension SimulatedSharedLog.Tables {
    func tail(of partition: Int) -> LogTail {
        guard let last = log[partition]?.last else { return .start }
        return LogTail(row: last.position, until: last.until, epoch: last.epoch, head: last.head)
    }
}
