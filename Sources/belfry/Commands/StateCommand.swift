import CivilTime
import Journal
import Notices
import Worker

/// `belfry state`: what the log has made of one person (SPEC §13).
enum StateCommand: Command {
    static let spec = CommandSpec(
        name: "state",
        summary: "Prints one person's folded state: preferences, zone, counts, what waits, the next wake.",
        positional: nil, options: [PersonCommands.user, PersonCommands.at, CommandSpec.data, CommandSpec.json],
        notes: "The state is a fold of the log: --at shows it as it was after any event or at any instant.",
        needs: [PersonCommands.user])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let user = try PersonCommands.user(arguments, spec)
        let moment = try PersonCommands.Moment(arguments[PersonCommands.at], spec)
        let (biography, now) = try PersonCommands.tell(user, until: moment, arguments, world)
        guard let person = biography.settled(), let last = biography.last else {
            throw Failure(.badInput, "\"\(user)\" was not known yet then")
        }
        let report = StateReport(user: user, person: person, plan: biography.plan, seq: last.seq, now: now)
        if arguments.has(CommandSpec.json) {
            world.output.line { report.document.write(into: &$0) }
        } else {
            for line in report.lines { world.output.line(line) }
        }
    }
}
