import CivilTime
import Console
import Journal
import Notices
import Worker

/// `belfry state`: what the log has made of one person (SPEC §13).
enum StateCommand: Command {
    static let spec = CommandSpec(
        name: "state",
        summary: "Prints one person's folded state: preferences, zone, counts, what waits, the next wake.",
        positional: nil, options: [PersonCommands.user, PersonCommands.at, CommandSpec.data, CommandSpec.json],
        notes: """
            The state is a fold of the log: --at shows it as it was after any event or at any instant.
            \(PersonCommands.atNote)
            \(PersonCommands.endNote)
            """,
        needs: [PersonCommands.user])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let user = try PersonCommands.user(arguments, spec)
        let moment = try Question.Moment(arguments, PersonCommands.at, spec)
        let path = PathAndQuery("state", about: user, [("at", arguments[PersonCommands.at])])
        try PersonCommands.answer(path, about: user, arguments, world) { (answers) throws(Unanswered) in
            try answers.state(at: moment)
        }
    }
}
