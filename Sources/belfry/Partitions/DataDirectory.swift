import Foundation
import Journal
import Notices
import Shared

/// Where data lies: one log, or a log for each partition and one for the facts about everyone (`FORMAT.md` beside this).
struct DataDirectory: Sendable {
    let path: String
    /// How many partitions people are dealt over; `nil` for one log that holds everybody.
    let partitions: Int?

    static let partitionsMax = 64
    private static let mark = "partitions"
    private static let firstLine = "belfry-partitions 1"
    private static let markBytesMax = 1024

    /// As it is found.
    init(_ path: String, on disk: any Disk) throws(Failure) {
        self.path = path
        do throws(DiskError) {
            let mark = DiskPath.join(path, Self.mark)
            // What cannot be looked at is no directory of partitions; what it is says whoever opens it as a log.
            guard let status = try? disk.status(of: mark), status.kind == .file else {
                partitions = nil
                return
            }
            partitions = try Self.count(
                String(decoding: disk.contents(of: mark, limit: Self.markBytesMax), as: UTF8.self))
        } catch {
            throw Failure(.environment, "\(error)")
        }
        guard let partitions, (2...Self.partitionsMax).contains(partitions) else {
            throw Failure(
                .damaged,
                "\(DiskPath.join(path, Self.mark)) does not say how many partitions there are; put back the one of your backup"
            )
        }
    }

    private init(_ path: String, partitions: Int?) { (self.path, self.partitions) = (path, partitions) }

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
        do throws(DiskError) {
            try make(path, on: disk)
            try disk.writeAtomically(DiskPath.join(path, mark), Array("\(firstLine)\ncount \(wanted)\n".utf8))
        } catch {
            throw Failure(.environment, "\(error)")
        }
        return DataDirectory(path, partitions: wanted)
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
