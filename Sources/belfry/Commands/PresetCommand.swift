import CivilTime
import Console
import Journal
import Notices
import Worker

/// `belfry preset preview`: what a preset would change for one person, before it is applied (SPEC §3).
enum PresetCommand: Command {
    static let spec = CommandSpec(
        name: "preset", summary: "Shows what applying a preset would change for one person.",
        positional: CommandSpec.Positional(name: "preview", isRequired: true, completion: .words(["preview"])),
        second: CommandSpec.Positional(name: "PRESET", isRequired: true, completion: .none),
        options: [PersonCommands.user, CommandSpec.data, CommandSpec.json],
        notes: """
            Nothing is changed; a preset_applied fact applies one. It lists each change as a sentence, with its path and both
            values, then warnings, then what would become of the notices that wait. --json adds the whole document that
            would result. `belfry preferences preview` does the same for any patch.
            """,
        needs: [PersonCommands.user]
    )

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        guard arguments.positional == "preview" else {
            throw .usage("preset has one verb, preview, and not \"\(arguments.positional ?? "")\"", spec)
        }
        guard let name = arguments.second else { throw .usage("preset preview needs a PRESET", spec) }
        let user = try PersonCommands.user(arguments, spec)
        let asked = JSONValue.object([.init("preset", .string(name))])
        if try ClusterPreview.print(asked, about: user, arguments, world) { return }
        try PersonCommands.answer(nil, about: user, arguments, world) { (answers) throws(Unanswered) in
            try answers.preview(.preset(name)).answer
        }
    }
}
