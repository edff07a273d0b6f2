import Hashing
import Shared
import Testing

@Suite("What every shared log does")
struct ContractTests {
    @Test(arguments: LogKind.available) func `a cluster is made once, and found by whoever connects`(kind: LogKind)
        throws
    {
        let bench = try kind.bench(isEmpty: true)
        #expect(throws: SharedLogError.self) { try bench.log.connect(ConnectionTerms()) }
        let plan = ClusterPlan(id: .random(), partitions: 3)
        let cluster = try bench.log.create(plan)
        #expect(cluster.id == plan.id)
        #expect(cluster.partitions == 3)
        #expect(try bench.log.create(plan) == cluster)
        let other = ClusterPlan(id: .random(), partitions: 5)
        #expect(sharedError { try bench.log.create(other) } == .clusterExists(plan.id, partitions: 3))
        let connection = try bench.log.connect(ConnectionTerms(cluster: plan.id, partitions: 3))
        #expect(connection.cluster == cluster)
        #expect(try connection.view().partitions.map(\.number) == [-1, 0, 1, 2])
        #expect(try connection.view().partitions.allSatisfy { $0.owner == nil && $0.epoch == 0 })
        #expect(try connection.view().workers == [])
    }

    @Test(arguments: LogKind.available) func `another cluster, and another number of partitions, are refused`(
        kind: LogKind
    ) throws {
        let bench = try kind.bench()
        let found = try bench.log.connect(ConnectionTerms()).cluster.id
        let expected = ClusterID.random()
        #expect(
            sharedError { try bench.log.connect(ConnectionTerms(cluster: expected)) }
                == .anotherCluster(expected: expected, found: found))
        #expect(
            sharedError { try bench.log.connect(ConnectionTerms(partitions: 64)) }
                == .anotherCount(expected: 64, found: 8))
        for count in [0, -1, 1025] {
            #expect(
                sharedError { try bench.log.create(ClusterPlan(id: .random(), partitions: count)) }
                    == .unusableCount(count))
        }
    }

    @Test(arguments: LogKind.available) func `rows join, and are read as they were written`(kind: LogKind) throws {
        let worker = try kind.bench().worker()
        var holding = try worker.take(2)
        #expect(holding == Holding(partition: 2, epoch: 1, tail: .start))
        var written: [LogRow] = []
        for number in 0..<5 {
            let flush = holding.flush("row \(number)", bytes: 64 + 8 * number)
            #expect(try worker.connection.append([flush]) == [.taken])
            written.append(flush.row)
            holding = holding.after(flush)
        }
        #expect(try worker.connection.tail(of: 2) == holding.tail)
        #expect(try worker.connection.rows(of: 2, from: 0, bytes: 1 << 20) == written)
        #expect(try worker.connection.rows(of: 2, from: written[2].position, bytes: 1) == [written[2]])
        #expect(try worker.connection.rows(of: 2, from: written[2].position + 8, bytes: 1) == [written[2]])
        #expect(try worker.connection.rows(of: 2, from: holding.tail.until, bytes: 1 << 20) == [])
        #expect(try worker.connection.rows(of: 3, from: 0, bytes: 1 << 20) == [])
    }

    @Test(arguments: LogKind.available) func `one statement appends to many partitions, and tells of each`(
        kind: LogKind
    ) throws {
        let worker = try kind.bench().worker()
        let holdings = try (-1..<8).map { try worker.take($0) }
        #expect(try worker.connection.append([]) == [])
        var flushes = holdings.map { $0.flush("first of \($0.partition)") }
        flushes[3].epoch += 1
        flushes[5].epoch -= 1
        var outcomes = [FlushOutcome](repeating: .taken, count: 9)
        outcomes[3] = .lost
        outcomes[5] = .lost
        #expect(try worker.connection.append(flushes) == outcomes)
        for (holding, outcome) in zip(holdings, outcomes) {
            #expect(try worker.connection.tail(of: holding.partition).until == (outcome == .taken ? 64 : 0))
        }
    }

    @Test(arguments: LogKind.available) func `a row that does not continue the log is lost`(kind: LogKind) throws {
        let worker = try kind.bench().worker()
        let empty = try worker.take(0)
        let first = empty.flush("first")
        #expect(try worker.connection.append([first]) == [.taken])
        // The same row again, and another in its place.
        #expect(try worker.connection.append([first]) == [.lost])
        #expect(try worker.connection.append([empty.flush("another first")]) == [.lost])
        let holding = empty.after(first)
        var otherHead = holding.flush("second")
        otherHead.after.head = Digest(of: [1])
        #expect(try worker.connection.append([otherHead]) == [.lost])
        var gap = holding.flush("second")
        gap.after.until += 8
        #expect(try worker.connection.append([gap]) == [.lost])
        var otherRow = holding.flush("second")
        otherRow.after.row += 8
        #expect(try worker.connection.append([otherRow]) == [.lost])
        #expect(try worker.connection.tail(of: 0) == first.tail)
        #expect(try worker.connection.append([holding.flush("second")]) == [.taken])
    }

    @Test(arguments: LogKind.available) func `a row of more than a database holds is refused before it is sent`(
        kind: LogKind
    ) throws {
        let worker = try kind.bench().worker()
        var flush = try worker.take(0).flush("huge")
        flush.frames = [UInt8](repeating: 0, count: LogRow.bytesMax + 8)
        #expect(sharedError { try worker.connection.append([flush]) } == .tooLarge(bytes: LogRow.bytesMax + 8))
        #expect(worker.connection.isOpen)
        #expect(try worker.connection.tail(of: 0) == .start)
    }

    @Test(arguments: LogKind.available) func `who lives keeps what it owns, and who is dead loses it`(kind: LogKind)
        throws
    {
        let bench = try kind.bench()
        let (old, new) = (try bench.worker(), try bench.worker(for: .seconds(600)))
        let holding = try old.take(1)
        let seen = try new.state(of: 1)
        #expect(seen.owner == old.id)
        #expect(seen.epoch == holding.epoch)
        #expect(try new.connection.acquire(1, for: new.id, seen: seen.epoch) == .refused)
        #expect(try old.connection.append([holding.flush("alive")]) == [.taken])
        try bench.lapse(old.id)
        #expect(try new.connection.acquire(1, for: new.id, seen: seen.epoch - 1) == .refused)
        #expect(try new.connection.acquire(1, for: new.id, seen: seen.epoch) == .acquired(epoch: seen.epoch + 1))
        #expect(try old.connection.append([holding.after(holding.flush("alive")).flush("late")]) == [.lost])
        #expect(try new.connection.tail(of: 1) == holding.flush("alive").tail)
        #expect(try new.state(of: 1).owner == new.id)
    }

    @Test(arguments: LogKind.available) func `a worker that is not alive owns nothing new`(kind: LogKind) throws {
        let bench = try kind.bench()
        let stranger = WorkerID.random()
        let worker = try bench.worker()
        #expect(try worker.connection.acquire(0, for: stranger, seen: 0) == .refused)
        try bench.lapse(worker.id)
        #expect(try worker.connection.acquire(0, for: worker.id, seen: 0) == .refused)
        #expect(try worker.connection.renew(worker.id, for: .seconds(6)))
        #expect(try worker.connection.acquire(0, for: worker.id, seen: 0) == .acquired(epoch: 1))
    }

    @Test(arguments: LogKind.available) func `a worker's id serves one life`(kind: LogKind) throws {
        let bench = try kind.bench()
        let (worker, other) = (try bench.worker(), try bench.worker())
        let again = sharedError { try worker.connection.register(worker.id, at: "http://b", for: .seconds(6)) }
        #expect(again == .workerKnown(worker.id))
        #expect(try other.connection.view().living.map(\.id) == [worker.id, other.id].sorted())
        try worker.connection.leave(worker.id)
        #expect(try other.connection.view().living.map(\.id) == [other.id])
        #expect(try !worker.connection.renew(worker.id, for: .seconds(6)))
        try bench.lapse(other.id)
        #expect(try other.connection.view().living == [])
        #expect(try other.connection.bury(deadFor: .seconds(3600)) == 0)
        #expect(try other.connection.view().workers.map(\.id) == [other.id])
    }

    @Test(arguments: LogKind.available) func `whoever is going to stop says so, and others deal without it`(
        kind: LogKind
    ) throws {
        let bench = try kind.bench()
        let (leaving, other) = (try bench.worker(for: .seconds(600)), try bench.worker(for: .seconds(600)))
        #expect(try leaving.connection.announceLeaving(leaving.id))
        let view = try other.connection.view()
        #expect(view.workers.filter(\.isLeaving).map(\.id) == [leaving.id])
        #expect(view.living.count == 2 && view.staying.map(\.id) == [other.id])
        // It lives on, and renews.
        #expect(try leaving.connection.renew(leaving.id, for: .seconds(600)))
        #expect(try other.connection.announceLeaving(other.id))
        #expect(try other.connection.view().staying.count == 2)
        #expect(try !other.connection.announceLeaving(.random()))
    }

    @Test(arguments: LogKind.available) func `the dead are forgotten after a while`(kind: LogKind) throws {
        let bench = try kind.bench()
        let gone = try bench.worker(for: .milliseconds(-20_000))
        let living = try bench.worker(for: .seconds(600))
        #expect(try living.connection.bury(deadFor: .seconds(30)) == 0)
        #expect(try living.connection.bury(deadFor: .seconds(10)) == 1)
        #expect(try living.connection.view().workers.map(\.id) == [living.id])
        #expect(try !gone.connection.renew(gone.id, for: .seconds(6)))
    }

    @Test(arguments: LogKind.available) func `a partition is handed over to who lives, or left`(kind: LogKind) throws {
        let bench = try kind.bench()
        let (giver, taker) = (try bench.worker(for: .seconds(600)), try bench.worker(for: .seconds(600)))
        let holding = try giver.take(4)
        let flush = holding.flush("last words")
        #expect(try giver.connection.append([flush]) == [.taken])
        #expect(try !giver.connection.handOver(4, epoch: holding.epoch, to: .random()))
        #expect(try !giver.connection.handOver(4, epoch: holding.epoch - 1, to: taker.id))
        #expect(try giver.connection.handOver(4, epoch: holding.epoch, to: taker.id))
        #expect(try giver.connection.append([holding.after(flush).flush("too late")]) == [.lost])
        #expect(try taker.connection.view().url(ofOwnerOf: 4) == "http://\(taker.id)")
        let taken = try taker.take(4)
        #expect(taken.epoch == holding.epoch + 2)
        #expect(taken.tail == flush.tail)
        #expect(try !giver.connection.concede(4, epoch: holding.epoch))
        #expect(try taker.connection.concede(4, epoch: taken.epoch))
        #expect(try taker.connection.view().url(ofOwnerOf: 4) == nil)
        #expect(try giver.take(4).epoch == taken.epoch + 2)
    }

    @Test(arguments: LogKind.available) func `a log that was acknowledged is found, or missed`(kind: LogKind) throws {
        let worker = try kind.bench().worker()
        let start = try worker.take(0)
        let first = start.flush("first")
        let second = start.after(first).flush("second")
        #expect(try worker.connection.append([first]) == [.taken])
        #expect(try worker.connection.append([second]) == [.taken])
        func presence(_ position: UInt64, _ hash: Digest) throws -> HeadPresence {
            try worker.connection.presence(of: AcknowledgedHead(partition: 0, position: position, hash: hash))
        }
        #expect(try presence(0, .zero) == .present)
        #expect(try presence(64, first.head) == .present)
        #expect(try presence(128, second.head) == .present)
        #expect(try presence(128, first.head) == .different)
        #expect(try presence(72, second.head) == .different)
        #expect(try presence(192, second.head) == .missing(end: 128))
        let elsewhere = AcknowledgedHead(partition: 1, position: 64, hash: first.head)
        #expect(try worker.connection.presence(of: elsewhere) == .missing(end: 0))
    }

    /// Its write was cut: the rest of the row is in the database.
    @Test(arguments: LogKind.available) func `a copy that ends inside a row is of the log that goes on from there`(
        kind: LogKind
    ) throws {
        let worker = try kind.bench().worker()
        let start = try worker.take(0)
        let first = start.flush("first")
        #expect(try worker.connection.append([first]) == [.taken])
        // Two commits, of which the second begins behind 80 bytes.
        let cut = Digest(of: [7])
        var row = start.after(first).flush("two commits", bytes: 160)
        row.frames.replaceSubrange(80..<84, with: [0xFF, 0x42, 0x4C, 0x4D])
        row.frames[96] = 144
        row.frames.replaceSubrange(120..<152, with: cut.bytes)
        #expect(try worker.connection.append([row]) == [.taken])
        func presence(_ position: UInt64, _ hash: Digest) throws -> HeadPresence {
            try worker.connection.presence(of: AcknowledgedHead(partition: 0, position: position, hash: hash))
        }
        #expect(try presence(144, cut) == .present)
        #expect(try presence(144, row.head) == .different)
        // Where none begins, and where there is no room for one.
        #expect(try presence(152, cut) == .different)
        #expect(try presence(216, cut) == .different)
        #expect(try presence(64, first.head) == .present)
        #expect(try presence(224, row.head) == .present)
        #expect(try presence(224, cut) == .different)
    }

    @Test(arguments: LogKind.available) func `what a worker misses is told to the others, until it misses nothing`(
        kind: LogKind
    ) throws {
        let bench = try kind.bench()
        let (one, other) = (try bench.worker(), try bench.worker())
        #expect(try other.connection.missing() == [])
        #expect(try !other.connection.missNothing(at: "http://o'clock"))
        func missing(_ partition: Int, _ position: UInt64, _ url: String) -> MissingHead {
            MissingHead(
                AcknowledgedHead(partition: partition, position: position, hash: Digest(of: Array("\(position)".utf8))),
                of: url)
        }
        for head in [missing(1, 64, "http://o'clock"), missing(0, 128, "http://b"), missing(1, 192, "http://o'clock")] {
            try one.connection.tellMissing(head)
        }
        #expect(
            try other.connection.missing() == [missing(0, 128, "http://b"), missing(1, 192, "http://o'clock")])
        #expect(try one.connection.missNothing(at: "http://o'clock"))
        #expect(try other.connection.missing() == [missing(0, 128, "http://b")])
    }

    @Test(arguments: LogKind.available) func `snapshots are kept part by part, found once they are whole, and removed`(
        kind: LogKind
    ) throws {
        let worker = try kind.bench().worker()
        let connection = worker.connection
        let epoch = try worker.take(0).epoch
        #expect(try connection.snapshots(.state, of: 0) == [])
        let large = (0..<(SharedSnapshot.partBytes * 2 + 5)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try connection.putSnapshot(.state, of: 0, epoch: epoch, at: 128, bytes: large))
        #expect(try connection.putSnapshot(.state, of: 0, epoch: epoch, at: 64, bytes: [1, 2, 3]))
        #expect(try connection.putSnapshot(.index, of: 0, epoch: epoch, at: 192, bytes: []))
        let newest = SharedSnapshot(.state, at: 128, epoch: epoch, parts: 3)
        let before = SharedSnapshot(.state, at: 64, epoch: epoch, parts: 1)
        #expect(try connection.snapshots(.state, of: 0) == [newest, before])
        #expect(try connection.newestSnapshot(.state, of: 0) == large)
        #expect(try connection.newestSnapshot(.index, of: 0) == [])
        #expect(try connection.snapshots(.state, of: 1) == [])
        #expect(try connection.snapshotPart(3, of: newest, in: 0) == nil)
        #expect(try connection.snapshotPart(0, of: newest, in: 1) == nil)
        // One that was begun is none yet, and a try that is given up goes with the next pruning.
        let begun = SharedSnapshot(.state, at: 256, epoch: epoch, parts: 2)
        #expect(try connection.putSnapshotPart(1, of: begun, in: 0, bytes: [9]))
        #expect(try connection.snapshots(.state, of: 0) == [newest, before])
        #expect(try connection.pruneSnapshots(.state, of: 0, epoch: epoch, keeping: [newest, before]) == 1)
        #expect(try connection.putSnapshotPart(0, of: begun, in: 0, bytes: [8]))
        #expect(try connection.snapshots(.state, of: 0) == [newest, before])
        #expect(try connection.putSnapshotPart(1, of: begun, in: 0, bytes: [9]))
        #expect(try connection.snapshots(.state, of: 0) == [begun, newest, before])
        #expect(try connection.pruneSnapshots(.state, of: 0, epoch: epoch, keeping: [begun, newest]) == 1)
        #expect(try connection.snapshots(.state, of: 0) == [begun, newest])
        #expect(try connection.newestSnapshot(.state, of: 0) == [8, 9])
        #expect(try connection.pruneSnapshots(.state, of: 0, epoch: epoch, keeping: []) == 5)
        #expect(try connection.snapshots(.state, of: 0) == [])
        #expect(try connection.newestSnapshot(.index, of: 0) == [], "another sort stays")
    }

    @Test(arguments: LogKind.available) func `an old owner neither writes snapshots nor removes them`(kind: LogKind)
        throws
    {
        let bench = try kind.bench()
        let (old, new) = (try bench.worker(), try bench.worker(for: .seconds(600)))
        let holding = try old.take(0)
        #expect(try old.connection.putSnapshot(.state, of: 0, epoch: holding.epoch, at: 64, bytes: [1]))
        try bench.lapse(old.id)
        let taken = try new.take(0)
        #expect(try old.connection.pruneSnapshots(.state, of: 0, epoch: holding.epoch, keeping: []) == nil)
        #expect(try !old.connection.putSnapshot(.state, of: 0, epoch: holding.epoch, at: 128, bytes: [2]))
        #expect(try new.connection.newestSnapshot(.state, of: 0) == [1])
        // At the same position, by the new owner.
        #expect(try new.connection.putSnapshot(.state, of: 0, epoch: taken.epoch, at: 64, bytes: [3]))
        #expect(try new.connection.newestSnapshot(.state, of: 0) == [3])
        #expect(try new.connection.snapshots(.state, of: 0).map(\.epoch) == [taken.epoch, holding.epoch])
    }

    @Test(arguments: LogKind.available) func `of many parts some are removed at a time, and none that is kept`(
        kind: LogKind
    ) throws {
        let worker = try kind.bench().worker()
        let connection = worker.connection
        let epoch = try worker.take(0).epoch
        let most = SharedSnapshot.partsPruned
        let old = SharedSnapshot(.state, at: 64, epoch: epoch, parts: most + 3)
        for part in 0..<old.parts { #expect(try connection.putSnapshotPart(part, of: old, in: 0, bytes: [1])) }
        #expect(try connection.putSnapshot(.state, of: 0, epoch: epoch, at: 128, bytes: [2]))
        let kept = try connection.snapshots(.state, of: 0)[0]
        #expect(try connection.pruneSnapshots(.state, of: 0, epoch: epoch, keeping: [kept]) == most)
        #expect(try connection.snapshots(.state, of: 0) == [kept], "half of one is none")
        #expect(try connection.pruneSnapshots(.state, of: 0, epoch: epoch, keeping: [kept]) == 3)
        #expect(try connection.pruneSnapshots(.state, of: 0, epoch: epoch, keeping: [kept]) == 0)
        #expect(try connection.newestSnapshot(.state, of: 0) == [2])
    }

    @Test(arguments: LogKind.available) func `a connection that was cut says so, and an append over it is unknown`(
        kind: LogKind
    ) throws {
        let bench = try kind.bench()
        let worker = try bench.worker(for: .seconds(600))
        let holding = try worker.take(0)
        try bench.cut(worker.connection)
        #expect(try worker.connection.append([holding.flush("anything")]) == [.unknown])
        #expect(!worker.connection.isOpen)
        // From now on nothing is sent, so nothing is unknown.
        #expect(throws: SharedLogError.unreachable("the connection was closed")) {
            try worker.connection.append([holding.flush("more")])
        }
        let fresh = BenchWorker(id: worker.id, connection: try bench.log.connect(ConnectionTerms(worker: worker.id)))
        #expect(try fresh.take(0).epoch == holding.epoch + 1)
        worker.connection.close()
        fresh.connection.close()
        #expect(!fresh.connection.isOpen)
        #expect(sharedError { try fresh.connection.view() } == .unreachable("the connection was closed"))
    }

    @Test(arguments: LogKind.available) func `connections that hold nothing are left alone`(kind: LogKind) throws {
        let bench = try kind.bench()
        let (old, new) = (try bench.worker(), try bench.worker(for: .seconds(600)))
        try bench.lapse(old.id)
        #expect(try new.connection.terminateLeftovers(by: new.id, sparing: []) == 0)
        #expect(try old.connection.view().living.map(\.id) == [new.id])
    }
}
