package import Journal
internal import Notices

/// Takes the snapshots of a log beside whoever writes it, who never notices: a snapshot is a fold of the log, so it
/// needs nothing of a running worker.
///
/// Only what is known to be durable goes into one, so that none is ahead of what a crash leaves. A crash of the taking
/// itself leaves the snapshots that were there, and drafts that the next one replaces.
package struct SnapshotTaking {
    package struct Report: Sendable {
        package let head: LogHead
        package let people: Int
        /// How many events were read behind the snapshot before.
        package let eventsFolded: Int
        /// The sizes of the files; 0 for one that was left as it is.
        package let stateBytes: Int
        package let indexBytes: Int
    }

    private let directory: String
    private let disk: any Disk
    private let beginning: Beginning

    package init(_ directory: String, on disk: any Disk, _ beginning: Beginning) {
        self.directory = directory
        self.disk = disk
        self.beginning = beginning
    }

    /// Tells its drafts from those of the log's writer.
    private static let draftSuffix = ".beside"

    /// `nil` where somebody else is at it.
    package func run() throws(JournalError) -> Report? {
        guard let lock = try SnapshotLock(directory, on: disk) else { return nil }
        defer { withExtendedLifetime(lock) {} }
        let log = try LogReader(directory, on: disk)
        let limit = log.durablePosition ?? .max
        let (head, people, folded, stateBytes) = try takeState(log, limit)
        // The state is given up by now: the two are never in memory together.
        let indexBytes = try log.writeIndex(through: head.position, draftSuffix: Self.draftSuffix)
        return Report(
            head: head, people: people, eventsFolded: folded, stateBytes: stateBytes, indexBytes: indexBytes)
    }

    private func takeState(
        _ log: LogReader, _ limit: UInt64
    ) throws(JournalError) -> (head: LogHead, people: Int, folded: Int, bytes: Int) {
        let folded = try FoldedLog.load(log, beginning, through: limit)
        var bytes = 0
        if folded.snapshot != folded.head || folded.hasOtherZones {
            bytes = try onDisk { () throws(DiskError) in
                try folded.write(to: directory, on: disk, draftSuffix: Self.draftSuffix)
            }
        }
        return (folded.head, folded.register.people.count, folded.eventsFolded, bytes)
    }
}
