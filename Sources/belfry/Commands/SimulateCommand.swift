import CivilTime
import Notices
import Worker

/// `belfry simulate`: a history under a virtual clock, in memory (SPEC §13).
enum SimulateCommand: Command {
    private static let until = CommandSpec.Option(
        name: "--until", value: "T", help: "end at this instant (included) instead of at the last fact")
    private static let facts = CommandSpec.Option(
        name: "--facts", value: nil, help: "print the facts as well, each before what follows from it")

    static let spec = CommandSpec(
        name: "simulate",
        summary: "Lives through a history of facts under a virtual clock and prints every decision as JSON lines.",
        positional: CommandSpec.Positional(name: "FILE", isRequired: true),
        options: [CommandSpec.policy, until, facts, CommandSpec.warnings, CommandSpec.reading, CommandSpec.json],
        notes: """
            FILE (or - for standard input) holds facts, one JSON object a line, each with its own `at`, which
            never decreases. Everyone wakes exactly when something of theirs is due. Facts and decisions are
            numbered together from 1; a log that `import --policy` makes begins with the policy's adoption, so
            there each number is one higher, and ids that end in one (#7) as well. A refused fact is reported
            on standard error with its line, the run goes on, and the exit code is 3. Each kind of warning is
            printed once, at the end: the first, and how many came. Nothing is written.

            With --until whatever falls due after the last fact, up to that instant, is decided as well. Later
            facts are left out, and a note on standard error says so.
            """, needs: [CommandSpec.policy])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        guard let word = arguments[CommandSpec.policy] else {
            throw .usage("simulate needs --policy", spec)
        }
        try arguments.checkStandardInput(spec)
        let end = try arguments[until].map { word throws(Failure) in try instant(word, "--until", spec) }
        let zones = try world.zones()
        let plan = Plan(Rulebook(try world.policy(word, zones).policy), zone: { try? zones.zone(named: $0) })
        let output = world.output
        let printsFacts = arguments.has(facts)
        let cores = try Cores(arguments, spec)
        let printing = WritingBehind(on: cores) { commit in
            for event in commit where printsFacts || !event.isFact {
                output.line { event.writeJSON(into: &$0) }
            }
            return !output.hasFailed
        }
        defer { printing.finish() }
        var chronicle = Chronicle(plan, tell: printing.take)
        var history = try HistoryFile(
            arguments.positional ?? "-", zones, on: cores, doing: "simulating", prints: true,
            tellsAll: arguments.has(CommandSpec.warnings))
        defer { history.close() }
        while let fact = try history.next(through: end) {
            history.tell(chronicle.take(fact))
            if printing.hasFailed { return }
        }
        if let end { chronicle.wind(to: end, while: { !printing.hasFailed }) }
        try history.finish()
    }
}

func instant(_ word: String, _ option: String, _ spec: CommandSpec) throws(Failure) -> Instant {
    guard let instant = try? Instant(rfc3339: word) else {
        throw .usage("\(option) takes an instant such as 2026-03-02T14:00:00Z, not \"\(word)\"", spec)
    }
    return instant
}
