/// What a command takes, as data: parsing, `--help` and shell completions are all made from it.
struct CommandSpec: Sendable {
    struct Option: Sendable {
        /// With its dashes: `--data`.
        var name: String
        /// What stands for the value in help; `nil` for a switch.
        var value: String?
        var help: String
        var completion = Completion.none
        /// Whether it may be given several times.
        var isRepeated = false
    }

    struct Positional: Sendable {
        var name: String
        var isRequired: Bool
        var completion = Completion.file
    }

    /// What a shell offers where a value is due.
    enum Completion: Sendable {
        case none, file, directory
        case words([String])
        /// One of these, or a file.
        case wordsOrFile([String])
        /// By the first positional; nothing after any other.
        indirect case after([(first: String, then: Completion)])
    }

    var name: String
    var summary: String
    var positional: Positional?
    /// What the first is done to.
    var second: Positional?
    var third: Positional?
    var options: [Option]
    /// Shown under the options.
    var notes: String
    /// Those of the options that it cannot do without.
    var needs: [Option] = []

    init(
        name: String, summary: String, positional: Positional? = nil, second: Positional? = nil,
        third: Positional? = nil, options: [Option], notes: String, needs: [Option] = []
    ) {
        self.name = name
        self.summary = summary
        self.positional = positional
        self.second = second
        self.third = third
        // Whoever opens a log may have to say what opens its keys.
        let isLog = options.contains { $0.name == Self.data.name }
        self.options = options + (isLog ? [Self.masterKeyFile, Self.masterKeyCommand] : [])
        self.notes = notes
        self.needs = needs
    }

    static let masterKeyFile = Option(
        name: "--master-key-file", value: "FILE",
        help: "holds the key that opens people's keys (default: one made beside the log)", completion: .file)
    static let masterKeyCommand = Option(
        name: "--master-key-command", value: "LINE", help: "a line of the shell that prints that key")
    static let data = Option(
        name: "--data", value: "DIR", help: "the log's directory (default events/log)", completion: .directory)
    static let partition = Option(
        name: "--partition", value: "K",
        help: "of a log in partitions, only this one: its number, or everyone for the facts about everyone")
    static let cores = Option(
        name: "--cores", value: "N", help: "go over the log with this many cores (default: all there are)")
    static let reading = Option(
        name: cores.name, value: "N",
        help: "with more than one, read facts ahead of deciding and write behind it (default: all cores)")
    static let json = Option(name: "--json", value: nil, help: "print JSON for machines, one object a line")
    static let help = Option(name: "--help", value: nil, help: "show this and exit")

    func option(named name: String) -> Option? { (options + [Self.help]).first { $0.name == name } }

    var usage: String {
        let arguments = [positional, second, third].compactMap { $0 }
            .map { $0.isRequired ? " \($0.name)" : " [\($0.name)]" }.joined()
        let needed = needs.map { " \($0.name) \($0.value ?? "")" }.joined()
        return "belfry \(name)\(arguments)\(needed)\(options.isEmpty ? "" : " [options]")"
    }

    var helpText: String {
        let all = options + [Self.help]
        let labels = all.map { option in option.value.map { "\(option.name) \($0)" } ?? option.name }
        let width = (labels.map(\.count).max() ?? 0) + 2
        let lines = zip(all, labels).map { option, label in
            "  " + label + String(repeating: " ", count: width - label.count) + option.help
        }
        return "usage: \(usage)\n\n\(summary)\n\n\(lines.joined(separator: "\n"))\(notes.isEmpty ? "" : "\n\n" + notes)"
    }
}
