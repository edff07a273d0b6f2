import CivilTime
import Foundation
import Journal
import Notices
import Synchronization

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
            Prints one line a fact once it is durable: its number in the log, with "duplicate" behind it
            where a fact of that id was there already. A refused line is reported on standard error with
            its number and what is wrong; the others go in. Exit 3 when any was refused.

            Where a worker runs on the log it is given the facts, and says of what a change has for consequences.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let zones = try world.zones()
        let input = try InputFile(arguments.positional ?? "-")
        defer { input.close() }
        let directory = World.dataDirectory(arguments)
        let receipts = Receipts(output: world.output, isJSON: arguments.has(CommandSpec.json))
        if let worker = WorkerClient(directory) {
            if input.isTerminal { complain(invitation) }
            var relay = FactRelay(worker: worker, receipts: receipts)
            try relay.take(input, allOrNothing: arguments.has(allOrNothing))
            return try finish(receipts, world, lastLine: relay.lastLine, isNothingAppended: relay.hasGivenUp)
        }
        let facts = FactReader(zoneProblem: zones.problem(with:))
        let journal: Journal
        do {
            journal = try Journal(
                directory, on: world.disk, holder: "process \(getpid()) (belfry append)")
        } catch {
            throw Failure(error)
        }
        if case .torn(let file, _, let bytes) = journal.recoveredTail {
            complain(
                "note: \(bytes) bytes of an unfinished write were set aside in \(file)*.torn; nothing acknowledged was in them"
            )
        }
        if input.isTerminal { complain(invitation) }
        let commits = GroupCommit(journal, clock: world.clock)
        var appender = Appender(facts: facts, commits: commits, receipts: receipts)
        let result = Result { () throws(Failure) in
            try appender.take(input, allOrNothing: arguments.has(allOrNothing))
        }
        do { try commits.close() } catch { throw Failure(error) }
        try result.get()
        if let failure = receipts.failure { throw Failure(failure) }
        try finish(receipts, world, lastLine: appender.lastLine, isNothingAppended: appender.hasGivenUp)
    }

    private static let invitation = "reading facts from the terminal, one JSON object a line; Ctrl-D ends"
    static let lineBytes = 1 << 20

    private static func finish(
        _ receipts: Receipts, _ world: World, lastLine: Int, isNothingAppended: Bool
    ) throws(Failure) {
        if world.output.hasFailed { throw Receipts.unheard(after: lastLine) }
        if receipts.refused > 0 {
            throw Failure(.badInput, receipts.refusalSummary(isNothingAppended: isNothingAppended))
        }
    }

    /// Reads lines, and hands them over in batches of what is there to read.
    private struct Appender {
        let facts: FactReader
        let commits: GroupCommit
        let receipts: Receipts
        private(set) var hasGivenUp = false
        private(set) var lastLine = 0
        private var batch = Batch()

        private struct Batch {
            var entries: [Entry] = []
            var lines: [Int] = []
            var bytes = 0
        }

        private static let batchEntries = 1024
        private static let batchBytes = 1 << 20
        private static let allOrNothingBytes = 32 << 20

        init(facts: FactReader, commits: GroupCommit, receipts: Receipts) {
            self.facts = facts
            self.commits = commits
            self.receipts = receipts
        }

        mutating func take(_ input: InputFile, allOrNothing: Bool) throws(Failure) {
            var lines = LineReader(descriptor: input.descriptor, bytesMax: AppendCommand.lineBytes)
            let progress = Progress("appending", total: input.size, prints: true)
            defer { progress.finish() }
            while let line = try lines.next() {
                takeLine(line)
                if allOrNothing {
                    guard batch.bytes <= Self.allOrNothingBytes else {
                        throw Failure(
                            .badInput,
                            "--all-or-nothing takes at most \(Self.allOrNothingBytes) bytes of facts; nothing was appended"
                        )
                    }
                } else if batch.entries.count >= Self.batchEntries || batch.bytes >= Self.batchBytes || !lines.hasLine {
                    send()
                    // Before waiting for the sender, who may be waiting for the answer, hear how it went.
                    if !lines.hasLine, !lines.hasInput { commits.waitUntilIdle() }
                }
                progress.update(bytes: lines.bytesTaken, detail: "\(receipts.acknowledged) facts")
                if receipts.mustStop { return }
            }
            if allOrNothing, receipts.refused > 0 { return hasGivenUp = true }
            send()
        }

        private mutating func takeLine(_ line: LineReader.Line) {
            switch line {
            case .tooLong(let number):
                lastLine = number
                receipts.refuse(number, "the line is longer than \(AppendCommand.lineBytes) bytes")
            case .whole(let number, let bytes):
                lastLine = number
                if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return }
                do throws(Refusal) {
                    let fact = try facts.read(bytes)
                    batch.entries.append(
                        Entry(user: fact.user, id: fact.id, occurredAt: fact.at, payload: fact.payload.recordable))
                    batch.lines.append(number)
                    batch.bytes += bytes.count + 64
                } catch {
                    receipts.refuse(number, "\(error)")
                }
            }
        }

        private mutating func send() {
            guard !batch.entries.isEmpty else { return }
            let lines = batch.lines
            let receipts = receipts
            let reply: GroupCommit.Reply = { receipts.acknowledge(lines, $0) }
            // What is read from a pipe waits in the pipe: a full queue is waited for, not overrun.
            while case .busy = commits.submit(batch.entries, bytes: batch.bytes, reply: reply) { commits.waitForRoom() }
            batch = Batch()
        }
    }
}
