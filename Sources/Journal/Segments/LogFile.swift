/// What the files of a log are called.
public enum LogFile {
    /// Made by every writer before anything else, and left there.
    public static let lock = "lock"
    static let witness = "durable"
    static let index = "index.snapshot"
    public static let state = "state.snapshot"
    public static let numbers = "numbers.snapshot"
    static let snapshots = [index, state, numbers]
    /// The index as the log's writer is writing it.
    static let writersDraft = index + temporarySuffix
    /// A snapshot on its way here from a database. Not called like a draft: it shows nothing of this log before it was looked at.
    /// - Parameter who: fetches it; no two may write the same file.
    public static func fetched(by who: String) -> String { "fetched.\(who)\(temporarySuffix)" }
    /// Held by whoever takes snapshots beside a writer.
    static let snapshotLock = "snapshot.lock"
    /// Where a running worker is asked.
    public static let socket = "belfry.sock"
    /// What a worker signs persons' tokens with, and links in mails until its document names another.
    static let senderSecret = "senders.secret"
    /// Texts that a worker has handed to their provider and whose outcome is not in the log yet.
    static let textsUnderWay = "texts.underway"
    /// Which of the tokens of persons are revoked.
    public static let revokedTokens = "person-tokens.revoked"
    /// People's keys, and what opens them (Sources/Sealing/FORMAT.md).
    static let keys = ["keys", "keys.table", "master.key"]
    /// There while an import into the log runs, and where one was cut off.
    static let importing = "importing"
    /// Said that somebody is being erased, to programs that did not ask the log.
    static let erasing = "erasing"
    /// What a freshly made file system has at its root.
    static let newFileSystem = "lost+found"
    static let segmentSuffix = ".segment"
    static let tornSuffix = ".torn"
    static let temporarySuffix = ".tmp"

    /// Twenty digits, so that names sort as positions do.
    static func segment(_ firstPosition: UInt64) -> String {
        let digits = String(firstPosition)
        return String(repeating: "0", count: 20 - digits.count) + digits + segmentSuffix
    }

    static func firstPosition(_ name: String) -> UInt64? {
        guard name.hasSuffix(segmentSuffix) else { return nil }
        let digits = name.dropLast(segmentSuffix.count)
        guard digits.utf8.count == 20, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return UInt64(digits)
    }

    /// Whether a file may lie in a log's directory without being asked about.
    static func mayLieInALog(_ name: String) -> Bool {
        let own = [
            lock, witness, index, state, numbers, snapshotLock, socket, senderSecret, textsUnderWay, revokedTokens,
            importing, erasing, newFileSystem,
        ]
        return own.contains(name) || keys.contains(name)
            || firstPosition(name) != nil
            || name.hasSuffix(tornSuffix) || name.hasSuffix(temporarySuffix)
    }
}
