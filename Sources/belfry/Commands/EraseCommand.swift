import CivilTime
import Console
import Foundation
import Journal
import Notices
import Worker

/// `belfry erase`: nothing of a person can be read any more (`E1`).
enum EraseCommand: Command {
    private static let yes = CommandSpec.Option(name: "--yes", value: nil, help: "do not ask to type the id once more")

    static let spec = CommandSpec(
        name: "erase", summary: "Erases one person for ever: their key is destroyed, and nothing brings it back.",
        positional: nil, options: [PersonCommands.user, yes, CommandSpec.data, CommandSpec.json],
        notes: """
            The log keeps that something happened, of which kind and when; who it was and what they were told nobody
            can read any more. Whoever comes with the same id later is somebody new. Asks to type the id once more.
            Backups of the keys of before, receivers and providers keep what they have: the report names them.
            \(WorkerClient.patienceNote)
            \(LoneWorker.decidingNote)
            """, needs: [PersonCommands.user])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let user = try PersonCommands.user(arguments, spec)
        guard Identifier.isAccepted(user) else { throw Failure(.badInput, "\(quoted(user)) is no id of a person") }
        if !arguments.has(yes) { try confirm(user) }
        let directory = World.dataDirectory(arguments)
        let report = try erase(user, directory, world)
        if arguments.has(CommandSpec.json) {
            world.output.line { report.document.write(into: &$0) }
            return
        }
        world.output.line("event \(report.seq): the person is erased")
        for line in report.removed { world.output.line("  removed    \(line)") }
        for line in report.elsewhere { world.output.line("  elsewhere  \(line)") }
    }

    private static func confirm(_ user: String) throws(Failure) {
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage("erase asks to type the id once more; where nobody can, give --yes", spec)
        }
        complain("This cannot be undone. Type the id of the person to erase them:")
        guard readLine() == user else { throw Failure(.no, "that is another id; nothing was erased") }
    }

    private static func erase(_ user: String, _ directory: String, _ world: World) throws(Failure) -> ErasureReport {
        if let worker = WorkerClient(directory) { return try worker.erase(user) }
        _ = try world.log(at: DataDirectory(directory, on: world.disk).everybodysLogs(on: world.disk).log(of: user))
        let patience = LockPatience.short(unless: { WorkerClient(directory) != nil })
        let alone: LoneWorker
        do throws(Failure) {
            alone = try LoneWorker(directory, command: "erase", patience: patience, world)
        } catch {
            if let worker = WorkerClient(directory) { return try worker.erase(user) }
            throw error
        }
        return try erase(user, alone)
    }

    /// Only a worker knows which spool directories are its own, so what they hold goes at its next start.
    private static func erase(_ user: String, _ alone: LoneWorker) throws(Failure) -> ErasureReport {
        let seq: UInt64
        do throws(Failure) { seq = try alone.erase(user) } catch {
            try alone.close()
            throw error
        }
        let isRewritten = try alone.close()
        return ErasureReport(
            seq: seq, removed: [Eraser.key, Eraser.tokens] + (isRewritten ? [Eraser.rewritten] : []),
            elsewhere: (isRewritten ? [] : [Eraser.notRewritten]) + [
                Eraser.backups, Eraser.followers,
                "spool directories, which only a worker knows: each is cleared by the next `belfry run` that names it, in --jobs or in --senders",
            ])
    }
}
