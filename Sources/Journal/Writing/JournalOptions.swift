/// How a log is kept.
package struct JournalOptions: Sendable {
    /// A segment is ended when the next commit would make it longer than this.
    package var segmentBytesMax: Int
    /// The index snapshot is written on opening and on closing when the log has grown by more than this since the last.
    package var snapshotEveryBytes: Int

    /// No commit is larger; what a frame can say at most.
    var commitBytesMax = FrameHeader.bodyMax

    package init(segmentBytesMax: Int = 128 << 20, snapshotEveryBytes: Int = 4 << 20) {
        self.segmentBytesMax = segmentBytesMax
        self.snapshotEveryBytes = snapshotEveryBytes
    }
}
