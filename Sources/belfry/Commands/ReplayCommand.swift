import CivilTime
import Console
import Journal
import Notices
import Worker

/// `belfry replay`: the log from its first event, decided again where it is asked to (SPEC §13, `G1`).
enum ReplayCommand: Command {
    private static let verify = CommandSpec.Option(
        name: "--verify", value: nil, help: "decide everything again and compare with what was recorded")
    private static let to = CommandSpec.Option(
        name: "--to", value: "T|SEQ", help: "up to and including this instant or event number")

    static let spec = CommandSpec(
        name: "replay", summary: "Folds the log from its first event; with --verify decides everything again.",
        positional: nil, options: [verify, to, CommandSpec.data, CommandSpec.partition, CommandSpec.json],
        notes: """
            Prints how many events and decisions there are, how many decisions differ (with --verify), and the hash
            that stands for everything up to there. Exit 1 if any differs; the first difference is shown.
            Partitions are replayed one after the other, each by itself; an event number for --to needs --partition.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let end = try Question.Moment(arguments, to, spec)
        let zones = try world.zones()
        let meant = try LogsMeant(arguments, world, withEveryone: true, spec)
        if case .seq = end { _ = try meant.one(spec) }
        var all = Counts()
        try meant.forEach(world, heads: !arguments.has(CommandSpec.json)) { (name, log) throws(Failure) in
            try replay(log, name, through: end, zones, arguments, world, &all)
        }
        guard meant.names.count > 1, !arguments.has(CommandSpec.json) else { return }
        world.output.line("all of them")
        world.output.line(all.sentence)
    }

    private struct Counts {
        var events = 0
        var decisions = 0
        var differ: Int?

        var sentence: String {
            counted(events, "event") + ", " + counted(decisions, "decision") + (differ.map { ", \($0) differ" } ?? "")
        }
    }

    private static func replay(
        _ log: LogReader, _ name: LogName, through end: Question.Moment, _ zones: ZoneDatabase, _ arguments: Arguments,
        _ world: World, _ all: inout Counts
    ) throws(Failure) {
        let plan = Plan(PersonCommands.standard, zone: { try? zones.zone(named: $0) })
        let checks = arguments.has(verify)
        var replay = Replay(plan)
        var register = Register(plan)
        var counts = Counts()
        let progress = Progress(checks ? "deciding again" : "replaying", total: log.byteCount)
        let events = EventReader(log, checksHashes: true)
        do throws(JournalError) {
            while let commit = try events.nextCommit() {
                // A commit is whole or not: one that is only partly asked for is left out.
                guard commit.allSatisfy(end.holds) else { break }
                counts.events += commit.count
                counts.decisions += commit.count { !$0.isFact && $0.user != nil }
                if checks {
                    replay.take(commit)
                } else {
                    for (event, subject) in zip(commit, events.subjects) { register.fold(event, about: subject) }
                }
                progress.update(bytes: Int(events.head.position))
            }
        } catch {
            progress.finish()
            throw Failure(error)
        }
        progress.finish()
        if checks { counts.differ = replay.differing }
        tell(counts, name, "\(events.head.hash)", arguments, world.output)
        all.events += counts.events
        all.decisions += counts.decisions
        if checks { all.differ = (all.differ ?? 0) + replay.differing }
        guard checks, let first = replay.first else { return }
        world.output.flush()
        throw failure(first)
    }

    private static func tell(
        _ counts: Counts, _ name: LogName, _ head: String, _ arguments: Arguments, _ output: Output
    ) {
        if arguments.has(CommandSpec.json) {
            let differ = counts.differ.map { ",\"differ\":\($0)" } ?? ""
            output.line(
                "{\(name.member)\"events\":\(counts.events),\"decisions\":\(counts.decisions)\(differ),\"head\":\"\(head)\"}"
            )
            return
        }
        output.line(counts.sentence)
        output.line("head \(head)")
    }

    private static func failure(_ difference: Replay.Difference) -> Failure {
        func text(_ payload: Payload?) -> String {
            guard let payload else { return "nothing" }
            var buffer = ByteBuffer()
            payload.writeJSON(into: &buffer)
            return "\(payload.type.name) \(buffer.text)"
        }
        return Failure(
            .no,
            "the first difference is at event \(difference.seq), \(difference.at), about \(difference.user ?? "nobody")",
            further: ["  recorded  \(text(difference.recorded))", "  decided   \(text(difference.decided))"])
    }
}
