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
    private func keeper(_ log: RunLog, program: String? = nil) -> SnapshotKeeper {
        var settings = SnapshotKeeper.Settings()
        settings.growthBytes = 1
        settings.interval = .milliseconds(20)
        settings.program = URL(fileURLWithPath: program.map { shell.path($0) } ?? Program.belfry.path)
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
        #expect(mkfifo(shell.path("pipe"), 0o600) == 0)
        // In place of a snapshot that takes long: Belfry reads a line that never comes.
        let script =
            "#!/bin/sh\nexec \(Program.belfry.path) append --data \(shell.path("other")) \(shell.path("pipe"))\n"
        try shell.write(script, to: "snapshot")
        #expect(chmod(shell.path("snapshot"), 0o700) == 0)
        // What a process ignores its children ignore, unless they see to it themselves.
        let before = signal(SIGTERM, SIG_IGN)
        defer { signal(SIGTERM, before) }
        let told = Pipe()
        let keeper = keeper(log(to: told), program: "snapshot")
        keeper.start { 1 }
        // Opening succeeds once somebody reads: the child is there.
        let writer = open(shell.path("pipe"), O_WRONLY | O_CLOEXEC)
        defer { close(writer) }
        let child = try #require(keeper.process)
        #expect(kill(child, 0) == 0)
        keeper.stop()
        let deadline = ContinuousClock.now + .seconds(10)
        while kill(child, 0) == 0, ContinuousClock.now < deadline { poll(nil, 0, 5) }
        #expect(kill(child, 0) != 0, "the snapshot outlives its worker")
        kill(child, SIGKILL)
    }
}
