public import Hashing

/// One row of a partition's log: whole frames as `Sources/Journal/FORMAT.md` lays them out, written by one flush.
public struct LogRow: Sendable, Equatable {
    /// Of the first frame.
    public var position: UInt64
    /// Of the frame that comes next.
    public var until: UInt64
    /// Under which the row was written.
    public var epoch: Int64
    /// The hash of the last frame in it, which the next frame carries.
    public var head: Digest
    public var frames: [UInt8]

    public init(position: UInt64, until: UInt64, epoch: Int64, head: Digest, frames: [UInt8]) {
        self.position = position
        self.until = until
        self.epoch = epoch
        self.head = head
        self.frames = frames
    }

    /// The frames of one row may have as many bytes. PostgreSQL takes a field of 1 GiB, and sends it as one message.
    public static let bytesMax = 256 << 20
}

/// Where a partition's log ends: what the next row must continue.
public struct LogTail: Sendable, Equatable {
    /// The position of the last row.
    public var row: UInt64
    /// Where the next row begins.
    public var until: UInt64
    /// Under which the last row was written.
    public var epoch: Int64
    /// The hash of the last frame.
    public var head: Digest

    /// Of a partition that has no rows.
    public static let start = LogTail(row: 0, until: 0, epoch: 0, head: .zero)

    public init(row: UInt64, until: UInt64, epoch: Int64, head: Digest) {
        self.row = row
        self.until = until
        self.epoch = epoch
        self.head = head
    }
}

/// What is to be appended to one partition: the frames of one batch, byte for byte, and what they continue.
public struct Flush: Sendable, Equatable {
    public var partition: Int
    /// Under which the appender holds the partition.
    public var epoch: Int64
    /// What the frames continue: the tail that was read at the taking, or that of the flush before.
    public var after: LogTail
    /// The hash of the last frame.
    public var head: Digest
    public var frames: [UInt8]

    public init(partition: Int, epoch: Int64, after: LogTail, head: Digest, frames: [UInt8]) {
        self.partition = partition
        self.epoch = epoch
        self.after = after
        self.head = head
        self.frames = frames
    }

    /// Where the log ends once this is taken.
    public var tail: LogTail {
        LogTail(row: after.until, until: after.until + UInt64(frames.count), epoch: epoch, head: head)
    }

    /// What lies in the log once this is taken.
    public var row: LogRow {
        LogRow(position: after.until, until: tail.until, epoch: epoch, head: head, frames: frames)
    }
}

/// What became of one partition's row.
public enum FlushOutcome: Sendable, Equatable {
    /// The row is in the log, as durable as the database is set up to make it (`M5`). Only this is ever acknowledged.
    case taken
    /// Surely not written: the partition has another epoch, or its log ends elsewhere. Drop what hangs on it, then take the
    /// partition again or leave it to who has it.
    case lost
    /// Nobody can say. Take the partition again: the new epoch shuts the old statement out, and the tail then tells.
    case unknown
}

/// What became of an attempt to own a partition.
public enum Acquisition: Sendable, Equatable {
    case acquired(epoch: Int64)
    /// Somebody was faster, its owner lives, or the worker that asked is itself not alive.
    case refused
    /// It may be had, but a statement holds its row for longer than one waits.
    case busy
}
