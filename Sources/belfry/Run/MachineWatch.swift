import CivilTime
import Dispatch
import Foundation
import Journal
import Reports
import Synchronization

/// What is asked of the disk for the metrics: now and then, on a queue of its own, because a disk that hangs must keep nobody
/// waiting who asks for them.
///
/// Safe to share: the timer is touched by whoever starts and stops the worker, what was seen is behind a lock.
final class MachineWatch: @unchecked Sendable {
    private struct Seen: Sendable {
        var snapshotAt: Instant?
        var freeBytes: Int?
        var totalBytes: Int?
    }

    private let directory: String
    /// Those that are here at the moment.
    private let logs: @Sendable () -> [String]
    private let clock: @Sendable () -> Instant
    /// What became of their snapshots.
    let snapshots: SnapshotTally
    private let seen = Mutex(Seen())
    private let queue = DispatchQueue(label: "belfry.machine", qos: .utility)
    private let timer: any DispatchSourceTimer

    private static let interval = DispatchTimeInterval.seconds(10)

    /// - Parameters:
    ///   - directory: on the disk of the logs.
    ///   - logs: their directories.
    init(
        _ directory: String, logs: @escaping @Sendable () -> [String], _ snapshots: SnapshotTally,
        clock: @escaping @Sendable () -> Instant
    ) {
        (self.directory, self.logs, self.snapshots, self.clock) = (directory, logs, snapshots, clock)
        timer = DispatchSource.makeTimerSource(queue: queue)
        // At once, though it is not armed: Dispatch traps when a source is given up that never was active.
        timer.activate()
    }

    func start() {
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(deadline: .now(), repeating: Self.interval)
    }

    func stop() { timer.cancel() }

    private func look() {
        var now = Seen()
        // Of several logs the oldest: a start waits for the one that has most to read.
        now.snapshotAt = logs().compactMap(Self.snapshotAt).min()
        var disk = statvfs()
        if statvfs(directory, &disk) == 0 {
            now.freeBytes = Self.bytes(UInt64(disk.f_bavail), of: UInt64(disk.f_frsize))
            now.totalBytes = Self.bytes(UInt64(disk.f_blocks), of: UInt64(disk.f_frsize))
        }
        let seen = now
        self.seen.withLock { $0 = seen }
    }

    /// Some file systems say that they have no end.
    static func bytes(_ blocks: UInt64, of size: UInt64) -> Int {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
        return overflow ? .max : Int(clamping: bytes)
    }

    private static func snapshotAt(_ directory: String) -> Instant? {
        var status = stat()
        guard stat(DiskPath.join(directory, LogFile.state), &status) == 0 else { return nil }
        return Instant(seconds: Int64(status.st_mtim.tv_sec))
    }

    func write(to page: inout MetricsPage) {
        let seen = seen.withLock { $0 }
        page.family(
            "belfry_snapshot_age_seconds", .gauge,
            "How old the newest snapshot is, of several logs the oldest of them; absent where there is none")
        if let at = seen.snapshotAt { page.sample(Double(max(0, clock().milliseconds(since: at))) / 1000) }
        snapshots.write(to: &page)
        page.family("belfry_disk_free_bytes", .gauge, "What is free on the log's disk")
        if let free = seen.freeBytes { page.sample(free) }
        page.family("belfry_disk_size_bytes", .gauge, "How large the log's disk is")
        if let total = seen.totalBytes { page.sample(total) }
    }
}
