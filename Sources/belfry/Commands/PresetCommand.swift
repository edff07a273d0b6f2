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
        notes:
            "Nothing is changed; a preset_applied fact applies one. Each change is a path, from, to, and a sentence.",
        needs: [PersonCommands.user]
    )

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        guard arguments.positional == "preview" else {
            throw .usage("preset has one verb, preview, and not \"\(arguments.positional ?? "")\"", spec)
        }
        guard let name = arguments.second else { throw .usage("preset preview needs a PRESET", spec) }
        let user = try PersonCommands.user(arguments, spec)
        let zones = try world.zones()
        let log = try world.log(arguments)
        let biography: Biography
        do throws(Unanswered) {
            biography = try StorySource(of: user, in: log).tell(until: .end, zones).biography
        } catch {
            throw Failure(error)
        }
        let rules = biography.plan.rules
        guard let preset = rules.preset(named: name) else {
            let names = rules.policy.presets.map(\.name.text)
            let known = names.isEmpty ? "which has none" : "which has " + names.joined(separator: ", ")
            let nearest = NearestName.of(name, among: names).map { "; did you mean \($0)?" } ?? ""
            throw Failure(
                .badInput, "\"\(name)\" is not a preset of the policy \(rules.policy.name), \(known)\(nearest)")
        }
        guard let person = biography.person else {
            throw Failure(.badInput, "the log holds nothing about \"\(user)\"")
        }
        let changes = rules.preview(
            preset, on: person.details.differences, saidYes: person.flags.contains(.saidYes))
        PresetPreview(preset: preset, changes: changes).write(to: world.output, isJSON: arguments.has(CommandSpec.json))
    }
}
