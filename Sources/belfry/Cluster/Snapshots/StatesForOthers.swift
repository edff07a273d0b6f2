import Foundation
import Journal
import Queueing
import Shared
import Synchronization
import Worker

/// Puts the newest state of each partition that this worker owns beside its log in the database, for whoever has it next.
///
/// On a thread of its own, which gives way to all others, and over a connection that is there only meanwhile: what is slow, full or
/// refused costs the next owner time and this one nothing.
///
/// Safe to share: what changes is behind a lock, or the one thread's own.
final class StatesForOthers: @unchecked Sendable {
    /// A partition in this worker's hands.
    struct Held: Sendable {
        var partition: Int
        var epoch: Int64
        /// How many people of it have been erased so far.
        var erased = 0
    }

    struct Settings: Sendable {
        /// As many lie in the database, so that one that is damaged has another behind it.
        var kept = 2
        /// What failed is tried again after so long.
        var pause = Duration.seconds(60)
    }

    /// What was looked at last.
    private struct Seen: Equatable {
        var file: FileIdentity?
        var size: Int?
        var epoch: Int64
        var erased: Int
    }

    private struct State: Sendable {
        var isUnderway = false
        var waitsUntil: ContinuousClock.Instant?
    }

    private let shared: any SharedLog
    private let cache: ClusterCache
    private let cluster: ClusterID
    private let beginning: Beginning
    private let log: RunLog
    private let settings: Settings
    private let lane = Lane("belfry.snapshots", threads: 1, waitingMax: 1, priority: .behindOthers)
    private let state = Mutex(State())
    // The lane's own.
    private var seen: [Int: Seen] = [:]

    init(
        _ shared: any SharedLog, _ cache: ClusterCache, of cluster: ClusterID, _ beginning: Beginning, _ log: RunLog,
        _ settings: Settings = Settings()
    ) {
        (self.shared, self.cache, self.cluster, self.beginning) = (shared, cache, cluster, beginning)
        (self.log, self.settings) = (log, settings)
    }

    /// Looks whether there is something newer than was put. Does not wait.
    ///
    /// - Parameters:
    ///   - held: under which epochs this worker has its partitions.
    ///   - erased: how many people have been erased, by partition.
    func look(_ held: [Int: Int64], erased: [Int: Int], as worker: WorkerID) {
        let mayBegin = state.withLock { state in
            guard !state.isUnderway, state.waitsUntil.map({ $0 <= .now }) ?? true else { return false }
            state.isUnderway = true
            return true
        }
        guard mayBegin else { return }
        let isTaken = lane.take { [self] in
            let all = held.sorted { $0.key < $1.key }
                .map { Held(partition: $0.key, epoch: $0.value, erased: erased[$0.key] ?? 0) }
            let isDone = putAll(all, worker)
            state.withLock { state in
                state.isUnderway = false
                state.waitsUntil = isDone ? nil : .now + settings.pause
            }
        }
        if !isTaken { state.withLock { $0.isUnderway = false } }
    }

    // MARK: The lane

    /// `false` where something failed.
    func putAll(_ held: [Held], _ worker: WorkerID) -> Bool {
        var connection: (any SharedLogConnection)?
        defer { connection?.close() }
        for one in held {
            do {
                guard let now = try changed(one) else { continue }
                let open = try connection ?? shared.connect(ConnectionTerms(worker: worker, cluster: cluster))
                connection = open
                try put(one, open)
                seen[one.partition] = now
            } catch {
                log.warning(
                    "a snapshot could not be put into the database", ("partition", "\(one.partition)"),
                    ("why", "\(error)"))
                return false
            }
        }
        return true
    }

    private func path(_ partition: Int) -> String { DiskPath.join(cache.path(partition), LogFile.state) }

    /// `nil` where nothing has happened since the last look.
    private func changed(_ one: Held) throws -> Seen? {
        let status = try cache.disk.status(of: path(one.partition))
        let now = Seen(file: status?.identity, size: status?.size, epoch: one.epoch, erased: one.erased)
        return now == seen[one.partition] ? nil : now
    }

