internal import Dispatch
internal import Hashing
internal import Synchronization

/// One connection to PostgreSQL, with the verbs of the door.
///
/// Safe to share: the link is used by whoever has the turn, and by nobody else.
final class PostgresSession: SharedLogConnection, @unchecked Sendable {
    let cluster: Cluster
    let backend: Int32
    private let link: Link
    private let turn = DispatchSemaphore(value: 1)
    private let open = Mutex(true)

    init(_ link: Link, _ cluster: Cluster) {
        self.link = link
        self.cluster = cluster
        backend = link.backend
    }

    var isOpen: Bool { open.withLock { $0 } }

    func close() {
        turn.wait()
        link.finish()
        open.withLock { $0 = false }
        turn.signal()
    }

    /// Asks a statement that changes nothing.
    func read<Value>(
        _ statement: Statement, _ parameters: [Parameter], _ body: (borrowing Answer) throws(SharedLogError) -> Value
    ) throws(SharedLogError) -> Value {
        try ask(statement, parameters, changes: false, body)
    }

    /// Asks a statement that changes something. A warning says that the change may not be where it should be: after a
    /// cancelled wait for a standby the server answers success, and the change is on the primary alone.
    func change<Value>(
        _ statement: Statement, _ parameters: [Parameter], _ body: (borrowing Answer) throws(SharedLogError) -> Value
    ) throws(SharedLogError) -> Value {
        try ask(statement, parameters, changes: true) { (answer: borrowing Answer) throws(SharedLogError) in
            if let warning = answer.warnings.first { throw .unknown(warning.message) }
            return try body(answer)
        }
    }

    private func ask<Value>(
        _ statement: Statement, _ parameters: [Parameter], changes: Bool,
        _ body: (borrowing Answer) throws(SharedLogError) -> Value
    ) throws(SharedLogError) -> Value {
        try inTurn { () throws(SharedLogError) in
            let answer: Answer
            do throws(LinkFailure) { answer = try link.ask(statement, parameters) } catch {
                throw SharedLogError(error, changes: changes)
            }
            return try body(answer)
        }
    }

    /// Does something with the link that nobody else uses meanwhile.
    private func inTurn<Value>(_ work: () throws(SharedLogError) -> Value) throws(SharedLogError) -> Value {
        turn.wait()
        defer {
            if !link.isOpen { open.withLock { $0 = false } }
            turn.signal()
        }
        // Nothing was sent, so nothing was changed.
        guard link.isOpen else { throw .unreachable("the connection was closed") }
        return try work()
    }

    /// Runs what cannot be prepared. `false` where the server refused it, or said that it did not do all of it.
    func run(_ words: String) throws(SharedLogError) -> Bool {
        try inTurn { () throws(SharedLogError) in
            do throws(LinkFailure) { return try link.run(words).warnings.isEmpty } catch .refused { return false } catch
            {
                throw SharedLogError(error, changes: true)
            }
        }
    }

    /// Asks what cannot be prepared, since what it asks for need not be there.
    func look<Value>(
        _ words: String, _ body: (borrowing Answer) throws(SharedLogError) -> Value
    ) throws(SharedLogError) -> Value {
        try inTurn { () throws(SharedLogError) in
            let answer: Answer
            do throws(LinkFailure) { answer = try link.run(words) } catch {
                throw SharedLogError(error, changes: false)
            }
            return try body(answer)
        }
    }
}

// MARK: - The log

extension PostgresSession {
    func tail(of partition: Int) throws(SharedLogError) -> LogTail {
        try read(.tail, [.int4(partition)]) { answer throws(SharedLogError) in
            guard answer.count == 1 else { return .start }
            return LogTail(
                row: try answer.position(0, 0), until: try answer.position(0, 1), epoch: try answer.number(0, 2),
                head: try answer.digest(0, 3))
        }
    }

    func append(_ flushes: [Flush]) throws(SharedLogError) -> [FlushOutcome] {
        guard !flushes.isEmpty else { return [] }
        precondition(Set(flushes.map(\.partition)).count == flushes.count, "one row a partition a flush")
        let bytes = flushes.reduce(0) { $0 + $1.frames.count }
        guard bytes <= LogRow.bytesMax else { throw .tooLarge(bytes: bytes) }
        let parameters: [Parameter] = [
            .int4s(flushes.map(\.partition)), .int8s(flushes.map(\.epoch)), .int8s(flushes.map { Int64($0.after.row) }),
            .int8s(flushes.map { Int64($0.after.until) }), .int8s(flushes.map { Int64($0.tail.until) }),
            .byteas(flushes.map(\.after.head.bytes)), .byteas(flushes.map(\.head.bytes)),
            .byteas(flushes.map(\.frames)),
        ]
        do throws(SharedLogError) {
            let taken = try change(.append, parameters) { answer throws(SharedLogError) in
                var taken: Set<Int> = []
                for row in 0..<answer.count { taken.insert(Int(try answer.number(row, 0))) }
                return taken
            }
            return flushes.map { taken.contains($0.partition) ? .taken : .lost }
        } catch .unknown {
            return flushes.map { _ in .unknown }
        }
    }

    func rows(of partition: Int, from position: UInt64, bytes: Int) throws(SharedLogError) -> [LogRow] {
        let parameters: [Parameter] = [.int4(partition), .position(position), .int8(Int64(max(1, bytes)))]
        return try read(.rows, parameters) { answer throws(SharedLogError) in
            var rows: [LogRow] = []
            for row in 0..<answer.count {
                rows.append(
                    LogRow(
                        position: try answer.position(row, 0), until: try answer.position(row, 1),
                        epoch: try answer.number(row, 2), head: try answer.digest(row, 3), frames: answer.bytes(row, 4))
                )
            }
            return rows
        }
    }

    func presence(of head: AcknowledgedHead) throws(SharedLogError) -> HeadPresence {
        guard head.position > 0 else { return .present }
        let found: HeadPresence? = try read(.presence, [.int4(head.partition), .position(head.position)]) {
            answer throws(SharedLogError) in
            guard answer.count == 1 else { return nil }
            let until = try answer.position(0, 0)
            if until < head.position { return nil }
            return head.presence(inRowUntil: until, try answer.digest(0, 1), next: answer.bytes(0, 2))
        }
        if let found { return found }
        return .missing(end: try tail(of: head.partition).until)
    }
}

extension Answer {
    /// A whole number that the statement always answers with.
    func number(_ row: Int, _ column: Int) throws(SharedLogError) -> Int64 {
        guard let number = integer(row, column) else { throw .unintelligible("no number in column \(column)") }
        return number
    }

    func position(_ row: Int, _ column: Int) throws(SharedLogError) -> UInt64 {
        let number = try number(row, column)
        guard number >= 0 else { throw .unintelligible("a position of \(number)") }
        return UInt64(number)
    }

    func digest(_ row: Int, _ column: Int) throws(SharedLogError) -> Digest {
        let bytes = bytes(row, column)
        guard bytes.count == Digest.size else { throw .unintelligible("a hash of \(bytes.count) bytes") }
        return bytes.withUnsafeBytes { raw in
            // There are 32 bytes, so there is an address.
            raw.baseAddress.map { Digest(at: $0) } ?? .zero
        }
    }
}
