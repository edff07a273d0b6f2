@testable import belfry
import CivilTime
import Foundation
import Synchronization
import Testing

/// A worker has snapshots taken by a process beside it, which ends with it.
@Suite("Snapshots beside the worker")
struct SnapshotKeeperTests {
    let shell = Shell()

    /// Keeps snapshots of the log in the test's directory as a worker does, but begins at once.
    private func keeper(_ log: RunLog) -> SnapshotKeeper {
        var settings = SnapshotKeeper.Settings()
        settings.growthBytes = 1
        settings.interval = .milliseconds(20)
        settings.program = URL(fileURLWithPath: Program.belfry.path)
        return SnapshotKeeper(shell.path("events/log"), from: 0, settings, log)
    }

    private func log(to pipe: Pipe) -> RunLog {
        RunLog(
            least: .info, isTerminal: true, clock: { Instant(milliseconds: 0) },
            to: pipe.fileHandleForWriting.fileDescriptor)
    }

    @Test func `one is taken when the log has grown, and the next start begins with it`() throws {
        #expect(shell.belfry("append", input: facts(1...100)).code == 0)
        let told = Pipe()
        let keeper = keeper(log(to: told))
        keeper.start { 1 }
        let words = String(decoding: told.fileHandleForReading.availableData, as: UTF8.self)
        keeper.stop()
        #expect(words.contains("a snapshot was taken"), "\(words)")
        #expect(shell.names(in: "events/log").contains("state.snapshot"))
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        let running = worker.complaint(of: #""message":"running""#)
        #expect(running?.contains(#""snapshot":"0""#) == false, "\(running ?? "")")
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test func `one that is being taken ends with the worker`() throws {
        try shell.makeDirectory("events/log")
        // Whoever reads this pipe waits for somebody to write, so the snapshot is never done by itself.
        #expect(mkfifo(shell.path("events/log/durable"), 0o600) == 0)
        // What a process ignores it has its children ignore, unless they see to it themselves.
        let before = signal(SIGTERM, SIG_IGN)
        defer { signal(SIGTERM, before) }
        let told = Pipe()
        let keeper = keeper(log(to: told))
        keeper.start { 1 }
        // Opening succeeds once the child reads: it is there, and past the point where it listens to signals.
        let writer = open(shell.path("events/log/durable"), O_WRONLY)
        #expect(writer >= 0)
        let child = try #require(keeper.process)
        #expect(kill(child, 0) == 0)
        keeper.stop()
        let deadline = ContinuousClock.now + .seconds(30)
        while kill(child, 0) == 0, ContinuousClock.now < deadline { poll(nil, 0, 5) }
        #expect(kill(child, 0) != 0, "the snapshot outlives its worker")
        close(writer)
    }
}
