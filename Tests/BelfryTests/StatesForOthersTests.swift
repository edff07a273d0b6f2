@testable import belfry
import CivilTime
import Foundation
import Journal
import Notices
import Shared
import SimulatedShared
import Simulation
import Testing
import Worker

/// Snapshots on their way into a database whose connections break at every message, and out of it.
@Suite("States for other workers")
struct StatesForOthersTests {
    /// A worker that owns partition 0 and has a snapshot of it.
    private struct Bench {
        let database = SimulatedSharedLog()
        let disk = SimulatedDisk(seed: 1)
        let cache: ClusterCache
        let cluster: Cluster
        let worker = WorkerID.random()
        let connection: any SharedLogConnection
        let epoch: Int64
        let beginning: Beginning
        let log = RunLog(least: .error, isTerminal: false, clock: { .exampleStart }, to: STDERR_FILENO)

        init() throws {
            cluster = try database.create(ClusterPlan(id: .random(), partitions: 1, isSealed: false))
            let directory = try DataDirectory.copy("/copy", of: cluster, on: disk)
            cache = ClusterCache(directory, of: cluster.id, on: disk, keys: nil)
            beginning = .standard(try ZoneDatabase(searching: ZoneDatabase.usualDirectories))
            connection = try database.connect(ConnectionTerms(worker: worker, cluster: cluster.id))
            try connection.register(worker, at: "http://me", for: .seconds(6))
            let seen = try #require(try connection.view().partitions.first { $0.number == 0 })
            let holding = try connection.take(seen, for: worker, sparing: [connection.backend])
            epoch = try #require(holding).epoch
            try grow("a", by: 30)
        }

        /// More of the log, and a snapshot of all of it.
        func grow(_ round: String, by count: Int) throws {
            let journal = try Journal(cache.path(0), on: disk, holder: "a test")
            for number in 0..<count {
                var goal = GoalStarted()
                goal.goal = Identifier("g")
                goal.title = Text(String(repeating: "\(round)\(number)", count: 50))
                _ = try journal.append([Entry(user: "u", payload: .goalStarted(goal))], at: .exampleStart)
            }
            try journal.close()
            let taken = try SnapshotTaking(cache.path(0), on: disk, beginning).run()
            #expect(taken?.isStateKept == true)
        }

        var file: [UInt8]? { disk.contents(DiskPath.join(cache.path(0), LogFile.state)) }

        func putting() -> StatesForOthers {
            StatesForOthers(database, cache, of: cluster.id, beginning, log)
        }

        func put(_ states: StatesForOthers) -> Bool {
            states.putAll([StatesForOthers.Held(partition: 0, epoch: epoch)], worker)
        }

        func listed() throws -> [SharedSnapshot] { try connection.snapshots(.state, of: 0) }

        /// What a copy begins with that had none.
        func fetched() throws -> [UInt8]? {
            try disk.remove(DiskPath.join(cache.path(0), LogFile.state))
            FetchedState(cache: cache, beginning: beginning, log: log).fetch(0, as: .owner, from: connection)
            return file
        }
    }

    @Test func `what is put is fetched byte by byte, once, and of two that are kept the newest`() throws {
        let bench = try Bench()
        let states = bench.putting()
        let first = try #require(bench.file)
        #expect(bench.put(states))
        let messages = bench.database.messages
        #expect(bench.put(states))
        #expect(bench.database.messages == messages, "nothing is asked while nothing is new")
        #expect(try bench.fetched() == first)
        // A little more is not worth another.
        try bench.grow("b", by: 1)
        #expect(bench.put(states))
        #expect(try bench.listed().count == 1)
        for round in ["c", "d"] {
            try bench.grow(round, by: 400)
            #expect(bench.put(states))
        }
        let newest = try #require(bench.file)
        #expect(try bench.listed().count == 2)
        #expect(try bench.fetched() == newest)
    }

    @Test(arguments: SimulatedSharedLog.Fault.allCases)
    func `wherever a connection breaks, what is whole is right and the next try ends it`(
        fault: SimulatedSharedLog.Fault
    ) throws {
        let whole = try Bench()
        let before = whole.database.messages
        #expect(whole.put(whole.putting()))
        let count = whole.database.messages - before
        #expect(count >= 4)
        for step in 1...count {
            let bench = try Bench()
            let file = try #require(bench.file)
            bench.database.plan(fault, atMessage: bench.database.messages + step)
            let states = bench.putting()
            _ = bench.put(states)
            bench.database.calm()
            bench.database.whenWaitedFor(.rollsBack)
            if try !bench.listed().isEmpty { #expect(try bench.fetched() == file, "\(fault) at \(step)") }
            if bench.file == nil { bench.disk.setContents(DiskPath.join(bench.cache.path(0), LogFile.state), file) }
            #expect(bench.put(bench.putting()), "\(fault) at \(step)")
            #expect(try bench.fetched() == file, "\(fault) at \(step)")
        }
    }

    @Test func `a full database is left alone until it has room, and an old owner puts nothing`() throws {
        let bench = try Bench()
        let states = bench.putting()
        bench.database.refuse(with: .full("no space"))
        #expect(!bench.put(states))
        bench.database.refuse(with: nil)
        #expect(try bench.listed() == [])
        bench.database.advance(by: .seconds(7))
        let next = try bench.database.connect(ConnectionTerms(cluster: bench.cluster.id))
        let other = WorkerID.random()
        try next.register(other, at: "http://other", for: .seconds(6))
        let seen = try #require(try next.view().partitions.first { $0.number == 0 })
        let holding = try #require(try next.take(seen, for: other, sparing: [next.backend]))
        #expect(bench.put(states), "that is no failure of its own")
        #expect(try bench.listed() == [])
        #expect(states.putAll([StatesForOthers.Held(partition: 0, epoch: holding.epoch)], other))
        #expect(try bench.listed().map(\.epoch) == [holding.epoch])
    }

    @Test func `one that is damaged, cut short or of another place of the log is passed over`() throws {
        let bench = try Bench()
        let first = try #require(bench.file)
        #expect(bench.put(bench.putting()))
        let genuine = try #require(try bench.listed().first)
        func put(_ bytes: [UInt8], at position: UInt64) throws {
            let snapshot = SharedSnapshot(.state, at: position, epoch: bench.epoch, parts: 1)
            #expect(try bench.connection.putSnapshotPart(0, of: snapshot, in: 0, bytes: bytes))
        }
        try bench.grow("b", by: 200)
        let second = try #require(bench.file)
        // Newer than the true one by their places, and none of them what they say.
        for bit in [3, 40 * 8, 60 * 8, 130 * 8, (second.count - 9) * 8] {
            var flipped = second
            flipped[bit / 8] ^= 1
            try put(flipped, at: genuine.position + 8)
            #expect(try bench.fetched() == first, "bit \(bit)")
        }
        try put(Array(second.dropLast(200)), at: genuine.position + 8)
        #expect(try bench.fetched() == first)
        try put([], at: genuine.position + 8)
        #expect(try bench.fetched() == first)
        try put(second, at: genuine.position + 8)
        #expect(try bench.fetched() == first, "it says another place than its row")
        #expect(bench.disk.contents(DiskPath.join(bench.cache.path(0), LogFile.fetched(by: "owner"))) == nil)
    }
}
