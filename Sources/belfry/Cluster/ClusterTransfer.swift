import Foundation
import Journal
import Notices
import Sealing
import Shared
import Synchronization

/// Takes a directory of partitions into a cluster, and gives one back, byte for byte.
struct ClusterTransfer {
    private let shared: any SharedLog
    private let path: String
    private let world: World

    /// Rows of about as many bytes.
    private static let rowBytes = 1 << 20
    /// Renewed before each partition is taken, and again before it is filled.
    private static let lease = Duration.seconds(60)

    init(_ shared: any SharedLog, _ path: String, _ world: World) throws(Failure) {
        (self.shared, self.path, self.world) = (shared, path, world)
    }

    // MARK: Out

    func giveBack() throws(Failure) {
        let connection: any SharedLogConnection
        do throws(SharedLogError) { connection = try shared.connect(ConnectionTerms(isReading: true)) } catch {
            throw Failure(error)
        }
        defer { connection.close() }
        // A part of a history would be taken for one, and decided on.
        do throws(SharedLogError) { try connection.expectImported() } catch { throw Failure(error) }
        let found = try DataDirectory(path, on: world.disk)
        guard found.partitions == nil, (try? world.disk.list(path))?.isEmpty ?? true else {
            throw Failure(.wrongUsage, "\(path) is not empty; export makes a new directory")
        }
        let count = connection.cluster.partitions
        let keys = try keyTransfer(connection, isReading: true)
        let world = keys == nil ? world.withoutKeys : world
        // What is about everyone last: it must be the newest.
        let partitions = Array(0..<count) + [Partition.everyone]
        // Before anything is made, so that nothing half made stays behind.
        func copies(in directory: DataDirectory) -> ClusterCache {
            ClusterCache(directory, of: connection.cluster.id, on: world.disk, keys: keys?.keys)
        }
        try keys?.expectWhole(partitions, copies(in: found), connection)
        let made = MadeDirectory(path, names: partitions.map { ClusterCache.name($0).text })
        let stop = Mutex<Int32?>(nil)
        let signals = StopSignals([SIGINT, SIGTERM, SIGHUP]) { number in stop.withLock { $0 = number } }
        defer { withExtendedLifetime(signals) {} }
        var told: [(partition: Int, head: LogHead)] = []
        do {
            let cache = copies(in: try DataDirectory.made(path, partitions: count, on: world.disk))
            for partition in partitions where stop.withLock({ $0 }) == nil {
                let end =
                    try keys?.giveBack(
                        partition, of: try cache.identity(partition), to: cache.path(partition), connection)
                    ?? connection.tail(of: partition).until
                let head = try cache.fill(partition, from: connection, through: end) { _ in
                    stop.withLock { $0 } == nil
                }
                told.append((partition, head))
            }
        } catch {
            var failure = Failure(moving: error)
            // Half an export would be taken for one. What is in use is another export's.
            if case JournalError.inUse = error { throw failure }
            failure.further.append(
                made.remove()
                    ? "belfry: nothing was exported, and \(path) is as it was"
                    : "belfry: nothing was exported; what is in \(path) is no log, remove it")
            throw failure
        }
        if let number = stop.withLock({ $0 }) {
            _ = made.remove()
            _exit(128 + number)
        }
        for (partition, head) in told { tell(partition, head.lastSeq, "\(head.hash)") }
    }

    /// `nil` for a cluster whose logs have no seals.
    private func keyTransfer(
        _ connection: any SharedLogConnection, isReading: Bool = false
    ) throws(Failure) -> KeyTransfer? {
        guard connection.cluster.isSealed else { return nil }
        guard let master = world.master, !world.keyOptions.isEmpty else {
            throw Failure(.wrongUsage, "\(KeyRingError.noCommonMaster)")
        }
        return KeyTransfer(
            keys: ClusterKeys(shared, of: connection.cluster.id, isReading: isReading), master: master, disk: world.disk
        )
    }

    private func tell(_ partition: Int, _ events: UInt64, _ head: String) {
        world.output.line("\(ClusterCache.name(partition).told): \(counted(events, "event")), head \(head)")
    }

    // MARK: In

