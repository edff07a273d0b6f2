import Foundation
import Journal
import Notices
import Worker

/// `belfry run`: the worker (SPEC §13).
enum RunCommand: Command {
    static let spec = CommandSpec(
        name: "run",
        summary: "The worker: takes facts, wakes people when something is due, and hands out jobs, until stopped.",
        positional: nil,
        options: [
            CommandSpec.data, CommandSpec.policy, RunOptions.jobs, RunOptions.secret, RunOptions.listen,
            RunOptions.token, RunOptions.connections, RunOptions.level,
        ],
        notes: """
            A log that has no policy adopts the one of --policy (standard without it); one that has another adopts
            it as a fact. SIGHUP reads a policy that is a file again. SIGTERM and SIGINT stop it cleanly.

            Other commands find it through the socket belfry.sock in the log's directory. A job is handed to the
            sinks once it is durable; one whose outcome was not recorded is handed over again after a restart, under
            the same id. Webhooks are signed as Standard Webhooks says. webhook:@FILE reads the URL from a file:
            what stands in the arguments of a process can be read by every user of the machine.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        try MemoryLimit.ensure(forWorker: true)
        let options = try RunOptions(arguments, spec)
        let log = RunLog(
            least: options.level, isTerminal: isatty(STDERR_FILENO) == 1, clock: world.clock, to: STDERR_FILENO)
        defer { log.finish() }
        let signals = StopSignals([SIGTERM, SIGINT, SIGHUP]) { number in
            guard number != SIGHUP else { return log.info("the policy is being read already") }
            log.info("stopping", ("because", StopSignals.name(of: number)))
            log.finish()
            _exit(ExitCode.done.rawValue)
        }
        let worker = try RunningWorker(options, world, log)
        try worker.runUntilStopped(signals)
    }
}
