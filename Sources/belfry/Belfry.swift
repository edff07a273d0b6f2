import CivilTime
import Foundation
import Journal
import Sealing

/// The command line: puts the parts together and says with an exit code how it went.
@main
enum Belfry {
    static let version = "0.1.0"

    static let commands: [any (Command & Sendable).Type] = [
        RunCommand.self, RunNowCommand.self, AppendCommand.self, ImportCommand.self, SimulateCommand.self,
        PeopleCommand.self, StateCommand.self, ExplainCommand.self, HistoryCommand.self, ExportCommand.self,
        EraseCommand.self, RetryCommand.self,
        TestCommand.self, LogCommand.self, PolicyCommand.self, PresetCommand.self, PreferencesCommand.self,
        AuditCommand.self, ReplayCommand.self,
        WhatIfCommand.self, StatsCommand.self, VerifyCommand.self, SnapshotCommand.self,
        SendersCommand.self, TokenCommand.self, ClusterCommand.self, DoctorCommand.self, CompletionsCommand.self,
    ]

    static func main() {
        StandardStreams.prepare()
        do throws(Failure) {
            try run(try words())
        } catch {
            if !error.message.isEmpty { complain("belfry: " + error.message) }
            error.further.forEach(complain)
            // Threads that still work must not meet what `exit` takes down, such as libcrypto.
            _exit(error.code.rawValue)
        }
    }

    /// The words behind the program's name. One that is no text would be taken for another file's name.
    private static func words() throws(Failure) -> [String] {
        var words: [String] = []
        for (number, argument) in UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
            .enumerated()
        {
            guard let argument, let word = String(validatingCString: argument) else {
                throw Failure(
                    .wrongUsage, "argument \(number) is not UTF-8; rename the file, or give it on standard input")
            }
            words.append(word)
        }
        return Array(words.dropFirst())
    }

    private static func run(_ words: [String]) throws(Failure) {
        let output = Output()
        switch words.first {
        case nil:
            throw Failure(
                .wrongUsage, "which command?",
                further: [""] + helpText.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        case "--help", "-h", "help":
            output.lines(try helpText(for: words.dropFirst().first))
        case "--version", "version":
            output.line("belfry \(version)")
        case let name?:
            guard let command = command(named: name) else {
                throw Failure(.wrongUsage, "there is no command \"\(name)\"; `belfry --help` lists them")
            }
            let arguments = try Arguments(words.dropFirst(), for: command.spec)
            if arguments.wantsHelp {
                output.lines(command.spec.helpText)
            } else {
                try FileLimit.ensure()
                try MemoryLimit.ensure(forWorker: false)
                try run(command, arguments, output)
            }
        }
        try output.finish()
    }

    /// What was printed goes out whether the command succeeds or not.
    private static func run(_ command: any Command.Type, _ arguments: Arguments, _ output: Output) throws(Failure) {
        do throws(Failure) {
            try FetchedLogs.lend(to: command, arguments, try world(command.spec, arguments, output))
        } catch {
            output.flush()
            throw error
        }
    }

    private static func world(
        _ spec: CommandSpec, _ arguments: Arguments, _ output: Output
    ) throws(Failure) -> World {
        let chosen = ProcessInfo.processInfo.environment["TZDIR"].map { [$0] }
        let master = try MasterKeyOptions(arguments, spec)
        return World(
            disk: RealDisk(keys: master.map { LogKeys($0.source) }), output: output, clock: { WallClock.now },
            zoneDirectories: chosen ?? ZoneDatabase.usualDirectories, keyOptions: master?.words ?? [],
            master: master?.source)
    }

    private static func command(named name: String) -> (any Command.Type)? {
        commands.first { $0.spec.name == name }
    }

    private static func helpText(for name: String?) throws(Failure) -> String {
        guard let name else { return helpText }
        guard let command = command(named: name) else {
            throw Failure(.wrongUsage, "there is no command \"\(name)\"; `belfry --help` lists them")
        }
        return command.spec.helpText
    }

    private static var helpText: String {
        let width = (commands.map { $0.spec.name.count }.max() ?? 0) + 3
        let lines = commands.map { command in
            "  " + command.spec.name + String(repeating: " ", count: width - command.spec.name.count)
                + command.spec.summary
        }
        return """
            usage: belfry COMMAND [options]

            Belfry decides when to reach a person, and proves it decided well.

            \(lines.joined(separator: "\n"))

            `belfry COMMAND --help` tells what a command takes; `belfry --version` prints the version.
            exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 bad input, 4 the log is damaged,
            5 the environment failed
            """
    }
}

/// The machine's clock. Asked nowhere but here, at the edge.
enum WallClock {
    static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
