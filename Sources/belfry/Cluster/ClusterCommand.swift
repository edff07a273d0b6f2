import CivilTime
import Foundation
import Journal
import Notices
import Shared

/// `belfry cluster`: the log in PostgreSQL, as its operator begins it, looks at it, and takes logs in and out (`M7`).
enum ClusterCommand: Command {
    private static let actions = ["create", "status", "drain", "import", "export"]
    private static let partitions = CommandSpec.Option(
        name: "--partitions", value: "P",
        help: "with create: over how many people are dealt, for ever (default \(Cluster.partitionsUsual))")

    private static let withoutSeals = CommandSpec.Option(
        name: "--without-seals", value: nil,
        help: "with create: its logs have no sealed fields, and nobody can be erased")

    static let spec = CommandSpec(
        name: "cluster", summary: "Begins a log in PostgreSQL, shows who owns what, and takes logs in and out.",
        positional: CommandSpec.Positional(name: "ACTION", isRequired: true, completion: .words(actions)),
        options: [ClusterOptions.postgres, partitions, withoutSeals, CommandSpec.data, CommandSpec.json],
        notes: """
            create   begins a cluster in an empty database; its partitions are fixed for ever
            status   which worker owns which partition, since when, where its log ends, and how much of it came
                     behind the newest snapshot in the database; with --data, the copy of a worker that runs here,
                     also how late each is decided
            drain    has the worker whose copy is in --data give its partitions away and take no more, and waits
                     until it has none: it can be stopped then, and nobody waits for it. Started again, it takes part
                     again
            import   takes the partitions of --data into a new cluster of as many, byte for byte; no worker may run,
                     and none takes what an import left that was cut off: make another database, and import again
            export   copies every partition into a new directory, --data; workers may run

            replay, audit, verify, what-if and stats read a cluster's logs with --postgres in place of --data; log
            reads one of them. What was exported is a directory of partitions: all commands work on it, and
            `belfry run` goes on with up to \(DataDirectory.partitionsMax) partitions.

            What tells who people are is sealed, with keys that lie in the database under a master key. Every worker
            is given that key (--master-key-file, --master-key-command), and so are import and export.
            `openssl rand -hex 64` makes one.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let action = arguments.positional ?? ""
        guard actions.contains(action) else {
            throw .usage("cluster cannot \"\(action)\"; it can \(actions.joined(separator: ", "))", spec)
        }
        if action == "drain" { return try Draining(directory(arguments)).run(world.output) }
        guard let log = try ClusterOptions.log(arguments) else {
            throw .usage("name the database with --postgres", spec)
        }
        guard action == "create" || arguments[partitions] == nil && !arguments.has(withoutSeals) else {
            throw .usage("--partitions and --without-seals are for cluster create", spec)
        }
        switch action {
        case "create": try create(log, arguments, world)
        case "status":
            let worker = try arguments[CommandSpec.data].map(ClusterStatus.worker)
            try ClusterStatus(log, worker).print(isJSON: arguments.has(CommandSpec.json), world.output)
        case "import": try ClusterTransfer(log, try directory(arguments), world).takeIn()
        case "export": try ClusterTransfer(log, try directory(arguments), world).giveBack()
        default: throw .usage("cluster cannot \"\(action)\"; it can \(actions.joined(separator: ", "))", spec)
        }
    }

    private static func directory(_ arguments: Arguments) throws(Failure) -> String {
        guard let path = arguments[CommandSpec.data] else { throw .usage("name the directory with --data", spec) }
        return path
    }

    private static func create(_ log: PostgresLog, _ arguments: Arguments, _ world: World) throws(Failure) {
        var plan = ClusterPlan(id: .random(), isSealed: !arguments.has(withoutSeals))
        if let word = arguments[partitions] {
            guard let count = Int(word), (1...Cluster.partitionsMax).contains(count) else {
                throw .usage("--partitions takes a number from 1 to \(Cluster.partitionsMax), not \"\(word)\"", spec)
            }
            plan.partitions = count
        }
        let made: Cluster
        do throws(SharedLogError) { made = try log.create(plan) } catch { throw Failure(error) }
        if arguments.has(CommandSpec.json) {
            world.output.line(
                "{\"cluster\":\"\(made.id)\",\"partitions\":\(made.partitions),\"sealed\":\(made.isSealed)}")
        } else {
            world.output.line("cluster \(made.id), \(counted(made.partitions, "partition"))")
        }
        if made.isSealed {
            complain(
                "note: people's keys will lie in the database under a master key that every worker is given (--master-key-file, --master-key-command); `openssl rand -hex 64` makes one. Who loses it can read nothing of people any more"
            )
        }
        if made.synchronousStandbys.isEmpty {
            complain(
                "note: the database waits for no standby (synchronous_standby_names is empty), so what is acknowledged is on one machine only"
            )
        }
    }
}
