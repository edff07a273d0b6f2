public import Journal
internal import Notices

/// Takes the snapshots of a log without disturbing its writer: a snapshot is a fold of the log, so it
/// needs nothing of a running worker.
///
/// Only what is known to be durable goes into one, so none is ahead of what a crash leaves. A crash while it is taken
/// leaves the older snapshots, and drafts that the next one replaces.
public struct SnapshotTaking {
    public struct Report: Sendable {
        public let head: LogHead
        public let people: Int
        /// How many events were read behind the snapshot before.
        public let eventsFolded: Int
        /// Whether the state as of `head` is kept now; it is not where the log has people of whom only a newer program
        /// knows.
        public let isStateKept: Bool
        /// Whether it was kept already, so that its file was left as it is.
        public let wasStateThere: Bool
        /// The sizes of the files; 0 for one that is not kept.
        public let stateBytes: Int
        public let indexBytes: Int
        /// Whether somebody was erased while these were taken, so that they tell of them: whoever erased them has others taken, or is
        /// told that they are still to be.
        public let isOvertaken: Bool
    }

    private let directory: String
    private let disk: any Disk
    private let beginning: Beginning

    public init(_ directory: String, on disk: any Disk, _ beginning: Beginning) {
        self.directory = directory
        self.disk = disk
        self.beginning = beginning
    }

    /// Tells its drafts from those of the log's writer.
    private static let draftSuffix = ".beside"
    /// They are taken again where an erasure has overtaken them, as nobody else can meanwhile. Not for as long as a retention erases people
    /// without a pause: the worker that does so asks again.
    private static let roundsMost = 3

    /// `nil` where somebody else is at it.
    public func run() throws(JournalError) -> Report? {
        guard let lock = try SnapshotLock(directory, on: disk) else { return nil }
        defer { withExtendedLifetime(lock) {} }
        try lock.removeLeftovers()
        var report = try take()
        for _ in 1..<Self.roundsMost where report.isOvertaken { report = try take() }
        return report
    }

    private func take() throws(JournalError) -> Report {
        let log = try LogReader(directory, on: disk)
        let limit: UInt64
        if let known = log.durablePosition { limit = known } else { limit = try log.vouchedPosition() }
        let state = try takeState(log, limit)
        // The state is given up by now: the two are never in memory together.
        let indexBytes = try log.writeIndex(through: state.head.position, draftSuffix: Self.draftSuffix)
        let isStateKept = state.bytes > 0 || state.isThereAlready
        return Report(
            head: state.head, people: state.people, eventsFolded: state.folded, isStateKept: isStateKept,
            wasStateThere: state.isThereAlready, stateBytes: state.bytes, indexBytes: indexBytes,
            isOvertaken: try dropErased(keepingState: isStateKept))
    }

    /// Removes what tells of somebody who was erased and is not written anew here: the figures, which know what settings people have and
    /// are counted again when somebody asks, and a state of before that this program cannot replace.
    ///
    /// - Returns: whether others are left that do.
    private func dropErased(keepingState isStateKept: Bool) throws(JournalError) -> Bool {
        let owed = try LogReader(directory, on: disk).snapshotsBeforeErasure()
        let dropped = owed.filter { $0 == LogFile.numbers || $0 == LogFile.state && !isStateKept }
        try onDisk { () throws(DiskError) in
            for name in dropped { try disk.remove(DiskPath.join(directory, name)) }
            if !dropped.isEmpty { try disk.syncDirectory(directory) }
        }
        return dropped.count < owed.count
    }

    private struct State {
        let head: LogHead
        let people: Int
        let folded: Int
        let isThereAlready: Bool
        var bytes = 0
    }

    private func takeState(_ log: LogReader, _ limit: UInt64) throws(JournalError) -> State {
        let folded = try FoldedLog.load(log, beginning, through: limit)
        var state = State(
            head: folded.head, people: folded.register.people.count, folded: folded.eventsFolded,
            isThereAlready: folded.snapshot == folded.head && !folded.hasOtherZones)
        state.bytes = try onDisk { () throws(DiskError) in
            if state.isThereAlready { return try disk.status(of: DiskPath.join(directory, LogFile.state))?.size ?? 0 }
            return try folded.write(to: directory, on: disk, draftSuffix: Self.draftSuffix)
        }
        return state
    }
}
