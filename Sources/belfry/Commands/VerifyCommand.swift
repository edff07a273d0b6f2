import Journal
import Notices

/// `belfry verify`: every checksum and the hash chain (SPEC §13, `G7`).
enum VerifyCommand: ReadingWholeLogs {
    static let spec = CommandSpec(
        name: "verify", summary: "Reads the whole log and checks every checksum, the hash chain and every event.",
        positional: nil, options: [CommandSpec.data, FetchedLogs.postgres, CommandSpec.partition, CommandSpec.json],
        notes:
            """
            Needs no keys: what names the master key is taken, as by other commands, and not used. Exit 0 when the log is
            whole, 4 when it is damaged. The head hash stands for everything in the log.
            """
    )

    static let opensKeys = false

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let (isJSON, world) = (arguments.has(CommandSpec.json), world.withoutKeys)
        try LogsMeant(arguments, world, withEveryone: true, spec).forEach(world, heads: !isJSON) {
            (name, log) throws(Failure) in
            try verify(name, log, isJSON: isJSON, world)
        }
    }

    private static func verify(
        _ name: LogName, _ log: LogReader, isJSON: Bool, _ world: World
    ) throws(Failure) {
        let progress = Progress("verifying", total: log.byteCount)
        let report: LogVerifier.Report
        do {
            report = try LogVerifier(log).run { progress.update(bytes: $0) }
            progress.finish()
        } catch {
            progress.finish()
            throw Failure(error)
        }
        if isJSON {
            world.output.line { write(report, of: name, into: &$0) }
        } else {
            world.output.line(
                [
                    counted(report.events, "event") + " in " + counted(report.commits, "commit"),
                    counted(report.people, "person", "people"), counted(report.segments, "file"),
                    counted(report.bytes, "byte") + ": whole",
                ].joined(separator: ", ")
            )
            world.output.line("head \(report.head.hash)")
        }
        if report.unknownTypes > 0 {
            complain(
                "note: \(counted(report.unknownTypes, "event is", "events are")) of a type that only a newer Belfry can read; the checksums hold"
            )
        }
        if let doubt = log.witness.doubt {
            complain("note: \(doubt), so an end that was cut off would not show; compare the head hash")
        }
        if case .torn(let file, let offset, let bytes) = report.tail {
            complain(
                "note: \(file) ends in \(counted(bytes, "byte")), from byte \(offset), of a write not finished (a writer may be at it); the next writer sets them aside"
            )
        }
        if case .damaged(let problem) = log.witness {
            throw Failure(
                .damaged,
                "the log is damaged: \(DiskPath.join(log.directory, "durable")): \(problem). The segments are whole up to the head above. If that is the head noted last, remove `durable`: the next writer makes it anew"
            )
        }
    }

    private static func write(_ report: LogVerifier.Report, of name: LogName, into line: inout ByteBuffer) {
        line.append(
            "{\(name.member)\"events\":\(report.events),\"commits\":\(report.commits),\"people\":\(report.people)")
        line.append(",\"files\":\(report.segments),\"bytes\":\(report.bytes),\"head\":\"\(report.head.hash)\"")
        var torn = 0
        if case .torn(_, _, let bytes) = report.tail { torn = bytes }
        line.append(",\"torn_bytes\":\(torn)}")
    }
}
