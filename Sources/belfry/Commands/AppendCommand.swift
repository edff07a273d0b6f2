import Foundation
import Journal

/// `belfry append`: facts, one JSON object a line, into the log.
enum AppendCommand: Command {
    private static let allOrNothing = CommandSpec.Option(
        name: "--all-or-nothing", value: nil, help: "append every line, or none when one is refused")

    static let spec = CommandSpec(
        name: "append",
        summary: "Appends facts to the log: one JSON object a line, from FILE or from standard input (-).",
        positional: CommandSpec.Positional(name: "FILE", isRequired: false),
        options: [CommandSpec.data, allOrNothing, CommandSpec.json],
        notes: """
            Prints the number of each fact in the log once it is durable, followed by "duplicate" if the log
            already has a fact with that id. Numbers are a partition's own where there are several; --json
            names it. A refused line is reported on standard error with its number and what is wrong; the
            others go in. Exit 3 if any line was refused.

            If a worker runs on the log, it takes the facts. \(WorkerClient.patienceNote)
            Otherwise this command decides as a worker would,
            also for everybody else who is due, and the next `belfry run` hands out the jobs. Then it checks
            what it relies on: the snapshots, and the log behind them. A worker checks the rest in the background,
            and so does `belfry verify`. If another process holds the log, it waits up to 5 s.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let input = try InputFile(arguments.positional ?? "-")
        defer { input.close() }
        let directory = World.dataDirectory(arguments)
        let isAllOrNothing = arguments.has(allOrNothing)
        let receipts = Receipts(output: world.output, isJSON: arguments.has(CommandSpec.json))
        try FactTaking.with(directory, command: "append", world) { (taker, _) throws(Failure) in
            var relay = FactRelay(taker, receipts: receipts)
            try relay.takeAll(input, isAllOrNothing, world)
        }
    }

    static let lineBytes = 1 << 20
}

extension FactRelay {
    fileprivate mutating func takeAll(
        _ input: InputFile, _ isAllOrNothing: Bool, _ world: World
    ) throws(Failure) {
        if input.isTerminal { complain("reading facts from the terminal, one JSON object a line; Ctrl-D ends") }
        try take(input, allOrNothing: isAllOrNothing)
        if world.output.hasFailed { throw Receipts.unheard(after: lastLine) }
        if receipts.refused > 0 {
            throw Failure(.badInput, receipts.refusalSummary(isNothingAppended: hasGivenUp))
        }
    }
}