    private func put(_ one: Held, _ connection: any SharedLogConnection) throws {
        let copy = try LogReader(cache.path(one.partition), on: cache.disk)
        // What an earlier try has left goes first, and what nobody can open: the database's disk has an end.
        let there = try tidied(one, copy, connection)
        let (disk, path) = (cache.disk, path(one.partition))
        guard try disk.status(of: path) != nil else { return }
        let file = try disk.open(path, .read)
        defer { disk.close(file) }
        let size = try disk.size(of: file)
        let start = try part(0, of: file, size)
        // Another may have taken its name: that one is for the next look.
        guard let head = try CarriedState.head(beginning: start, of: copy),
            try CarriedState.head(beside: copy, beginning) == head,
            try isDue(head.position, size, in: one.partition, there, copy, connection)
        else { return }
        let snapshot = SharedSnapshot(
            .state, at: head.position, epoch: one.epoch, parts: SharedSnapshot.parts(of: size))
        for number in 0..<snapshot.parts {
            let began = ContinuousClock.now
            let bytes = number == 0 ? start : try part(number, of: file, size)
            let isTaken = try connection.putSnapshotPart(number, of: snapshot, in: one.partition, bytes: bytes)
            // It is another's by now.
            guard isTaken else { return }
            // Appends of the partition wait for a part: they get as much time as it took.
            Thread.sleep(forTimeInterval: min(1, (ContinuousClock.now - began) / .seconds(1)))
        }
        try prune(one, keeping: [snapshot] + there.prefix(settings.kept - 1), connection)
        log.info(
            "a snapshot was put into the database", ("partition", "\(one.partition)"),
            ("position", "\(head.position)"), ("bytes", "\(size)"))
    }

    /// Removes all that nobody may begin with: what was never whole, what there is enough of, and what was concealed under a key that
    /// went with somebody (`E1`). Gives what is left, the newest first.
    private func tidied(
        _ one: Held, _ copy: LogReader, _ connection: any SharedLogConnection
    ) throws(SharedLogError) -> [SharedSnapshot] {
        var kept: [SharedSnapshot] = []
        for snapshot in try connection.snapshots(.state, of: one.partition) where kept.count < settings.kept {
            guard let start = try connection.snapshotPart(0, of: snapshot, in: one.partition),
                !CarriedState.isGone(beginning: start, of: copy)
            else { continue }
            kept.append(snapshot)
        }
        try prune(one, keeping: kept, connection)
        return kept
    }

    /// Whether the log has grown by as many bytes as the snapshot has since the newest of this version: so all that is written of them
    /// is no more than the log itself.
    private func isDue(
        _ position: UInt64, _ size: Int, in partition: Int, _ there: [SharedSnapshot], _ copy: LogReader,
        _ connection: any SharedLogConnection
    ) throws -> Bool {
        guard let newest = there.first,
            let start = try connection.snapshotPart(0, of: newest, in: partition),
            try CarriedState.head(beginning: start, of: copy)?.position == newest.position
        else { return true }
        return position > newest.position && position - newest.position >= UInt64(size)
    }

    private func prune(
        _ one: Held, keeping: [SharedSnapshot], _ connection: any SharedLogConnection
    ) throws(SharedLogError) {
        var removed: Int?
        repeat {
            removed = try connection.pruneSnapshots(
                .state, of: one.partition, epoch: one.epoch, keeping: keeping)
        } while removed == SharedSnapshot.partsPruned
    }

    private func part(_ number: Int, of file: DiskFile, _ size: Int) throws(DiskError) -> [UInt8] {
        let start = number * SharedSnapshot.partBytes
        var bytes = [UInt8](repeating: 0, count: min(SharedSnapshot.partBytes, size - start))
        let read = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
            try cache.disk.readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: start)
        }
        bytes.removeLast(bytes.count - read)
        return bytes
    }
}
