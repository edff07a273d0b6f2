/// A kind of snapshot: which fold of the log it has. The bytes are those of the file on disk.
public enum SnapshotSort: Int16, Sendable, CaseIterable {
    case index = 1
    case state = 2
    case numbers = 3
}

/// A snapshot that lies in the database, by what tells it from others of its partition.
public struct SharedSnapshot: Sendable, Hashable {
    public var sort: SnapshotSort
    /// Of the log, as of which it was taken.
    public var position: UInt64
    /// Under which its writer held the partition.
    public var epoch: Int64
    /// In how many parts it lies.
    public var parts: Int

    public init(_ sort: SnapshotSort, at position: UInt64, epoch: Int64, parts: Int) {
        (self.sort, self.position, self.epoch, self.parts) = (sort, position, epoch, parts)
    }

    /// Written in parts of so many bytes, each a statement of its own: an append waits for one part and not for all.
    public static let partBytes = 256 << 10

    /// As many are removed at a time: the appends of the partition wait for no more.
    public static let partsPruned = 16

    /// In how many parts a snapshot of so many bytes lies; an empty one has a part, too.
    public static func parts(of bytes: Int) -> Int { max(1, (bytes + partBytes - 1) / partBytes) }
}
