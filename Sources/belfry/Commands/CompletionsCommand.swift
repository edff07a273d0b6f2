/// `belfry completions`: a script that teaches a shell the commands and their options.
enum CompletionsCommand: Command {
    private static let shells = ["bash", "zsh", "fish"]

    static let spec = CommandSpec(
        name: "completions", summary: "Prints a completion script for bash, zsh or fish.",
        positional: CommandSpec.Positional(name: "SHELL", isRequired: true, completion: .words(shells)), options: [],
        notes: "For bash: belfry completions bash > /etc/bash_completion.d/belfry")

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let specs = Belfry.commands.map { $0.spec }
        switch arguments.positional {
        case "bash": world.output.lines(CompletionScripts.bash(specs))
        case "zsh": world.output.lines(CompletionScripts.zsh(specs))
        case "fish": world.output.lines(CompletionScripts.fish(specs))
        default: throw .usage("there are completions for \(shells.joined(separator: ", "))", spec)
        }
    }
}
