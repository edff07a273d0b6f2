@testable import belfry
import Hashing
import Journal
import Sealing
import Shared
import SimulatedShared
import Simulation
import Testing

/// Keys in a database whose connections break at every message, and whose owner changes.
@Suite("A partition's keys")
struct ClusterKeyTests {
    fileprivate static let identity = LogIdentity(words: (1, 2))
    fileprivate static let master = MasterKeySource.file("/run/master") {
        Array(
            (0..<64).map { byte in
                let digits = String((byte * 7 + 13) & 0xFF, radix: 16)
                return (digits.count == 1 ? "0" : "") + digits
            }.joined().utf8)
    }

    /// A worker that owns partition 0, with the copies that it keeps on its own disk.
    fileprivate struct Owner {
        let keys: ClusterKeys
        let disk: SimulatedDisk

        init(_ database: SimulatedSharedLog, isInDoubt: Bool = true) throws {
            let (me, cluster) = (WorkerID.random(), try database.connect(ConnectionTerms()).cluster.id)
            let connection = try database.connect(ConnectionTerms(worker: me, cluster: cluster))
            try connection.register(me, at: "http://me", for: .seconds(6))
            let state = try #require(try connection.view().partitions.first { $0.number == 0 })
            let holding = try #require(
                try connection.take(state, for: me, sparing: [connection.backend]))
            keys = ClusterKeys(database, of: cluster)
            keys.begin(as: me)
            keys.hold(0, epoch: holding.epoch, isInDoubt: isInDoubt)
            disk = SimulatedDisk(seed: 1)
            try disk.makeDirectory("/copy")
        }

        func ring() throws -> KeyRing {
            let tables = keys.tables(of: 0)
            guard try KeyRing.isThere(in: "/copy", on: disk, tables: tables) else {
                return try KeyRing.begin(
                    "/copy", of: identity, on: disk, master: master, tables: tables, peopleAPage: 4)
            }
            return try KeyRing("/copy", of: identity, on: disk, master: master, tables: tables)
        }

