import CivilTime
import Journal
import Notices
import Worker

/// `belfry snapshot`: the folded state and the index, kept beside the log so that the next start is quick.
enum SnapshotCommand: Command {
    private static let database = CommandSpec.Option(
        name: ClusterOptions.postgres.name, value: "URL",
        help: "of a partition of a worker's copy: the database with people's keys, or @FILE with its URL")

    static let spec = CommandSpec(
        name: "snapshot", summary: "Saves the folded state beside the log, so that a worker starts quickly.",
        positional: nil, options: [CommandSpec.data, CommandSpec.partition, database, CommandSpec.json],
        notes: """
            Works beside a running worker, which also takes snapshots itself. A snapshot is disposable: without
            it a start takes longer and leads to the same state. Exit 5 while another one is being taken.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let zones = try world.zones()
        let world = try world.withKeys(arguments)
        let isJSON = arguments.has(CommandSpec.json)
        try LogsMeant(arguments, world, withEveryone: true, spec).forEach(world, heads: !isJSON) {
            (name, log) throws(Failure) in
            try take(name, log.directory, isJSON: isJSON, zones, world)
        }
    }

    private static func take(
        _ name: LogName, _ directory: String, isJSON: Bool, _ zones: ZoneDatabase, _ world: World
    ) throws(Failure) {
        let clock = ContinuousClock()
        let start = clock.now
        let taken: SnapshotTaking.Report?
        do throws(JournalError) {
            taken = try SnapshotTaking(directory, on: world.disk, .shown(zones)).run()
            Progress.clear()
        } catch {
            throw Failure(error)
        }
        guard let taken else {
            throw Failure(.environment, "another snapshot of \(directory) is being taken; wait until it is done")
        }
        if !taken.isStateKept {
            complain(
                "note: the log holds people of whom only a newer Belfry knows anything, so its state cannot be kept by this one"
            )
        }
        let parts = start.duration(to: clock.now).components
        let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        let seconds = "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
        if isJSON {
            world.output.line { write(taken, of: name, seconds: seconds, into: &$0) }
        } else {
            world.output.line(
                "position \(taken.head.position), event \(taken.head.lastSeq), \(counted(taken.people, "person", "people")): \(counted(taken.eventsFolded, "event")) folded in \(seconds) s"
            )
            world.output.line(
                taken.stateBytes > 0 && !taken.wasStateThere
                    ? "state \(taken.stateBytes) bytes, index \(taken.indexBytes) bytes"
                    : "\(taken.isStateKept ? "the state was kept already, " : "")index \(taken.indexBytes) bytes")
        }
    }

    private static func write(
        _ taken: SnapshotTaking.Report, of name: LogName, seconds: String, into line: inout ByteBuffer
    ) {
        line.append(
            "{\(name.member)\"position\":\(taken.head.position),\"seq\":\(taken.head.lastSeq),\"people\":\(taken.people)"
        )
        line.append(",\"events_folded\":\(taken.eventsFolded),\"seconds\":\(seconds)")
        line.append(",\"state_bytes\":\(taken.stateBytes),\"index_bytes\":\(taken.indexBytes)}")
    }
}
