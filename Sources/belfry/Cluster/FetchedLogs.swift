import Dispatch
import Foundation
import Journal
import Shared

/// A command that reads whole logs and writes none.
protocol ReadingWholeLogs: Command {
    /// Whether it is about one log at a time.
    static var readsOne: Bool { get }
}

extension ReadingWholeLogs {
    static var readsOne: Bool { false }
}

/// The logs of a cluster, for a command that reads whole logs (`M7`): fetched from its database into a directory of their own, which goes
/// when the command ends, however that is.
struct FetchedLogs: Sendable {
    static let postgres = CommandSpec.Option(
        name: ClusterOptions.postgres.name, value: "URL",
        help: "in place of --data: a cluster's database, or @FILE with its URL; its logs are fetched first")

    private let path: String

    /// Runs a command on what it names: a cluster's logs are lent to it like any directory of partitions.
    static func lend(to command: any Command.Type, _ arguments: Arguments, _ world: World) throws(Failure) {
        let spec = command.spec
        guard let reading = command as? any ReadingWholeLogs.Type, let log = try ClusterOptions.log(arguments)
        else { return try command.run(arguments, world) }
        // Before anything is fetched.
        if reading.readsOne, arguments[CommandSpec.partition] == nil, arguments[PersonCommands.user] == nil {
            throw .usage(
                "\(spec.name) reads a cluster's logs one at a time; name one with --partition, or somebody with --user",
                spec)
        }
        guard arguments[CommandSpec.data] == nil else {
            throw .usage("--data and --postgres name two logs; leave one of them out", spec)
        }
        let logs = try FetchedLogs()
        // Whoever is told to end in between leaves nothing behind.
        let signals = StopSignals([SIGINT, SIGTERM, SIGHUP]) { number in
            logs.remove()
            Progress.clear()
            _exit(128 + number)
        }
        defer {
            withExtendedLifetime(signals) {}
            logs.remove()
        }
        // Whoever opens no keys sees at least whether the logs are whole.
        let world = command.opensKeys ? try world.withKeys(arguments) : world.withoutKeys
        try logs.fetch(from: log, arguments, world.disk)
        try command.run(arguments.with(CommandSpec.data, logs.path), world)
    }

    private init() throws(Failure) {
        var name = Array((FileManager.default.temporaryDirectory.path + "/belfry-XXXXXX").utf8CString)
        // For its owner alone.
        guard mkdtemp(&name) != nil else {
            throw Failure(
                .environment,
                "cannot make a directory in \(FileManager.default.temporaryDirectory.path): \(String(cString: strerror(errno))); TMPDIR names another place"
            )
        }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func remove() { try? FileManager.default.removeItem(atPath: path) }

    private func fetch(from log: PostgresLog, _ arguments: Arguments, _ disk: any Disk) throws(Failure) {
        do {
            let connection = try log.connect(ConnectionTerms(isReading: true))
            defer { connection.close() }
            let cluster = connection.cluster
            if disk.keys != nil, let lost = SharedLogError(missing: try connection.missingKeyPages(of: nil)) {
                throw lost
            }
            let keys = cluster.isSealed ? ClusterKeys(log, of: cluster.id, isReading: true) : nil
            let cache = ClusterCache(
                try DataDirectory.made(path, partitions: cluster.partitions, on: disk), of: cluster.id, on: disk,
                keys: keys)
            let ends = try Self.meant(arguments, of: cluster).map { partition in
                (partition, try connection.tail(of: partition).until)
            }
            let progress = Progress("fetching", total: Int(ends.reduce(0) { $0 + $1.1 }))
            defer { progress.finish() }
            var fetched = 0
            for (partition, end) in ends {
                try cache.fill(partition, from: connection, through: end) { position in
                    progress.update(bytes: fetched + Int(position))
                    return true
                }
                fetched += Int(end)
            }
        } catch {
            throw Failure(moving: error)
        }
    }

    /// Which partitions; what is about everyone last, since others hold copies of it. What is no partition says the command.
    private static func meant(_ arguments: Arguments, of cluster: Cluster) -> [Int] {
        let all = Array(0..<cluster.partitions) + [Partition.everyone]
        guard let word = arguments[CommandSpec.partition] else { return all }
        return all.filter { ClusterCache.name($0).text == word }
    }
}
