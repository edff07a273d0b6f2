@testable import belfry
import CivilTime
import Foundation
import Reports
import Synchronization
import Testing

/// A worker has snapshots taken by a process beside it, which ends with it.
@Suite("Snapshots beside the worker")
struct SnapshotKeeperTests {
    let shell = Shell()

    /// Keeps snapshots of the log in the test's directory as a worker does, but begins at once.
    private func keeper(
        _ log: RunLog, program: String? = nil, growth: UInt64 = 1, rest: SnapshotKeeper.Settings.Rest? = nil,
        ended: @escaping @Sendable (SnapshotTally.Result) -> Void = { _ in }
    ) -> SnapshotKeeper {
        var settings = SnapshotKeeper.Settings()
        settings.ended = ended
        (settings.growthBytes, settings.rest) = (growth, rest)
        settings.interval = .milliseconds(20)
        (settings.betweenErasures, settings.afterFailure, settings.afterFailureMax) = (
            .seconds(3600), .seconds(3600), .seconds(3600)
        )
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

    /// What it says of itself before it has said "snapshot" for the first time.
    private func ending(of program: String?) -> SnapshotTally.Result? {
        let told = Pipe()
        let ended = Mutex<SnapshotTally.Result?>(nil)
        let keeper = keeper(log(to: told), program: program) { result in ended.withLock { $0 = result } }
        keeper.start { 1 }
        _ = told.fileHandleForReading.availableData
        keeper.stop()
        return ended.withLock { $0 }
    }

    @Test func `each is counted, whether it was taken, failed, or could not even be begun`() throws {
        #expect(shell.belfry("append", input: facts(1...10)).code == 0)
        #expect(ending(of: nil) == .taken)
        #expect(shell.bash("printf '#!/bin/sh\nexit 5\n' > failing && chmod 700 failing").code == 0)
        #expect(ending(of: "failing") == .failed)
        #expect(ending(of: "nothing there") == .failed)
    }

    @Test func `one log's are counted without a name, those of several under theirs, from nothing on`() {
        func page(_ names: [LogName]) -> [Substring] {
            let tally = SnapshotTally()
            for name in names { tally.begin(name) }
            tally.count(.failed, names[0])
            var page = MetricsPage(.prometheus)
            tally.write(to: &page)
            return String(decoding: page.finished(), as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        }
        #expect(
            page([.whole]) == [
                #"belfry_snapshots_total{result="taken"} 0"#, #"belfry_snapshots_total{result="failed"} 1"#,
            ])
        let several = page([.partition(3), .everyone])
        #expect(several.count == 4 && several.allSatisfy { $0.contains("partition=") }, "\(several)")
        #expect(several.contains { $0.contains(#""3""#) && $0.contains("failed") && $0.hasSuffix(" 1") })
    }

    @Test func `one of a log that grows slowly is taken once it is old, where another machine may need it`() throws {
        #expect(shell.belfry("append", input: facts(1...100)).code == 0)
        let told = Pipe()
        let log = log(to: told)
        // There is no such program: one that tried to take one would say so.
        let alone = keeper(log, program: "none", growth: 1000)
        let young = SnapshotKeeper.Settings.Rest(bytes: 1, age: .seconds(3600))
        let waiting = keeper(log, program: "none", growth: 1000, rest: young)
        for keeper in [waiting, alone] { keeper.start { 999 } }
        let old = keeper(log, growth: 1000, rest: SnapshotKeeper.Settings.Rest(bytes: 999, age: .zero))
        old.start { 999 }
        let words = String(decoding: told.fileHandleForReading.availableData, as: UTF8.self)
        #expect(words.contains("a snapshot was taken"), "\(words)")
        #expect(!words.contains("no snapshot could be taken"), "\(words)")
        for keeper in [waiting, alone, old] { keeper.stop() }
    }

    /// A program in place of a snapshot that takes long: Belfry reads facts from `pipe`, and hears signals as a snapshot does.
    private func writeLongSnapshot() throws {
        #expect(mkfifo(shell.path("pipe"), 0o600) == 0)
        let script =
            "#!/bin/sh\nexec \(Program.belfry.path) append --data \(shell.path("other")) \(shell.path("pipe"))\n"
        // Written by a process of its own: what is open for writing here, a program that is begun meanwhile has open too,
        // and nobody can run it.
        let writing = Running(
            ["/bin/sh", "-c", #"printf %s "$0" > snapshot && chmod 700 snapshot"#, script], in: shell.directory.path)
        #expect(writing.end().code == 0)
    }

    @Test func `one that is being taken ends with the worker`() throws {
        try writeLongSnapshot()
        // What a process ignores its children ignore, unless they see to it themselves.
        let before = signal(SIGTERM, SIG_IGN)
        defer { signal(SIGTERM, before) }
        let told = Pipe()
        let keeper = keeper(log(to: told), program: "snapshot")
        keeper.start { 1 }
        let writer = openWhenRead(shell.path("pipe"))
        defer { close(writer) }
        try #require(writer >= 0, "the child never read")
        let child = try #require(keeper.process)
        #expect(kill(child, 0) == 0)
        keeper.stop()
        let deadline = ContinuousClock.now + .seconds(10)
        while isRunning(child), ContinuousClock.now < deadline { poll(nil, 0, 5) }
        #expect(!isRunning(child), "the snapshot outlives its worker")
        kill(child, SIGKILL)
        withExtendedLifetime(told) {}
    }

    /// A keeper that takes a snapshot because somebody was erased, which lasts until `pipe` is closed.
    private func erasing(_ log: RunLog, _ rewritten: @escaping @Sendable () -> Void) throws -> (
        SnapshotKeeper, pipe: Int32
    ) {
        try writeLongSnapshot()
        let keeper = keeper(log, program: "snapshot")
        keeper.whenRewritten(rewritten)
        keeper.rewrite()
        let writer = openWhenRead(shell.path("pipe"))
        try #require(writer >= 0, "the child never read")
        return (keeper, writer)
    }

    @Test func `one that an erasure wants outlives the order to stop, and takes the mark away`() throws {
        let told = Pipe()
        let isDone = Mutex(false)
        let (keeper, pipe) = try erasing(log(to: told)) { isDone.withLock { $0 = true } }
        keeper.stop()
        #expect(!isDone.withLock { $0 })
        let fact = Array(facts(1...1).utf8)
        #expect(write(pipe, fact, fact.count) == fact.count)
        close(pipe)
        keeper.finish(by: .now() + .seconds(300))
        #expect(isDone.withLock { $0 })
        withExtendedLifetime(told) {}
    }

    @Test func `one that takes longer is given up, and the mark stays`() throws {
        let told = Pipe()
        let isDone = Mutex(false)
        let (keeper, pipe) = try erasing(log(to: told)) { isDone.withLock { $0 = true } }
        defer { close(pipe) }
        let child = try #require(keeper.process)
        keeper.stop()
        #expect(isRunning(child))
        keeper.finish(by: .now())
        let deadline = ContinuousClock.now + .seconds(10)
        while isRunning(child), ContinuousClock.now < deadline { poll(nil, 0, 5) }
        #expect(!isRunning(child) && !isDone.withLock { $0 })
        kill(child, SIGKILL)
        withExtendedLifetime(told) {}
    }

    @Test func `one is taken for all who are erased within a while, and the first has one at once`() throws {
        #expect(shell.belfry("append", input: facts(1...10)).code == 0)
        let told = Pipe()
        let taken = Mutex(0)
        let keeper = keeper(log(to: told), growth: 1 << 40)
        keeper.whenRewritten { taken.withLock { $0 += 1 } }
        keeper.rewrite()
        let words = String(decoding: told.fileHandleForReading.availableData, as: UTF8.self)
        #expect(words.contains("a snapshot was taken"), "\(words)")
        for _ in 0..<3 { keeper.rewrite() }
        #expect(keeper.process == nil && taken.withLock { $0 } == 1)
        // A stop waits for nothing.
        keeper.stop()
        keeper.finish(by: .now() + .seconds(300))
        #expect(taken.withLock { $0 } == 2 && keeper.erasurePending == nil)
    }

    @Test func `one that fails is tried again after a while, and says why what was erased is still there (E1)`() throws
    {
        #expect(
            shell.bash("printf '#!/bin/sh\necho full >&2\necho x >> $0.tries\nexit 5\n' > failing && chmod 700 failing")
                .code == 0)
        let told = Pipe()
        let keeper = keeper(log(to: told), program: "failing", growth: 1 << 40)
        #expect(keeper.erasurePending == nil)
        keeper.start { 1 }
        keeper.rewrite()
        let words = String(decoding: told.fileHandleForReading.availableData, as: UTF8.self)
        #expect(words.contains("no snapshot was taken"), "\(words)")
        let pending = try #require(keeper.erasurePending)
        #expect(pending.problem == "full\n")
        // The next try is an hour away, however many are erased meanwhile.
        for _ in 0..<3 { keeper.rewrite() }
        #expect(keeper.process == nil)
        keeper.stop()
        #expect(try shell.read("failing.tries") == Array("x\n".utf8))
        #expect(keeper.erasurePending?.since == pending.since)
        withExtendedLifetime(told) {}
    }

    /// Whether it has not ended. One that has may wait to be reaped for as long as a child of another test, started in the same moment,
    /// holds the socket by which Foundation hears of it.
    private func isRunning(_ child: pid_t) -> Bool {
        guard kill(child, 0) == 0, let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
        else {
            return false
        }
        return !state.contains(") Z ")
    }

    /// Opens a pipe as soon as somebody reads it; -1 when nobody does for so long that nobody will.
    private func openWhenRead(_ path: String) -> Int32 {
        let deadline = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < deadline {
            let writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if writer >= 0 { return writer }
            poll(nil, 0, 5)
        }
        return -1
    }
}
