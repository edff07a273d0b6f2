@testable import belfry
import Journal
import Notices
import Shared
import SimulatedShared
import Simulation
import Testing

/// A worker's copy of a partition, filled from a database that may have gone on, or lost or spoiled what it had.
@Suite("A copied log")
struct CopiedLogTests {
    private let database = SimulatedSharedLog()
    private let disk = SimulatedDisk(seed: 1)
    private let cluster: Cluster
    private let cache: ClusterCache

    init() throws {
        cluster = try database.create(ClusterPlan(id: .random(), partitions: 1, isSealed: false))
        let directory = try DataDirectory.copy("/copy", of: cluster, on: disk)
        cache = ClusterCache(directory, of: cluster.id, on: disk, keys: nil)
    }

    /// The log that all owners write one after the other.
    private func rows(_ count: Int) throws -> [(frames: [UInt8], head: LogHead)] {
        var options = JournalOptions()
        options.identity = try cache.identity(0)
        let journal = try Journal("/whole", on: disk, holder: "a test", options: options)
        for number in 1...count {
            _ = try journal.append([Entry(user: "u\(number)", payload: .appOpened(AppOpened()))], at: .exampleStart)
            try journal.commit()
        }
        try journal.close()
        let scanner = try LogReader("/whole", on: disk).scanner(checksHashes: true)
        var rows: [(frames: [UInt8], head: LogHead)] = []
        while let frame = try scanner.next() {
            let bytes = Array(frame.bytes)
            try scanner.took(events: 1)
            rows.append((bytes, scanner.head))
        }
        return rows
    }

    private func owner(after lost: WorkerID? = nil) throws -> (any SharedLogConnection, Holding) {
        let me = WorkerID.random()
        let connection = try database.connect(ConnectionTerms(worker: me, cluster: cluster.id))
        try connection.register(me, at: "http://me", for: .seconds(6))
        if let lost { try connection.leave(lost) }
        let state = try #require(try connection.view().partitions.first { $0.number == 0 })
        return (connection, try #require(try connection.take(state, for: me, sparing: [connection.backend])))
    }

    private func write(
        _ row: (frames: [UInt8], head: LogHead), _ holding: inout Holding, _ connection: any SharedLogConnection
    ) throws {
        let flush = Flush(
            partition: 0, epoch: holding.epoch, after: holding.tail, head: row.head.hash, frames: row.frames)
        try #require(try connection.append([flush]) == [.taken])
        holding.tail = flush.tail
    }

    /// Frozen between taking the partition and fetching it, for longer than its lease.
    @Test func `what the next owner wrote is no damage to a worker that was frozen when it took the partition`() throws
    {
        let rows = try rows(4)
        var (first, writing) = try owner()
        for row in rows.prefix(2) { try write(row, &writing, first) }
        let (frozen, holding) = try owner(
            after: try #require(try first.view().partitions.first { $0.number == 0 }?.owner))
        var (next, own) = try owner(after: try #require(try first.view().partitions.first { $0.number == 0 }?.owner))
        for row in rows.suffix(2) { try write(row, &own, next) }
        #expect(try cache.complete(holding, from: frozen))
        #expect(try cache.fill(0, from: frozen, through: holding.tail.until).position == holding.tail.until)
        // A copy that is further already, because the whole log was fetched meanwhile, is no damage either.
        try cache.fill(0, from: next, through: own.tail.until)
        #expect(try !cache.complete(holding, from: frozen))
        withExtendedLifetime(first) {}
    }

    @Test func `a database that has less than the copy stops the worker`() throws {
        let rows = try rows(3)
        var (connection, holding) = try owner()
        try write(rows[0], &holding, connection)
        var options = JournalOptions()
        options.identity = try cache.identity(0)
        options.isCopy = true
        let copy = try Journal(cache.path(0), on: disk, holder: "a test", options: options)
        for row in rows { try copy.append(frames: row.frames) }
        try copy.commit()
        try copy.close()
        let problem = #expect(throws: MembershipProblem.self) { _ = try cache.complete(holding, from: connection) }
        guard case .fatal(let failure)? = problem else { Issue.record("\(String(describing: problem))"); return }
        #expect(failure.code == .damaged && failure.message.contains("ends otherwise"), "\(failure)")
        _ = connection
    }

    @Test func `a row that is not what was acknowledged is named`() throws {
        var rows = try rows(3)
        rows[1].frames[rows[1].frames.count - 1] ^= 1
        var (connection, holding) = try owner()
        for row in rows { try write(row, &holding, connection) }
        let position = rows[0].frames.count
        let error = #expect(throws: JournalError.self) {
            try cache.fill(0, from: connection, through: holding.tail.until)
        }
        #expect(
            error.map { "\($0)" }
                == "the log is damaged: the database, in the row of partition 0 at position \(position): what is to follow position \(position) does not: the checksum is wrong. Nothing was changed. Bring back a database that has it whole: a standby, or a backup"
        )
        _ = connection
    }
}
