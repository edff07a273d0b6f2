@testable import belfry
import CivilTime
import Journal
import Notices
import Shared
import SimulatedShared
import Simulation
import Testing
import Worker

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
    private func rows(
        _ count: Int, _ path: String = "/whole", of user: String = "u"
    ) throws -> [(frames: [UInt8], head: LogHead)] {
        var options = JournalOptions()
        options.identity = try cache.identity(0)
        let journal = try Journal(path, on: disk, holder: "a test", options: options)
        for number in 1...count {
            _ = try journal.append(
                [Entry(user: "\(user)\(number)", payload: .appOpened(AppOpened()))], at: .exampleStart)
            try journal.commit()
        }
        try journal.close()
        let scanner = try LogReader(path, on: disk).scanner(checksHashes: true)
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

    /// What of a row of three commits was written here when the worker was killed, or its disk was full.
    private func cut(_ rows: [(frames: [UInt8], head: LogHead)], to count: Int) throws {
        var options = JournalOptions()
        options.identity = try cache.identity(0)
        options.isCopy = true
        let copy = try Journal(cache.path(0), on: disk, holder: "a test", options: options)
        try copy.append(frames: rows.prefix(count).flatMap { $0.frames })
        try copy.commit()
        copy.abandon()
    }

    /// A row of three commits, in a database.
    private func row() throws -> (
        parts: [(frames: [UInt8], head: LogHead)], connection: any SharedLogConnection, holding: Holding
    ) {
        let parts = try rows(3)
        var (connection, holding) = try owner()
        try write((frames: parts.flatMap { $0.frames }, head: parts[2].head), &holding, connection)
        return (parts, connection, holding)
    }

    @Test func `a copy whose write was cut inside a row has lost nothing, and is fetched on`() throws {
        let (parts, connection, holding) = try row()
        try cut(parts, to: 2)
        #expect(try !cache.findLosses(connection, as: "http://me", unreadable: { _, _ in }))
        // The copy was opened, and the database does not answer.
        database.plan(.cutBefore, atMessage: database.messages + 1)
        let problem = #expect(throws: MembershipProblem.self) { _ = try cache.complete(holding, from: connection) }
        guard case .passing? = problem else { Issue.record("\(String(describing: problem))"); return }
        let again = try database.connect(ConnectionTerms(cluster: cluster.id))
        #expect(try !cache.findLosses(again, as: "http://me", unreadable: { _, _ in }))
        #expect(try again.missing() == [])
        #expect(try cache.complete(holding, from: again))
        #expect(try cache.head(0)?.position == holding.tail.until)
    }

    /// The first fill of a copy: its witness was never synced, and of what was written last the middle is not there.
    @Test func `a copy with a hole that a power cut left is fetched on from before it`() throws {
        let (parts, connection, holding) = try row()
        try cut(parts, to: 3)
        let name = try #require(try disk.list(cache.path(0)).first { $0.hasSuffix(".segment") })
        let path = DiskPath.join(cache.path(0), name)
        var bytes = try #require(disk.contents(path))
        let hole = bytes.count - parts[2].frames.count - parts[1].frames.count
        for place in hole..<hole + 64 { bytes[place] = 0 }
        disk.setContents(path, bytes)
        disk.setContents(DiskPath.join(cache.path(0), "durable"), [])
        #expect(try cache.head(0)?.position == parts[0].head.position)
        #expect(try !cache.findLosses(connection, as: "http://me", unreadable: { _, _ in }))
        #expect(try cache.complete(holding, from: connection))
        #expect(try cache.head(0)?.position == holding.tail.until)
    }

    /// One that is looked into for what others have erased may be taken just then.
    @Test func `a copy that the membership has is touched by nobody else until it is let go of`() throws {
        let (_, connection, holding) = try row()
        let zones = try ZoneDatabase(searching: ZoneDatabase.usualDirectories)
        let log = RunLog(least: .error, isTerminal: false, clock: { .exampleStart }, to: -1)
        let fetched = FetchedState(cache: cache, beginning: .standard(zones), log: log)
        let preparation = Preparation(database, cache, of: cluster.id, fetched, zones, log)
        preparation.makeWay(for: 0)
        let before = try? disk.list(cache.path(0)).sorted()
        #expect(!preparation.catchUp(0, connection))
        // Not even its lock was taken.
        #expect((try? disk.list(cache.path(0)).sorted()) == before)
        preparation.letGo(of: 0)
        #expect(preparation.catchUp(0, connection))
        #expect(try cache.head(0)?.position == holding.tail.until)
        // The next who takes it waits for nobody.
        preparation.makeWay(for: 0)
    }

    /// Another worker may have a copy that can be used, and the database has all of it.
    @Test func `a copy that cannot be used is the trouble of its partition alone, and tells of no loss`() throws {
        let (parts, connection, holding) = try row()
        try cut(parts, to: 3)
        let name = try #require(try disk.list(cache.path(0)).first { $0.hasSuffix(".segment") })
        let path = DiskPath.join(cache.path(0), name)
        var bytes = try #require(disk.contents(path))
        for place in 0..<4 { bytes[place] ^= 0xFF }
        disk.setContents(path, bytes)
        let problem = #expect(throws: MembershipProblem.self) { _ = try cache.complete(holding, from: connection) }
        guard case .ofCopy(0, _)? = problem else { Issue.record("\(String(describing: problem))"); return }
        // What it has told before stands until all copies can be read.
        try connection.tellMissing(
            MissingHead(AcknowledgedHead(partition: 0, position: 1, hash: parts[0].head.hash), of: "http://me"))
        var unreadable: [Int] = []
        var readable: [Int] = []
        #expect(
            try !cache.findLosses(
                connection, as: "http://me", unreadable: { partition, _ in unreadable.append(partition) },
                readable: { readable.append($0) }))
        #expect(unreadable == [0] && readable.contains(Partition.everyone) && !readable.contains(0))
        #expect(try connection.missing().count == 1)
    }

    @Test func `a copy that ends inside a row of another log is damage`() throws {
        let (parts, connection, _) = try row()
        let other = try rows(3, "/other", of: "v")
        #expect(other[1].head.position == parts[1].head.position, "it is as long")
        try cut(other, to: 2)
        let problem = #expect(throws: MembershipProblem.self) {
            try cache.findLosses(connection, as: "http://me", unreadable: { _, _ in })
        }
        guard case .fatal(let failure)? = problem else { Issue.record("\(String(describing: problem))"); return }
        #expect(failure.code == .damaged && failure.message.contains("something else there"), "\(failure)")
        #expect(try connection.missing().map(\.url) == ["http://me"])
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
