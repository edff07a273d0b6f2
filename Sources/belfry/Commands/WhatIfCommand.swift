import CivilTime
import Journal
import Notices
import Worker

/// `belfry what-if`: the recorded facts under another policy (SPEC §13).
enum WhatIfCommand: Command {
    private static let from = CommandSpec.Option(
        name: "--from", value: "T", help: "the other policy is in force from then on (default: the log's beginning)")
    private static let to = CommandSpec.Option(
        name: "--to", value: "T", help: "up to this instant, included (default: the end of the log)")

    static let spec = CommandSpec(
        name: "what-if",
        summary: "Replays the recorded facts under another policy: which jobs would have come, gone or moved.",
        positional: nil, options: [CommandSpec.policy, from, to, CommandSpec.data, CommandSpec.json],
        notes: """
            A job is the same when it is for the same notice of the same person, and moved when it would have come
            more than a minute earlier or later. Facts are taken at their recorded instants, as if a
            worker had been awake all the time. Facts that the other policy refuses are counted, with the reason.

            With --from the log is as it was until then, and the other policy is adopted at that instant; what
            waits then is decided by it. Nothing is written.
            """, needs: [CommandSpec.policy])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        guard let word = arguments[CommandSpec.policy] else { throw .usage("what-if needs --policy", spec) }
        let from = try arguments[from].map { word throws(Failure) in try instant(word, "--from", spec) }
        let to = try arguments[to].map { word throws(Failure) in try instant(word, "--to", spec) }
        if let from, let to, to < from { throw .usage("--to \(to) is before --from \(from)", spec) }
        let zones = try world.zones()
        let (policy, document) = try world.policy(word, zones)
        let log = try world.log(arguments)
        let plan = Plan(PersonCommands.standard, zone: { try? zones.zone(named: $0) })
        var whatIf = WhatIf(WhatIf.Question(policy: policy, document: document, from: from, to: to), plan)
        let events = EventReader(log)
        let progress = Progress("replaying under \(policy.name)", total: log.byteCount)
        do throws(JournalError) {
            while let commit = try events.nextCommit(), whatIf.take(commit) {
                progress.update(bytes: Int(events.head.position))
            }
        } catch {
            progress.finish()
            throw Failure(error)
        }
        progress.finish()
        guard let report = whatIf.finish() else {
            throw Failure(
                .badInput, from.map { "the log ends before --from \($0)" } ?? "the log holds nothing yet")
        }
        let table = WhatIfTable(report: report)
        if arguments.has(CommandSpec.json) {
            world.output.line { table.document.write(into: &$0) }
        } else {
            for line in table.lines { world.output.line(line) }
        }
        LogCommand.noteLeftOut(events)
    }
}
