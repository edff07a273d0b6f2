import Foundation
import Journal
import Notices
import Shared

/// Where data lies: one log, or a log for each partition and one for the facts about everyone (`FORMAT.md` beside this).
struct DataDirectory: Sendable {
    let path: String
    /// How many partitions people are dealt over; `nil` for one log that holds everybody.
    let partitions: Int?

    /// Whether it is a worker's copy of a cluster's logs: it has those that the worker owned, up to somewhere.
    let isCopy: Bool

    static let partitionsMax = 64
    static let mark = "partitions"
    private static let copyMark = "cluster"
    private static let copyFirstLine = "belfry-cluster 1"
    private static let firstLine = "belfry-partitions 1"
    private static let markBytesMax = 1024

    /// As it is found.
    init(_ path: String, on disk: any Disk) throws(Failure) {
        let partitions: Int?
        if let text = try Self.text(of: Self.copyMark, in: path, on: disk) {
            guard let copied = Self.copied(text) else { throw Self.unreadable(Self.copyMark, in: path) }
            self.init(path, partitions: copied.partitions, isCopy: true)
            return
        }
        if let text = try Self.text(of: Self.mark, in: path, on: disk) {
            partitions = Self.count(text)
            guard let partitions, (1...Cluster.partitionsMax).contains(partitions) else {
                throw Self.unreadable(Self.mark, in: path)
            }
        } else {
            partitions = nil
        }
        self.init(path, partitions: partitions)
    }

    private init(_ path: String, partitions: Int?, isCopy: Bool = false) {
        (self.path, self.partitions, self.isCopy) = (path, partitions, isCopy)
    }

    /// `nil` where there is none, or what is there cannot be looked at: what it is says whoever opens it as a log.
    private static func text(of mark: String, in path: String, on disk: any Disk) throws(Failure) -> String? {
        let mark = DiskPath.join(path, mark)
        guard let status = try? disk.status(of: mark), status.kind == .file else { return nil }
        do throws(DiskError) {
            return String(decoding: try disk.contents(of: mark, limit: markBytesMax), as: UTF8.self)
        } catch {
            throw Failure(.environment, "\(error)")
        }
    }

    private static func unreadable(_ mark: String, in path: String) -> Failure {
        Failure(
            .damaged,
            "\(DiskPath.join(path, mark)) does not say how many partitions there are; put back the one of your backup")
    }

    /// A new one for so many partitions, or the one that is there, if it has as many.
    static func open(_ path: String, partitions wanted: Int?, on disk: any Disk) throws(Failure) -> DataDirectory {
        let found = try DataDirectory(path, on: disk)
        guard let wanted, wanted != found.partitions else { return found }
        if let count = found.partitions {
            throw Failure(
                .wrongUsage,
                "\(path) has \(counted(count, "partition")), and always will; --partitions \(wanted) is another log. Leave the option out, or name another --data"
            )
        }
        guard wanted > 1 else { return found }
        if try found.holdsOneLog(on: disk) {
            throw Failure(
                .wrongUsage,
                "\(path) holds one log of everybody, which cannot be dealt over partitions. Name another --data for --partitions \(wanted)"
            )
        }
        return try made(path, partitions: wanted, on: disk)
    }

    /// A new one, for logs that are there already elsewhere. The caller has seen that nothing is there.
    static func made(_ path: String, partitions: Int, on disk: any Disk) throws(Failure) -> DataDirectory {
        try write("\(firstLine)\ncount \(partitions)\n", as: mark, in: path, on: disk)
        return DataDirectory(path, partitions: partitions)
    }

    /// A worker's copy of this cluster's logs, new or as it was left.
    static func copy(_ path: String, of cluster: Cluster, on disk: any Disk) throws(Failure) -> DataDirectory {
        if let text = try text(of: copyMark, in: path, on: disk) {
            guard let copied = copied(text) else { throw unreadable(copyMark, in: path) }
            guard copied.id == cluster.id else {
                throw Failure(.environment, "\(SharedLogError.anotherCluster(expected: copied.id, found: cluster.id))")
            }
            return DataDirectory(path, partitions: cluster.partitions, isCopy: true)
        }
        let found = try DataDirectory(path, on: disk)
        guard found.partitions == nil, try !found.holdsOneLog(on: disk) else {
            throw Failure(
                .wrongUsage,
                "\(path) holds a log of its own, and a worker of a cluster keeps its copy there; name another --data. `belfry cluster import` takes a log into a database"
            )
        }
        try write("\(copyFirstLine)\nid \(cluster.id)\ncount \(cluster.partitions)\n", as: copyMark, in: path, on: disk)
        return DataDirectory(path, partitions: cluster.partitions, isCopy: true)
    }

    private static func write(
        _ text: String, as mark: String, in path: String, on disk: any Disk
    ) throws(Failure) {
        do throws(DiskError) {
            try make(path, on: disk)
            try disk.writeAtomically(DiskPath.join(path, mark), Array(text.utf8))
        } catch {
            throw Failure(.environment, "\(error)")
        }
    }

