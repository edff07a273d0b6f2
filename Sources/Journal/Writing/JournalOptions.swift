/// How a log is kept.
public struct JournalOptions: Sendable {
    /// A segment is ended when the next commit would make it longer than this.
    public var segmentBytesMax: Int
    /// The index snapshot is written on opening and on closing when the log has grown by more than this since the last.
    public var snapshotEveryBytes: Int

    /// Which log a new one is; drawn where nobody says. A log that is there keeps its own.
    public var identity: LogIdentity?
    /// Whether it is a copy of a log that is written elsewhere: whole commits are appended to it as they are, and its keys are
    /// another's to make and to destroy.
    public var isCopy = false
    /// Whether it is made of a history: until `endImport` nobody else opens what there is of it.
    public var isImport = false
    /// What becomes of an opening that meets another writer's lock.
    public var lockPatience = LockPatience.none

    /// No commit is larger; what a frame can say at most.
    var commitBytesMax = FrameHeader.bodyMax

    public init(segmentBytesMax: Int = 128 << 20, snapshotEveryBytes: Int = 4 << 20) {
        self.segmentBytesMax = segmentBytesMax
        self.snapshotEveryBytes = snapshotEveryBytes
    }
}
