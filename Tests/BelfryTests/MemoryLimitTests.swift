@testable import belfry
import Foundation
import Testing

/// Too little memory is said before anything is opened, and never by standing still or by a crash.
@Suite("ulimit -v")
struct MemoryLimitTests {
    let shell = Shell()

    /// From where the system's loader still has no room, and says so itself, to where there is enough.
    @Test(arguments: ["append", "verify", "run --jobs spool:spool", "run-now", "simulate f --policy standard"])
    func `with little memory every command says so or does its work`(command: String) throws {
        #expect(shell.belfry("append", input: facts(1...3)).code == 0)
        try shell.write(fact(at: monday("09:00:00")), to: "f")
        var (refusals, done) = (0, 0)
        let isWorker = command.hasPrefix("run ")
        // A worker needs 1024 beside the program itself; what is a little more than that has to do.
        for mebibytes in isWorker ? stride(from: 64, through: 2368, by: 384) : stride(from: 64, through: 448, by: 32) {
            let script = "ulimit -v \(mebibytes << 10); exec \"$0\" \(command)"
            let running = Running(["/bin/bash", "-c", script, Program.belfry.path], in: shell.directory.path)
            if isWorker, running.complaint(of: #""message":"running""#) != nil {
                running.send(signal: SIGTERM)
            }
            let end = running.end()
            switch end.code {
            case 0: done += 1
            case 5:
                refusals += 1
                #expect(end.errors.contains(" MiB more of address space, and "), "\(mebibytes): \(end)")
            default: #expect(end.code == 127 && end.errors.contains("shared"), "\(mebibytes): \(end)")
            }
        }
        #expect(refusals > 0 && done > 0)
    }

    @Test func `a worker needs more than a command`() {
        for (isWorker, needed) in [(true, MemoryLimit.workerBytes), (false, MemoryLimit.commandBytes)] {
            #expect(MemoryLimit.problem(left: needed - 1, forWorker: isWorker)?.contains("(`ulimit -v`)") == true)
            #expect(MemoryLimit.problem(left: needed, forWorker: isWorker) == nil)
        }
        #expect(MemoryLimit.problem(left: .max, forWorker: true) == nil)
    }
}
