import CivilTime
import Journal
import Sealing
import Shared

/// One command of `belfry`: what it takes, and what it does.
protocol Command {
    static var spec: CommandSpec { get }
    static func run(_ arguments: Arguments, _ world: World) throws(Failure)
    /// Whether it shows, or decides by, what is sealed.
    static var opensKeys: Bool { get }
}

extension Command {
    static var opensKeys: Bool { true }
}

/// What commands have of the world, put together once.
struct World {
    var disk: any Disk
    let output: Output
    let clock: @Sendable () -> Instant
    /// Where the tz database is looked for.
    let zoneDirectories: [String]
    /// The options that name the master key, for a process that is started beside this one.
    var keyOptions: [String] = []
    /// What opens people's keys; `nil` for a command that opens none.
    var master: MasterKeySource?

    func zones() throws(Failure) -> ZoneDatabase {
        do { return try ZoneDatabase(searching: zoneDirectories) } catch { throw Failure(.environment, "\(error)") }
    }

    /// The same, for logs whose fields are not sealed.
    var withoutKeys: World {
        World(disk: RealDisk(keys: nil), output: output, clock: clock, zoneDirectories: zoneDirectories)
    }

    /// The same, for copies of a cluster's logs, whose keys lie in its database. A process that is started beside this one is told
    /// of both.
    ///
    /// - Parameter database: as it was named.
    func withKeys(_ keys: ClusterKeys, database: String) throws(Failure) -> World {
        guard let master, !keyOptions.isEmpty else { throw Failure(.wrongUsage, "\(KeyRingError.noCommonMaster)") }
        var world = self
        world.disk = RealDisk(keys: LogKeys(master, tables: { keys.tables(in: $0) }))
        world.keyOptions.append("\(ClusterOptions.postgres.name)=\(database)")
        return world
    }

    /// The same, where a database is named that holds the keys of a cluster's logs.
    func withKeys(_ arguments: Arguments) throws(Failure) -> World {
        guard let log = try ClusterOptions.log(arguments), let word = arguments[ClusterOptions.postgres] else {
            return self
        }
        let cluster = try ClusterOptions.cluster(log, isReading: true)
        guard cluster.isSealed else { return withoutKeys }
        return try withKeys(ClusterKeys(log, of: cluster.id, isReading: true), database: word)
    }

    func directory(_ arguments: Arguments) throws(Failure) -> DataDirectory {
        try DataDirectory(Self.dataDirectory(arguments), on: disk)
    }

    /// The log that holds this person.
    func log(_ arguments: Arguments, of user: String) throws(Failure) -> LogReader {
        try log(at: try directory(arguments).whole().log(of: user))
    }

    func log(at directory: String) throws(Failure) -> LogReader {
        do throws(JournalError) {
            let log = try LogReader(directory, on: disk)
            guard !log.isEmpty else { throw .noLog(directory: directory) }
            return log
        } catch {
            if case .noLog = error, let failure = try DataDirectory.absence(of: directory, on: disk) { throw failure }
            throw Failure(error)
        }
    }

    static func dataDirectory(_ arguments: Arguments) -> String { arguments[CommandSpec.data] ?? "events/log" }
}
