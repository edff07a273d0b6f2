import CivilTime
import Journal

/// One command of `belfry`: what it takes, and what it does.
protocol Command {
    static var spec: CommandSpec { get }
    static func run(_ arguments: Arguments, _ world: World) throws(Failure)
}

/// What commands have of the world, put together once.
struct World {
    let disk: any Disk
    let output: Output
    let clock: @Sendable () -> Instant
    /// Where the tz database is looked for.
    let zoneDirectories: [String]
    /// The options that name the master key, for a process that is started beside this one.
    var keyOptions: [String] = []

    func zones() throws(Failure) -> ZoneDatabase {
        do { return try ZoneDatabase(searching: zoneDirectories) } catch { throw Failure(.environment, "\(error)") }
    }

    /// The same, for logs whose fields are not sealed: keys lie on one machine's disk, and a cluster's logs on several.
    var withoutKeys: World {
        World(disk: RealDisk(keys: nil), output: output, clock: clock, zoneDirectories: zoneDirectories)
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
            throw Failure(error)
        }
    }

    static func dataDirectory(_ arguments: Arguments) -> String { arguments[CommandSpec.data] ?? "events/log" }
}
