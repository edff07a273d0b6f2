import Hashing
import Shared
import Testing

/// The life of two workers, written down: they come, append, take snapshots, hand partitions over and go.
///
/// Each does what a worker does when nobody can say what became of its words: it connects anew, takes the partition again,
/// and sees by the tail whether its row is there.
final class SharedLife {
    /// What was acknowledged to somebody, in order.
    private(set) var acknowledged: [(partition: Int, row: LogRow)] = []
    private let log: any SharedLog
    private let patience: Duration
    /// More tries than one fault can spoil.
    private let triesMax: Int

    struct GaveUp: Error {
        var what: String
        var last: SharedLogError?
    }

    init(_ log: any SharedLog, triesMax: Int = 6, patience: Duration = .seconds(5)) {
        self.log = log
        self.triesMax = triesMax
        self.patience = patience
    }

    func live() throws {
        let first = try Member(self)
        for partition in 0..<3 {
            for number in 0..<2 { try first.append(partition, "first, \(number)") }
        }
        try first.keepSnapshot(of: 0, at: 128)
        let second = try Member(self)
        try first.give(0, to: second)
        try second.append(0, "second has it")
        try first.append(1, "first goes on")
        try first.leave(1)
        try second.append(1, "second took it")
        try second.append(1, "and goes on")
        try second.removeSnapshots(of: 0)
        try first.give(2, to: second)
        try first.go()
        try second.append(2, "second has all")
        try second.leave(2)
        try second.go()
    }

    /// What must hold whatever happened on the way.
    func check(_ connection: any SharedLogConnection, _ comment: Comment) throws {
        for partition in 0..<3 {
            let rows = try connection.rows(of: partition, from: 0, bytes: 1 << 20)
            var tail = LogTail.start
            for row in rows {
                #expect(row.position == tail.until, comment)
                #expect(row.epoch >= tail.epoch, comment)
                tail = LogTail(row: row.position, until: row.until, epoch: row.epoch, head: row.head)
            }
            // Everything was acknowledged in the end, so the log has exactly that.
            #expect(rows == acknowledged.filter { $0.partition == partition }.map(\.row), comment)
        }
        #expect(try connection.view().living == [], comment)
        #expect(try connection.snapshots(.state, of: 0) == [], comment)
    }

    /// One worker with one connection.
    private final class Member {
        let life: SharedLife
        private(set) var id: WorkerID
        private var connection: (any SharedLogConnection)?
        private var held: [Int: Holding] = [:]

        init(_ life: SharedLife) throws {
            self.life = life
            id = .random()
            try trying("to be known") { connection, _ throws(SharedLogError) in
                try connection.register(self.id, at: "http://\(self.id)", for: .seconds(600))
                return true
            }
        }

        func append(_ partition: Int, _ text: String) throws {
            var doubtful: Flush?
            try trying("to append \(text) to \(partition)") { connection, _ throws(SharedLogError) in
                guard let holding = try self.holding(partition, connection) else { return false }
                // Whoever was told nothing sees by the tail whether it was taken.
                if let doubtful, holding.tail.until == doubtful.tail.until, holding.tail.head == doubtful.head {
                    self.acknowledge(doubtful, holding)
                    return true
                }
                let flush = holding.flush(text)
                doubtful = flush
                self.held[partition] = nil
                guard try connection.append([flush]) == [.taken] else { return false }
                self.acknowledge(flush, holding.after(flush))
                return true
            }
        }

        private func acknowledge(_ flush: Flush, _ holding: Holding) {
            life.acknowledged.append((flush.partition, flush.row))
            held[flush.partition] = holding
        }

        private func holding(
            _ partition: Int, _ connection: any SharedLogConnection
        ) throws(SharedLogError) -> Holding? {
            if let holding = held[partition] { return holding }
            guard let state = try connection.view().partitions.first(where: { $0.number == partition }) else {
                return nil
            }
            return try connection.take(state, for: id, sparing: [connection.backend])
        }

        func give(_ partition: Int, to other: Member) throws {
            try part(with: partition, "to give \(partition)") { connection, epoch throws(SharedLogError) in
                try connection.handOver(partition, epoch: epoch, to: other.id)
            }
        }

        func leave(_ partition: Int) throws {
            try part(with: partition, "to leave \(partition)") { connection, epoch throws(SharedLogError) in
                try connection.concede(partition, epoch: epoch)
            }
        }

        private func part(
            with partition: Int, _ what: String,
            _ change: @escaping (any SharedLogConnection, Int64) throws(SharedLogError) -> Bool
        ) throws {
            held[partition] = nil
            try trying(what) { connection, _ throws(SharedLogError) in
                let state = try connection.view().partitions.first { $0.number == partition }
                guard let state, state.owner == self.id else { return true }
                return try change(connection, state.epoch)
            }
        }

        func keepSnapshot(of partition: Int, at position: UInt64) throws {
            try trying("to keep a snapshot") { connection, _ throws(SharedLogError) in
                guard let holding = try self.holding(partition, connection) else { return false }
                self.held[partition] = holding
                return try connection.putSnapshot(
                    .state, of: partition, epoch: holding.epoch, at: position, bytes: [1, 2, 3])
            }
        }

        func removeSnapshots(of partition: Int) throws {
            try trying("to remove snapshots") { connection, _ throws(SharedLogError) in
                guard let holding = try self.holding(partition, connection) else { return false }
                self.held[partition] = holding
                return try connection.pruneSnapshots(
                    .state, of: partition, epoch: holding.epoch, keeping: []) != nil
            }
        }

        func go() throws {
            try trying("to go") { connection, _ throws(SharedLogError) in
                try connection.leave(self.id)
                return true
            }
            connection?.close()
        }

        /// Tries until it is done, over new connections where one broke. After a doubt nothing is taken for held.
        private func trying(
            _ what: String,
            _ work: (any SharedLogConnection, _ round: Int) throws(SharedLogError) -> Bool
        ) throws {
            var last: SharedLogError?
            for round in 0..<life.triesMax {
                do throws(SharedLogError) {
                    if connection?.isOpen != true {
                        connection = try life.log.connect(ConnectionTerms(worker: id, patience: life.patience))
                        held = [:]
                    }
                    guard let connection else { continue }
                    // What an earlier statement left behind with a row in its hands.
                    if last == .busy { _ = try connection.terminateLeftovers(by: id, sparing: [connection.backend]) }
                    last = nil
                    if try work(connection, round) { return }
                } catch .workerKnown {
                    return
                } catch {
                    held = [:]
                    last = error
                }
            }
            throw GaveUp(what: what, last: last)
        }
    }
}