    private static func copied(_ text: String) -> (id: ClusterID, partitions: Int)? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[0] == copyFirstLine, lines[1].hasPrefix("id "), lines[2].hasPrefix("count "),
            let id = ClusterID(lines[1].dropFirst(3)), let count = Int(lines[2].dropFirst("count ".count)),
            (1...Cluster.partitionsMax).contains(count)
        else { return nil }
        return (id, count)
    }

    /// Itself, for whoever reads logs by themselves: a copy of a cluster's logs has a part of them, up to somewhere.
    func whole() throws(Failure) -> DataDirectory {
        guard !isCopy else {
            throw Failure(
                .environment,
                "\(path) is a worker's copy of a cluster's logs, and others have the rest. People, and what becomes of them, can be asked about while it runs; whole logs are read with --postgres, or from `belfry cluster export`"
            )
        }
        return self
    }

    /// Itself, for whoever writes where no worker runs: what is written in a copy, or in one log of a copy, the database does not know.
    func ownLogs(on disk: any Disk) throws(Failure) -> DataDirectory {
        guard !isCopy, around(on: disk)?.isCopy != true else {
            throw Failure(
                .environment,
                "\(isCopy ? path : DiskPath.parent(of: path)) is a copy of a cluster's logs, and no worker runs on it; start one with --postgres, or ask another worker"
            )
        }
        return self
    }

    /// Itself, for whoever decides about people where no worker runs. One partition of several does not hold everybody: who belongs
    /// to another would be in two.
    func everybodysLogs(on disk: any Disk) throws(Failure) -> DataDirectory {
        let own = try ownLogs(on: disk)
        guard Int(DiskPath.name(of: path)) != nil, let town = around(on: disk), let count = town.partitions else {
            return own
        }
        throw Failure(
            .wrongUsage, "\(path) is one of the \(counted(count, "partition")) of \(town.path); name \(town.path)")
    }

    /// The directory whose logs this is one of, if it is. What else is called as its files are (`/proc/partitions`) says nothing of that.
    func around(on disk: any Disk) -> DataDirectory? {
        let parent = partitions == nil ? try? DataDirectory(DiskPath.parent(of: path), on: disk) : nil
        return parent?.partitions == nil ? nil : parent
    }

    // MARK: Its logs

    /// Where the log of everybody is, or of the facts about everyone.
    var everyone: String { partitions == nil ? path : DiskPath.join(path, LogName.everyone.text) }

    /// Where a person's log is.
    func log(of user: String) -> String { log(LogName(of: user, among: partitions)) }

    func log(_ name: LogName) -> String {
        switch name {
        case .whole: path
        case .everyone, .partition: DiskPath.join(path, name.text)
        }
    }

    /// Those that people are in.
    var names: [LogName] { partitions.map { (0..<$0).map(LogName.partition) } ?? [.whole] }

    /// All of them, what is about everyone first.
    var allNames: [LogName] { partitions == nil ? names : [.everyone] + names }

    // MARK: The file that says so

    private static func count(_ text: String) -> Int? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0] == firstLine, lines[1].hasPrefix("count "), lines[2].isEmpty else {
            return nil
        }
        return Int(lines[1].dropFirst("count ".count))
    }

    private func holdsOneLog(on disk: any Disk) throws(Failure) -> Bool {
        do throws(JournalError) { return try !LogReader(path, on: disk).isEmpty } catch .noLog { return false } catch {
            throw Failure(error)
        }
    }

    private static func make(_ path: String, on disk: any Disk) throws(DiskError) {
        guard try disk.status(of: path) == nil else { return }
        let parent = DiskPath.parent(of: path)
        if parent != path { try make(parent, on: disk) }
        try disk.makeDirectory(path)
    }
}

/// Which log of a directory.
enum LogName: Hashable, Sendable {
    /// The only one.
    case whole
    case partition(Int)
    /// That of the facts about everyone.
    case everyone

    /// The number that stands for the log of everyone.
    static let everyonesNumber = Partition.everyone

    init(of user: String, among partitions: Int?) {
        self = partitions.map { .partition(Partition.of(user, among: $0)) } ?? .whole
    }

    /// As directories, commands and answers call it.
    var text: String {
        switch self {
        case .whole: ""
        case .partition(let number): "\(number)"
        case .everyone: "everyone"
        }
    }

    /// As people read it.
    var told: String {
        switch self {
        case .whole: "the log"
        case .partition(let number): "partition \(number)"
        case .everyone: "the log of everyone"
        }
    }

    /// The number under which a partition's places are told apart from another's; `nil` for what has no people.
    var number: Int? { if case .partition(let number) = self { number } else { nil } }

    /// What JSON of one log of several begins with.
    var member: String {
        switch self {
        case .whole: ""
        case .partition(let number): "\"partition\":\(number),"
        case .everyone: "\"partition\":\(Partition.everyone),"
        }
    }
}