    func takeIn() throws(Failure) {
        let directory = try DataDirectory(path, on: world.disk)
        guard let count = directory.partitions, !directory.isCopy else {
            throw Failure(
                .wrongUsage,
                "\(path) is no directory of partitions (`belfry run --partitions N`, `belfry cluster export`): events of one log of everybody cannot be dealt out, since decisions name them by their numbers"
            )
        }
        do {
            let me = WorkerID.random()
            let connection = try shared.connect(ConnectionTerms(worker: me, partitions: count))
            defer { connection.close() }
            // Of an import that was cut off more is there to be said than that something is there.
            try connection.expectImported()
            try connection.register(me, at: "import", for: Self.lease)
            defer { try? connection.leave(me) }
            let view = try connection.view()
            guard view.living.allSatisfy({ $0.id == me }) else {
                throw Failure(.environment, "workers of this cluster run; stop them first")
            }
            let keys = try keyTransfer(connection)
            // All of them, before anything is written: no worker takes any once there is a part of the history, and whatever speaks
            // against an import leaves the cluster as it was.
            let taken = try view.partitions.map { try take($0, directory, connection, me, keys) }
            try connection.beginImport()
            for (holding, log) in taken { try fill(holding, from: log, connection, me, keys) }
            try connection.endImport()
        } catch {
            throw Failure(moving: error)
        }
    }

    /// A partition, and the log that is to fill it.
    private func take(
        _ state: PartitionState, _ directory: DataDirectory, _ connection: any SharedLogConnection, _ me: WorkerID,
        _ keys: KeyTransfer?
    ) throws -> (holding: Holding, log: LogReader) {
        let name = ClusterCache.name(state.number)
        // There may be many, and each commit may wait for a standby.
        _ = try connection.renew(me, for: Self.lease)
        guard let holding = try connection.take(state, for: me, sparing: [connection.backend]) else {
            throw Failure(
                .environment, "\(name.told) cannot be taken: a worker or another import was started meanwhile")
        }
        guard holding.tail == .start else {
            throw Failure(.wrongUsage, "\(name.told) of the cluster is not empty; import begins a new one")
        }
        let log = try world.withoutKeys.log(at: directory.log(name))
        guard try !log.isHalfImported() else { throw Failure(.halfImported(directory: log.directory)) }
        guard log.isSealed == (keys != nil) else {
            throw Failure(
                .wrongUsage,
                log.isSealed
                    ? "what \(log.directory) says of people is sealed, and this cluster was begun without seals. Begin one with them: `belfry cluster create`"
                    : "\(log.directory) has no sealed fields, so nobody could be erased from it, and this cluster was begun with seals. Begin one with `belfry cluster create --without-seals`"
            )
        }
        try keys?.expectOpen(log, for: state.number)
        return (holding, log)
    }

    private func fill(
        _ holding: Holding, from log: LogReader, _ connection: any SharedLogConnection, _ me: WorkerID,
        _ keys: KeyTransfer?
    ) throws {
        let name = ClusterCache.name(holding.partition)
        // From here on nothing hangs on the lease but who is said to be at work: rows are fenced, and nobody joins beside the mark.
        _ = try connection.renew(me, for: Self.lease)
        try keys?.takeIn(log, holding)
        var tail = holding.tail
        var frames: [UInt8] = []
        let scanner = log.scanner(checksHashes: true)
        func flush() throws {
            guard !frames.isEmpty else { return }
            let flush = Flush(
                partition: holding.partition, epoch: holding.epoch, after: tail, head: scanner.head.hash, frames: frames
            )
            guard try connection.append([flush]) == [.taken] else {
                throw Failure(.environment, "the database did not take \(name.told); make the cluster anew")
            }
            tail = flush.tail
            frames.removeAll(keepingCapacity: true)
        }
        while let frame = try scanner.next() {
            frames += Array(frame.bytes)
            var body = CommitBody(frame)
            var events = 0
            while let item = try body.next() { if case .event = item { events += 1 } }
            try scanner.took(events: events)
            if frames.count >= Self.rowBytes { try flush() }
        }
        try flush()
        tell(holding.partition, scanner.head.lastSeq, "\(scanner.head.hash)")
        _ = try connection.concede(holding.partition, epoch: holding.epoch)
    }
}

/// A directory that was empty, or not there, when an export was begun in it.
private struct MadeDirectory {
    private let path: String
    private let wasThere: Bool
    /// What an export makes.
    private let names: [String]

    init(_ path: String, names: [String]) {
        (self.path, self.names) = (path, names + [DataDirectory.mark])
        wasThere = FileManager.default.fileExists(atPath: path)
    }

    /// Takes away what was made; `false` where that cannot be. What somebody else has put there stays.
    func remove() -> Bool {
        let files = FileManager.default
        for name in names {
            let file = DiskPath.join(path, name)
            guard files.fileExists(atPath: file) else { continue }
            do { try files.removeItem(atPath: file) } catch { return false }
        }
        return wasThere || rmdir(path) == 0 || errno == ENOENT
    }
}
