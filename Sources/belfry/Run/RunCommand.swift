import Foundation
import Journal
import Notices
import Worker

/// `belfry run`: the worker (SPEC §13).
enum RunCommand: Command {
    static let spec = CommandSpec(
        name: "run",
        summary:
            "Runs the worker: takes facts, wakes people when something is due, hands out jobs, until it is stopped.",
        positional: nil,
        options: [
            CommandSpec.data, RunOptions.partitions, ClusterOptions.postgres, RunOptions.advertise, RunOptions.lease,
            CommandSpec.policy, RunOptions.jobs, RunOptions.secret,
            RunOptions.senders,
            RunOptions.publicListen, RunOptions.listen,
            RunOptions.token, RunOptions.tokens, RunOptions.host, RunOptions.origin, RunOptions.connections,
            RunOptions.level,
        ],
        notes: """
            A log without a policy adopts the one that --policy names, or standard. A log with another policy adopts
            the one that --policy names as a fact. SIGHUP reads the files of policy, tokens and senders again. SIGTERM
            and SIGINT stop the worker cleanly.

            Other commands find the worker through the socket belfry.sock in the log's directory. Sinks get a job once
            it is durable. They get it again after a restart, under the same id, if no outcome was recorded. Webhooks
            are signed as Standard Webhooks defines. webhook:@FILE reads the URL from a file, because every user of a
            machine can read the arguments of its processes.

            --partitions N deals people out over N logs in one directory, by a hash of their ids. Each is decided by a worker of
            its own, on a core of its own. The number is fixed with the first start, and need not be given again.

            --postgres joins the workers of a cluster (`belfry cluster create` begins one): the log lies in the database, and
            --data holds a copy of it. All workers take the token of --token-file and the key of --master-key-file
            (or --master-key-command), which must be the same everywhere.

            --senders names a document that says who sends push, email and texts; jobs on channels without a sender go to
            --jobs. `belfry senders check FILE` checks that document.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        try MemoryLimit.ensure(forWorker: true)
        let options = try RunOptions(arguments, spec)
        let log = RunLog(
            least: options.level, isTerminal: isatty(STDERR_FILENO) == 1, clock: world.clock, to: STDERR_FILENO)
        defer { log.finish() }
        let signals = StopSignals([SIGTERM, SIGINT, SIGHUP]) { number in
            guard number != SIGHUP else {
                return log.info("SIGHUP came before the worker is ready; it reads its files again then")
            }
            log.info("stopping", ("because", StopSignals.name(of: number)))
            log.finish()
            _exit(ExitCode.done.rawValue)
        }
        let worker = try RunningWorker(options, world, log)
        try worker.runUntilStopped(signals)
        log.finish()
        try world.output.finish()
        // Threads that read the log behind the worker may still work: they must not meet what `exit` takes down.
        _exit(ExitCode.done.rawValue)
    }
}
