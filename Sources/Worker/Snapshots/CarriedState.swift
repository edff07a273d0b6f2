public import Journal

/// The state of a log in a file that is carried from one copy of the log to another: what must be known of it before anybody
/// begins with it.
public enum CarriedState {
    /// As of where the state beside a log was taken; `nil` where there is none that this program can begin with.
    public static func head(beside log: LogReader, _ beginning: Beginning) throws(JournalError) -> LogHead? {
        try believable(LogFile.state, log, beginning)?.head
    }

    /// Where the log stood when the state was taken that begins with these bytes. `nil` where this log was never there, or the state
    /// is of another program's version.
    public static func head(beginning bytes: [UInt8], of log: LogReader) throws(JournalError) -> LogHead? {
        guard let identity = log.identity, let head = StateSnapshot.kind.head(of: bytes, identity),
            try log.isOnChain(head)
        else { return nil }
        return head
    }

    /// Whether a state of this log that begins with these bytes is concealed under a key that is gone, so that nobody opens it any more.
    public static func isGone(beginning bytes: [UInt8], of log: LogReader) -> Bool {
        guard let identity = log.identity, StateSnapshot.kind.head(of: bytes, identity) != nil else { return false }
        return !SnapshotReader.opens(bytes, StateSnapshot.kind, of: identity, in: log.directory, on: log.disk)
    }

    /// Puts a state that was fetched beside a log in the place of what is there. `false` where it cannot be believed: then it goes.
    public static func install(
        _ name: String, beside log: LogReader, _ beginning: Beginning
    ) throws(JournalError) -> Bool {
        let fetched = DiskPath.join(log.directory, name)
        let found = try believable(name, log, beginning)
        let isWhole = try onDisk { () throws(DiskError) in try found?.isWhole() ?? false }
        try onDisk { () throws(DiskError) in
            guard isWhole else { return try log.disk.remove(fetched) }
            try log.disk.rename(fetched, to: DiskPath.join(log.directory, LogFile.state))
            try log.disk.syncDirectory(log.directory)
        }
        return isWhole
    }

    private static func believable(
        _ name: String, _ log: LogReader, _ beginning: Beginning
    ) throws(JournalError) -> SnapshotReader? {
        guard let (file, outline) = try StateSnapshot.believable(StateSnapshot.kind.named(name), log),
            outline.beginning == beginning.policy
        else { return nil }
        return file
    }
}
