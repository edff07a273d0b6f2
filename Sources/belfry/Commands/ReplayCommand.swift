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
        positional: nil, options: [verify, to, CommandSpec.data, CommandSpec.json],
        notes: """
            Prints how many events and decisions there are, how many decisions differ (with --verify), and the hash
            that stands for everything up to there. Exit 1 if any differs; the first difference is shown.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let end = try Question.Moment(arguments, to, spec)
        let zones = try world.zones()
        let log = try world.log(arguments)
        let plan = Plan(PersonCommands.standard, zone: { try? zones.zone(named: $0) })
        let checks = arguments.has(verify)
        var replay = Replay(plan)
        var register = Register(plan)
        var counts = (events: 0, decisions: 0)
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
        tell(counts, checks ? replay : nil, "\(events.head.hash)", arguments, world.output)
        guard checks, let first = replay.first else { return }
        world.output.flush()
        throw failure(first)
    }

    private static func tell(
        _ counts: (events: Int, decisions: Int), _ replay: Replay?, _ head: String, _ arguments: Arguments,
        _ output: Output
    ) {
        if arguments.has(CommandSpec.json) {
            let differ = replay.map { ",\"differ\":\($0.differing)" } ?? ""
            output.line(
                "{\"events\":\(counts.events),\"decisions\":\(counts.decisions)\(differ),\"head\":\"\(head)\"}")
            return
        }
        let differ = replay.map { ", \($0.differing) differ" } ?? ""
        output.line("\(counted(counts.events, "event")), \(counted(counts.decisions, "decision"))\(differ)")
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
