import CivilTime
import Notices
import Reports

/// `belfry policy`: the policies that come with Belfry, and whether one of your own may be adopted.
enum PolicyCommand: Command {
    private static let actions = ["list", "show", "check"]

    static let spec = CommandSpec(
        name: "policy",
        summary: "Lists the policies that come with Belfry, shows one, or checks a document of your own.",
        positional: CommandSpec.Positional(name: "list|show|check", isRequired: true, completion: .words(actions)),
        second: CommandSpec.Positional(
            name: "P", isRequired: false,
            completion: .after(["show", "check"].map { ($0, .wordsOrFile(ShippedPolicies.names)) })),
        options: [CommandSpec.json],
        notes: """
            belfry policy list       the shipped policies: \(ShippedPolicies.names.joined(separator: ", "))
            belfry policy show P     the document of P, a shipped policy's name or a file (- for standard input)
            belfry policy check P    whether P may be adopted: exit 0, with warnings of what would do nothing, or 3 with
                                     what is wrong and what is allowed
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let isJSON = arguments.has(CommandSpec.json)
        switch (arguments.positional, arguments.second) {
        case ("list", nil): list(world.output, isJSON)
        case ("list", let word?): throw .usage("\"\(word)\" is more than policy list takes", spec)
        case ("show", let name?): try show(PolicyDocument(named: name), world, isJSON)
        case ("check", let name?): try check(PolicyDocument(named: name), world, isJSON)
        case ("show", nil), ("check", nil):
            throw .usage("policy \(arguments.positional ?? "") needs P, a shipped policy's name or a file", spec)
        case (let word, _):
            throw .usage("policy cannot \"\(word ?? "")\"; it can \(actions.joined(separator: ", "))", spec)
        }
    }

    private static func list(_ output: Output, _ isJSON: Bool) {
        let width = (ShippedPolicies.names.map(\.count).max() ?? 0) + 2
        for name in ShippedPolicies.names {
            let about = ShippedPolicies.text(of: name).flatMap { try? Policy(recorded: $0).about.text } ?? ""
            guard isJSON else {
                output.line(name + String(repeating: " ", count: width - name.count) + about)
                continue
            }
            output.line { line in
                line.append("{\"policy\":")
                line.appendJSONString(name)
                line.append(",\"about\":")
                line.appendJSONString(about)
                line.append("}")
            }
        }
    }

    /// The document as it is written, or on one line for machines.
    private static func show(_ document: PolicyDocument, _ world: World, _ isJSON: Bool) throws(Failure) {
        guard case .success = document.reading(zones: try world.zones()) else {
            return try check(document, world, false)
        }
        if isJSON, let value = JSONValue(parsing: document.text) {
            world.output.line { value.write(into: &$0) }
        } else {
            // As JSON too: whoever keeps what is printed has the same document.
            world.output.line {
                $0.append(document.text.hasSuffix("\n") ? String(document.text.dropLast()) : document.text)
            }
        }
    }

    private static func check(_ document: PolicyDocument, _ world: World, _ isJSON: Bool) throws(Failure) {
        let reading = document.reading(zones: try world.zones())
        switch reading {
        case .success(let policy):
            guard !isJSON else { return world.output.line { write(policy, into: &$0) } }
            world.output.line(summary(policy))
            for doubt in policy.doubts { world.output.line("warning: \(doubt)") }
        case .failure(let refusals):
            if isJSON { world.output.line { write(refusals, into: &$0) } }
            throw Failure(.badInput, refusals.lines.map { "\(document.name): \($0)" })
        }
    }

    private static func summary(_ policy: Policy) -> String {
        let cap = policy.dailyCap.map { "\(counted($0, "notice")) a day at most" } ?? "no daily cap"
        let rest =
            policy.cooldownMinutes == 0 ? "no cooldown" : "\(counted(policy.cooldownMinutes, "minute")) of cooldown"
        let quiet =
            Rulebook(policy).preferences(differing: .emptyObject, saidYes: true).quietHours
            .map { "quiet \($0.start)–\($0.end)" } ?? "no quiet hours"
        return
            "\(policy.name): good: \(counted(policy.kinds.count, "kind")), \(counted(policy.presets.count, "preset")); "
            + "\(cap), \(rest), \(quiet)"
    }

    private static func write(_ policy: Policy, into line: inout ByteBuffer) {
        JSONValue.object([
            .init("policy", .string(policy.name.text)), .init("good", .bool(true)),
            .init("kinds", .number("\(policy.kinds.count)")), .init("presets", .number("\(policy.presets.count)")),
            .init("warnings", .problems(policy.doubts)),
        ]).write(into: &line)
    }

    private static func write(_ refusals: PolicyDocument.Refusals, into line: inout ByteBuffer) {
        JSONValue.object([.init("good", .bool(false)), .init("problems", .problems(refusals.problems))])
            .write(into: &line)
    }
}
