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
        name: "--kind", value: "K", help: "bring the next slot of this kind forward to now, under the same rules")
    private static let force = CommandSpec.Option(
        name: "--force", value: nil, help: "with --kind: ask only the rules P1 to P7")
    private static let dryRun = CommandSpec.Option(
        name: "--dry-run", value: nil, help: "record and send nothing; print what would be sent")

    static let spec = CommandSpec(
        name: "run-now", summary: "Catches up, decides everything due now, prints the jobs, and exits.",
        positional: nil, options: [user, kind, force, dryRun, CommandSpec.data, CommandSpec.json],
        notes: """
            If a worker runs on the log, it does the work and its sinks get the jobs. Otherwise this command opens
            the log itself, and the next `belfry run` hands out the jobs. Both decide for everybody who is due;
            --user only says for whom --kind is raised and whose jobs are printed. Whom the policy's retention has erased
            then, or would have, is counted, whoever is named (--json prints each).
            \(WorkerClient.patienceNote)
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let order = RunOrder(
            users: arguments.all(user), kind: arguments[kind], isForced: arguments.has(force))
        if order.isForced, order.kind == nil {
            throw .usage("--force needs --kind: what is due is decided under all rules", spec)
        }
        if arguments.all(user).count > RunNowRequest.usersMax {
            throw .usage("--user may be given \(RunNowRequest.usersMax) times at most", spec)
        }
        let directory = try world.directory(arguments)
        var told = RunNowOutput(
            isJSON: arguments.has(CommandSpec.json), isDry: arguments.has(dryRun), world.output)
        if arguments.has(dryRun), let worker = WorkerClient(directory.path) {
            told.tell(try worker.run(order, isDry: true))
        } else if arguments.has(dryRun) {
            for name in try directory.whole().names {
                guard let part = order.part(of: name, directory) else { continue }
                for decided in try tryOut(part, directory.log(name), world) {
                    if case .jobEmitted = decided.payload {
                        told.tell(decided.line)
                    } else {
                        told.note(decided)
                    }
                }
            }
        } else if let worker = WorkerClient(directory.path) {
            let report = try worker.run(order)
            if directory.isCopy {
                // Of a cluster this machine has a part of the log.
                told.tell(report)
            } else if directory.partitions == nil {
                try tell(report.firstSeq, report.lastSeq, of: order.users, directory.path, world, &told)
            } else {
                for part in report.partitions {
                    let log = directory.log(.partition(part.partition))
                    try tell(part.firstSeq, part.lastSeq, of: order.users, log, world, &told)
                }
            }
        } else {
            for (name, receipt) in try runAlone(order, directory, world) {
                try tell(receipt.firstSeq, receipt.lastSeq, of: order.users, directory.log(name), world, &told)
            }
        }
        told.finish()
    }

    /// The jobs between these events, as the log has them, and what became of other notices.
    private static func tell(
        _ firstSeq: UInt64, _ lastSeq: UInt64, of users: [String], _ directory: String, _ world: World,
        _ told: inout RunNowOutput
    ) throws(Failure) {
        let jobs = RunJobs(
            firstSeq: firstSeq, lastSeq: lastSeq, users: users, directory: directory, disk: world.disk)
        do throws(JournalError) {
            try jobs.forEach { found in
                switch found {
                case .job(let job): told.tell(job.line)
                case .unsent(let decision): told.note(decision)
                }
            }
        } catch {
            throw Failure(error)
        }
    }

    // MARK: Without a worker

    private static func runAlone(
        _ order: RunOrder, _ directory: DataDirectory, _ world: World
    ) throws(Failure) -> [(name: LogName, receipt: RunReceipt)] {
        // A log is not begun by asking it to run.
        for name in try directory.whole().names { _ = try world.log(at: directory.log(name)) }
        let town = try LoneTown(directory, command: "run-now", patience: .short(), world)
        try town.noteStart()
        let result = Result { () throws(Failure) in try town.run(order) }
        try town.close()
        return try result.get()
    }

    /// The same in memory, on a fold of the log.
    private static func tryOut(
        _ order: RunOrder, _ directory: String, _ world: World
    ) throws(Failure) -> [Event] {
        let zones = try world.zones()
        let log = try world.log(at: directory)
        var trial: RunTrial
        do throws(JournalError) {
            let folded = try FoldedLog.load(log, .shown(zones))
            Progress.clear()
            if let sentence = try OldJobs(in: folded, directory, world).sentence() { complain("note: \(sentence)") }
            trial = RunTrial(folded)
        } catch {
            throw Failure(error)
        }
        do throws(FieldError) {
            return try trial.run(order, at: world.clock())
        } catch {
            throw Failure(.badInput, "\(error)")
        }
    }
}
