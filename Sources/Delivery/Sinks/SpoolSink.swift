public import CivilTime
internal import Notices

/// Puts each job as a file into a directory, for another program to take out.
///
/// `SEQ.json` (the job's number in the log, 20 digits) holds the job's line. It appears whole, under a name that sorts in
/// the order of the log, and is answered for when it and its name are on the disk. A job that is handed over again
/// replaces its file with the same bytes. Names that begin with `.tmp-` are this sink's alone.
public final class SpoolSink: Sink {
    public let name: String
    public let window = 256

    private let gathering: Gathering
    private let directory: SpoolDirectory

    /// Makes the directory where it is missing, and removes what an earlier run left half written.
    public init(directory path: String) throws(SystemFailure) {
        name = "spool \(path)"
        let directory = try SpoolDirectory(path)
        self.directory = directory
        gathering = Gathering(label: "belfry.spool") { directory.put($0) }
    }

    public func take(_ order: Order, answer: @escaping @Sendable (SinkOutcome) -> Void) {
        gathering.take(order, answer)
    }

    /// Files that nobody has taken out yet, looked through once. What was decided in the erasure's own instant is taken for theirs:
    /// nothing that they were told may stay.
    public func erase(_ users: Set<String>, through instant: Instant) -> String? {
        let count = gathering.settled {
            directory.removeFiles { user, decided in users.contains(user) && decided.map { $0 <= instant } ?? true }
        }
        return count == 0 ? nil : "\(count == 1 ? "1 job" : "\(count) jobs") in the \(name)"
    }

    /// Removes what an erasure has left here that this directory was not served at: jobs of people whom the log does not know, and
    /// jobs from before somebody who came later with the same id.
    ///
    /// - Parameter isKept: whose job it is, and when it was decided.
    /// - Returns: how many were removed.
    @discardableResult
    public func keep(only isKept: (_ user: String, _ decided: Instant?) -> Bool) -> Int {
        directory.removeFiles { !isKept($0, $1) }
    }

    public func close(_ done: @escaping @Sendable () -> Void) { gathering.close(done) }
}

/// The directory, held against a second writer: two logs number their jobs alike.
private final class SpoolDirectory: Sendable {
    private let path: String
    private let lock: SystemFiles.Open

    private static let temporary = ".tmp-"
    /// So many files are synced with their whole file system: one by one each would wait for the disk by itself.
    private static let together = 8

    init(_ path: String) throws(SystemFailure) {
        self.path = path
        if try SystemFiles.makeDirectory(path) { try SystemFiles.syncDirectory(SystemFiles.parent(of: path)) }
        lock = try SystemFiles.openDirectory(path)
        try SystemFiles.lock(lock, path)
        for name in try SystemFiles.names(in: path) where name.hasPrefix(Self.temporary) {
            SystemFiles.remove("\(path)/\(name)")
        }
    }

    /// All are written, then synced, then named, and then the names are synced.
    func put(_ orders: [Order]) -> [SinkOutcome] {
        let isTogether = orders.count >= Self.together && SystemFiles.canSyncTogether
        var failures = orders.map { order in
            failure { () throws(SystemFailure) in try write(order, isSynced: !isTogether) }
        }
        if isTogether {
            let common = failure { () throws(SystemFailure) in try SystemFiles.syncTogether(lock, path) }
            failures = failures.map { $0 ?? common }
        }
        for (index, order) in orders.enumerated() where failures[index] == nil {
            failures[index] = failure { () throws(SystemFailure) in
                try SystemFiles.rename(temporary(order), to: "\(path)/\(name(order)).json")
            }
        }
        for (order, failure) in zip(orders, failures) where failure != nil { SystemFiles.remove(temporary(order)) }
        // Without it the names may not be on the disk, so nothing is: written anew, each file is the same.
        let common = failure { () throws(SystemFailure) in try SystemFiles.syncDirectory(path) }
        return failures.map { failure in
            (failure ?? common).map { .retry(after: nil, reason: "could not \($0)") } ?? .taken(providerID: nil)
        }
    }

    /// - Parameter isGone: whether a file about this person, of this moment, is to go.
    func removeFiles(_ isGone: (String, Instant?) -> Bool) -> Int {
        guard let names = try? SystemFiles.names(in: path) else { return 0 }
        var count = 0
        for name in names where name.hasSuffix(Self.suffix) {
            guard let (bytes, _) = try? SystemFiles.read("\(path)/\(name)", bytesMax: Self.bytesMax),
                let job = JSONValue(parsing: String(decoding: bytes, as: UTF8.self)), let user = job["user"]?.string,
                isGone(user, job["at"]?.string.flatMap { try? Instant(rfc3339: $0) })
            else { continue }
            SystemFiles.remove("\(path)/\(name)")
            count += 1
        }
        if count > 0 { try? SystemFiles.syncDirectory(path) }
        return count
    }

    private static let suffix = ".json"
    private static let bytesMax = 1 << 20

    private func write(_ order: Order, isSynced: Bool) throws(SystemFailure) {
        let path = temporary(order)
        let file = try SystemFiles.create(path)
        let (_, code) = SystemFiles.write(order.line + [UInt8(ascii: "\n")], to: file.descriptor)
        if code != 0 { throw SystemFailure("write \(path)", code) }
        if isSynced { try SystemFiles.sync(file, path) }
    }

    private func temporary(_ order: Order) -> String { "\(path)/\(Self.temporary)\(name(order))" }

    private func name(_ order: Order) -> String {
        let digits = String(order.seq)
        return String(repeating: "0", count: 20 - digits.count) + digits + (order.part.map { "-\($0)" } ?? "")
    }

    private func failure(_ body: () throws(SystemFailure) -> Void) -> SystemFailure? {
        do throws(SystemFailure) { try body() } catch { return error }
        return nil
    }
}