        func live() throws -> KeyRing {
            let ring = try ring()
            try ring.makeKeys(below: 6)
            try ring.destroy([1])
            try ring.makeKeys(below: 9)
            try ring.destroy([1, 5])
            return ring
        }
    }

    private func database() throws -> SimulatedSharedLog {
        let database = SimulatedSharedLog()
        _ = try database.create(ClusterPlan(id: .random(), partitions: 1))
        return database
    }

    private func expectErased(_ ring: KeyRing, _ what: String) throws {
        for person in 0..<9 as Range<UInt32> {
            #expect(try ring.isDestroyed(person) == [1, 5].contains(person), "person \(person): \(what)")
        }
    }

    @Test func `whoever has the partition next goes on with the keys, and reads them by the page`() throws {
        let database = try database()
        try expectErased(try Owner(database).live(), "the first")
        database.advance(by: .seconds(7))
        let next = try Owner(database)
        let before = database.messages
        let ring = try next.ring()
        try expectErased(ring, "the next")
        // The table, once to see whether there is one, and three pages.
        #expect(database.messages - before == 5)
        try expectErased(ring, "again, out of its copies")
        #expect(database.messages - before == 5)
    }

    @Test func `whom a partition erases is counted from whom it had erased when it was opened`() throws {
        let owner = try Owner(database())
        _ = try owner.live()
        #expect(owner.keys.erased(1, in: 0) == nil)
        owner.keys.wasOpened(0)
        #expect(owner.keys.erased(2, in: 0) == 4 && owner.keys.erased(1, in: 0) == 5)
        owner.keys.letGo(of: 0)
        #expect(owner.keys.erased(1, in: 0) == nil)
    }

    /// An erasure that was cut off is ended by an opening, and nobody else has the table of before dropped.
    @Test func `an opening is told of keys that were destroyed until the old table is dropped`() throws {
        let owner = try Owner(database())
        let ring = try owner.ring()
        try ring.makeKeys(below: 6)
        #expect(!owner.keys.wasOpened(0))
        try ring.destroy([1])
        #expect(owner.keys.wasOpened(0))
        #expect(owner.keys.dropOldTables() && !owner.keys.wasOpened(0))
    }

    @Test(arguments: SimulatedSharedLog.Fault.allCases)
    func `wherever a connection breaks the next owner ends what was begun`(fault: SimulatedSharedLog.Fault) throws {
        let whole = try database()
        let first = try Owner(whole)
        let before = whole.messages
        _ = try first.live()
        let count = whole.messages - before
        #expect(count > 10)
        for step in 1...count {
            let database = try database()
            let owner = try Owner(database)
            database.plan(fault, atMessage: database.messages + step)
            let lived = try? owner.live()
            database.advance(by: .seconds(7))
            let next = try Owner(database)
            try expectErased(try next.live(), "\(fault) at \(step)")
            // The old one neither destroys nor makes any.
            #expect(throws: KeyRingError.self) { try (lived ?? owner.ring()).destroy([0, 2, 3]) }
            #expect(throws: KeyRingError.self) { try (lived ?? owner.ring()).makeKeys(below: 40) }
            try expectErased(try next.ring(), "\(fault) at \(step), after the old owner")
        }
    }

    @Test func `keys that are renewed after a doubt leave snapshots readable, and an erasure does not`() throws {
        let database = try database()
        let ring = try Owner(database).ring()
        try ring.makeKeys(below: 6)
        func key() -> [UInt8]? { ring.snapshotKey?.withBytes { Array($0) } }
        let before = key()
        try ring.renewKeys(beyond: 3)
        #expect(before != nil && key() == before)
        try ring.makeKeys(below: 9)
        database.advance(by: .seconds(7))
        let next = try Owner(database).ring()
        #expect(next.snapshotKey?.withBytes { Array($0) } == before)
        #expect(try !next.isDestroyed(5))
        try next.destroy([2])
        #expect(next.snapshotKey?.withBytes { Array($0) } != before)
    }

    /// A worker that stood still between the table and the page finds one that it cannot open.
    @Test func `pages that the next owner has written anew are lost to the one before, and not damaged`() throws {
        let database = try database()
        let owner = try Owner(database)
        let ring = try owner.ring()
        try ring.makeKeys(below: 6)
        database.advance(by: .seconds(7))
        let next = try Owner(database).ring()
        try next.destroy([1, 4])
        owner.disk.setContents("/copy/keys", [])
        let lost = #expect(throws: KeyRingError.self) { try ring.isDestroyed(1) }
        #expect(lost.map { if case .lost = $0 { true } else { false } } == true, "\(lost.map { "\($0)" } ?? "nothing")")
        let also = #expect(throws: KeyRingError.self) { try ring.destroy([0]) }
        #expect(also.map { if case .lost = $0 { true } else { false } } == true, "\(also.map { "\($0)" } ?? "nothing")")
        #expect(try next.isDestroyed(1) && !next.isDestroyed(0))
    }

    @Test func `a copy of a page from before an erasure opens nothing, and is fetched anew`() throws {
        let database = try database()
        let owner = try Owner(database)
        let ring = try owner.ring()
        try ring.makeKeys(below: 4)
        let stale = owner.disk.contents("/copy/keys")
        let key = ring.snapshotKey?.withBytes { Array($0) }
        try ring.destroy([2])
        #expect(ring.snapshotKey?.withBytes { Array($0) } != key, "snapshots of before are concealed for ever")
        let reader = try Owner.reader(owner, stale)
        #expect(try reader.isDestroyed(2))
        #expect(try !reader.isDestroyed(3))
    }
}

extension ClusterKeyTests.Owner {
    /// Somebody who only reads, with a copy that is old.
    fileprivate static func reader(_ owner: Self, _ copy: [UInt8]?) throws -> KeyRing {
        let disk = SimulatedDisk(seed: 2)
        try disk.makeDirectory("/copy")
        disk.setContents("/copy/keys", copy ?? [])
        owner.keys.letGo(of: 0)
        return try KeyRing(
            "/copy", of: ClusterKeyTests.identity, on: disk, master: ClusterKeyTests.master,
            tables: owner.keys.tables(of: 0), isWriter: false)
    }
}
