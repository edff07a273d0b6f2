/// Where a log is damaged, and what shows it.
public struct Damage: Error, Equatable, Sendable, CustomStringConvertible {
    public var file: String
    /// In the file, where that is known.
    public var offset: Int?
    public var problem: String
    /// What whoever runs it can do.
    public var cure: String

    public init(
        _ file: String, at offset: Int? = nil, _ problem: String,
        cure: String = "Restore the file from a copy, then run `belfry verify`"
    ) {
        (self.file, self.offset, self.problem, self.cure) = (file, offset, problem, cure)
    }

    public var description: String {
        "\(file)\(offset.map { ", byte \($0)" } ?? ""): \(problem)"
    }
}

/// Why the journal did not do what it was asked.
public enum JournalError: Error, Equatable, Sendable, CustomStringConvertible {
    case disk(DiskError)
    case damaged(Damage)
    case newerFormat(file: String, version: Int)
    /// Another process holds the log; `holder` is what it wrote about itself.
    case inUse(directory: String, holder: String)
    case notALog(directory: String, found: String)
    case notMine(directory: String, owner: UInt32)
    case noLog(directory: String)
    /// It holds a part of a history: the import was cut off, or failed.
    case halfImported(directory: String)
    /// What the log's path leads to is no longer what was opened: it was deleted, replaced or unmounted.
    case displaced(String)
    /// The log is another writer's now: what was not acknowledged is not in it, or nobody can say whether it is.
    case lost(String)
    /// What was appended is more than one commit holds.
    case tooLarge(bytes: Int)
    /// The log has sealed fields, and there is nothing to open them with; the sentence says which file is needed.
    case keys(String)
    /// The log was closed; nothing more is taken.
    case closed
    /// A write or sync failed before; nothing more is taken (`G4`).
    case stopped(DiskError)

    public var description: String {
        switch self {
        case .lost(let words): words
        case .disk(let error): "\(error). \(error.advice)"
        case .damaged(let damage):
            "the log is damaged: \(damage). Nothing was changed. \(damage.cure)"
        case .newerFormat(let file, let version):
            "\(file) was written by a newer Belfry (log format \(version)); this one reads up to \(SegmentHeader.formatVersion). Use the newer version"
        case .inUse(let directory, let holder):
            "the log in \(directory) is being written by \(holder). Stop it first, or use another --data directory"
        case .notALog(let directory, let found):
            "\(directory) is no log of Belfry's: \(found). Name a log's directory with --data, or an empty or a new one to begin one"
        case .notMine(let directory, let owner):
            "\(directory) belongs to another user (uid \(owner)). Run as that user, or name a directory of your own with --data"
        case .noLog(let directory):
            "there is no log in \(directory). `belfry append --data \(directory) FILE` begins one"
        case .halfImported(let directory):
            "\(directory) holds no more than a part of a history: the import into it did not come to its end. Remove \(directory), then import again"
        case .displaced(let problem):
            "the log was taken away from under its writer: \(problem). Nothing more is acknowledged. Put it back, or name another directory with --data, and start again"
        case .tooLarge(let bytes):
            "a commit of \(bytes) bytes is more than the log holds in one; nothing of it was recorded, and the log takes nothing more. Send less at once"
        case .keys(let problem): problem
        case .closed: "the log was closed and takes nothing more"
        case .stopped(let error):
            "the log takes nothing more since a write failed: \(error). \(error.advice)"
        }
    }
}

/// Runs what asks the disk, and says so when it is the disk that failed.
public func onDisk<Result: ~Copyable>(
    _ body: () throws(DiskError) -> Result
) throws(JournalError) -> Result {
    do { return try body() } catch { throw .disk(error) }
}
