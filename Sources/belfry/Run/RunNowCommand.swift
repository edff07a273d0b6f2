import CivilTime
import Console
import Delivery
import Foundation
import Journal
import Notices
import Synchronization
import Worker

/// `belfry run-now`: everything due now is decided, once (SPEC §13).
enum RunNowCommand: Command {
    private static let user = CommandSpec.Option(
        name: "--user", value: "U", help: "only this person; may be given several times", isRepeated: true)
    private static let kind = CommandSpec.Option(
        name: "--kind", value: "K", help: "the next slot of this kind comes now, under the same rules")
    private static let force = CommandSpec.Option(
        name: "--force", value: nil, help: "with --kind: only P1 to P7 are asked")
    private static let dryRun = CommandSpec.Option(
        name: "--dry-run", value: nil, help: "record and send nothing; print what would be sent")

    static let spec = CommandSpec(
        name: "run-now", summary: "Catches up, decides everything due now, prints the jobs, and exits.",
        positional: nil, options: [user, kind, force, dryRun, CommandSpec.data, CommandSpec.json],
        notes: """
            Beside a running worker it asks that one, and its sinks get the jobs; without one it opens the log
            itself, and the jobs are handed out by the next `belfry run`. Everybody who is due is always decided
            about; --user says for whom --kind is raised and whose jobs are printed.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let order = Worker.RunOrder(
            users: arguments.all(user), kind: arguments[kind], isForced: arguments.has(force))
        if order.isForced, order.kind == nil {
            throw .usage("--force needs --kind: what is due is decided under all rules", spec)
        }
        let directory = World.dataDirectory(arguments)
        let jobs: [[UInt8]]
        if arguments.has(dryRun) {
            jobs = try tryOut(order, directory, world)
        } else if let worker = WorkerClient(directory) {
            jobs = try worker.run(order)
        } else {
            jobs = try runAlone(order, directory, world)
        }
        tell(jobs, isJSON: arguments.has(CommandSpec.json), world.output)
    }

    // MARK: Without a worker

    private static func runAlone(
        _ order: Worker.RunOrder, _ directory: String, _ world: World
    ) throws(Failure) -> [[UInt8]] {
        let zones = try world.zones()
        let result: Result<RunReceipt, WorkerRefusal>
        do throws(JournalError) {
            // A log is not begun by asking it to run.
            guard try !LogReader(directory, on: world.disk).isEmpty else { throw .noLog(directory: directory) }
            let opening = try WorkerOpening(
                directory, on: world.disk, holder: "process \(getpid()) (belfry run-now)", .standard(zones))
            try opening.noteStart(
                version: Belfry.version, policy: opening.core.policy.name.text, at: world.clock())
            result = opening.core.runAlone(order, clock: world.clock)
            try opening.core.close()
        } catch {
            throw Failure(error)
        }
        switch result {
        case .failure(.problem(let problem)): throw Failure(.badInput, "\(problem)")
        case .failure(.journal(let error)): throw Failure(error)
        case .success(let receipt):
            do throws(JournalError) {
                return try RunJobs(receipt, of: order.users, in: directory, on: world.disk).lines
            } catch {
                throw Failure(error)
            }
        }
    }

    /// The same in memory, on a fold of the log.
    private static func tryOut(
        _ order: Worker.RunOrder, _ directory: String, _ world: World
    ) throws(Failure) -> [[UInt8]] {
        let zones = try world.zones()
        var trial: RunTrial
        do throws(JournalError) {
            let log = try LogReader(directory, on: world.disk)
            guard !log.isEmpty else { throw .noLog(directory: directory) }
            let folded = try FoldedLog.load(log, .standard(zones))
            trial = RunTrial(folded)
        } catch {
            throw Failure(error)
        }
        do throws(FieldError) {
            return try trial.run(order, at: world.clock()).map { event in
                var line = ByteBuffer()
                event.writeJSON(into: &line)
                return Array(line.bytes)
            }
        } catch {
            throw Failure(.badInput, "\(error)")
        }
    }

    // MARK: Telling

    private static func tell(_ jobs: [[UInt8]], isJSON: Bool, _ output: Output) {
        for job in jobs {
            guard !isJSON, let event = JSONValue(parsing: String(decoding: job, as: UTF8.self)) else {
                output.line(String(decoding: job, as: UTF8.self))
                continue
            }
            output.line(JobLine(event).text)
        }
        guard !isJSON else { return }
        output.line(jobs.isEmpty ? "nothing to send" : jobs.count == 1 ? "1 job" : "\(jobs.count) jobs")
    }
}
