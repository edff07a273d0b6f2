import Delivery
import Foundation
import Testing

/// What lies in front of the snapshot, and the directory itself, are looked after while a worker runs.
@Suite("The log behind a running worker")
struct LogBehindTests {
    let shell = Shell()

    private func start(_ words: String...) -> Running { shell.start(["run", "--jobs", "spool:spool"] + words) }

    private func snapshotted() throws -> String {
        try shell.writeLog(events: 1...300, people: 3, commitsOf: 2)
        #expect(shell.belfry("snapshot").code == 0)
        return try #require(shell.segments(of: "events/log").first)
    }

    @Test func `a whole log is said to be whole`() throws {
        _ = try snapshotted()
        let worker = start()
        let told = worker.complaint(of: "the log was checked and is whole")
        #expect(told?.contains(#""commits":"15"#) == true, "\(told ?? "nothing")")
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test(arguments: [110, 4000, 9000])
    func `damage in front of the snapshot stops the worker with exit 4`(byte: Int) throws {
        let segment = try snapshotted()
        try shell.edit(segment) { $0[byte] ^= 0x08 }
        // Without a worker only what is relied on is checked; the snapshot stands in front of the damage.
        #expect(shell.belfry("append", input: fact()).code == 0)
        let worker = start()
        let end = worker.waitForEnd()
        #expect((end.code, end.output) == (4, ""))
        #expect(end.errors.contains("belfry: the log is damaged: \(segment), byte "), "\(end.errors)")
        #expect(!end.errors.contains("is whole"))
    }

    private func expectStopped(_ worker: Running, _ problem: String) {
        let end = worker.waitForEnd()
        #expect((end.code, end.output) == (5, ""))
        let told = end.errorLines.last {
            $0.hasPrefix("belfry: the log was taken away from under its writer: events/log")
        }
        #expect(told?.contains("\(problem). Nothing more is acknowledged.") == true, "\(end.errors)")
    }

    @Test func `a directory that is deleted is missed by an idle worker`() throws {
        let worker = start()
        try worker.expectReady()
        // What it begins with is on the disk by then.
        #expect(WorkerDoor(shell).append(fact())?.status == 200)
        try shell.remove("events/log")
        expectStopped(worker, "is not there any more")
        #expect(shell.names(in: "events") == [])
    }

    @Test func `so is one that was moved away, and replaced by its copy`() throws {
        let worker = start()
        try worker.expectReady()
        // What it begins with is on the disk by then.
        #expect(WorkerDoor(shell).append(fact())?.status == 200)
        worker.send(signal: SIGSTOP)
        try FileManager.default.moveItem(atPath: shell.path("events/log"), toPath: shell.path("events/moved"))
        #expect(shell.bash("cp -r events/moved events/log").code == 0)
        worker.send(signal: SIGCONT)
        expectStopped(worker, "events/log is another directory than the one that was opened")
        #expect(shell.belfry("verify", "--data", "events/moved").code == 0)
    }

    @Test(arguments: ["durable", "lock"]) func `so is a file that keeps a second writer out`(name: String) throws {
        let worker = start()
        try worker.expectReady()
        // What it begins with is on the disk by then.
        #expect(WorkerDoor(shell).append(fact())?.status == 200)
        try shell.remove("events/log/" + name)
        expectStopped(worker, "events/log/\(name) is not there any more")
    }

    @Test(.enabled(if: Machine.hasOwnMounts, "needs to mount a file system"))
    func `so is a disk that is unmounted`() throws {
        try shell.makeDirectory("events/log")
        let outcome = shell.bash(
            """
            \(try #require(Machine.withOwnMounts)) bash -c '
            mount -t tmpfs none events/log || exit 99
            "$BELFRY" run --jobs spool:spool 2>errors & worker=$!
            until grep -q running errors 2>/dev/null; do kill -0 $worker || exit 98; sleep 0.1; done
            umount -l events/log
            wait $worker; echo $?'
            """)
        #expect(outcome.lines == ["5"], "\(outcome.errors)")
        #expect(String(decoding: try shell.read("errors"), as: UTF8.self).contains("taken away from under its writer"))
    }

    /// What was acknowledged is in the log: nothing is, once that is gone.
    @Test func `nothing is acknowledged into a segment that was deleted`() throws {
        let worker = start()
        try worker.expectReady()
        let door = WorkerDoor(shell)
        #expect(door.append(fact())?.status == 200)
        for segment in shell.segments(of: "events/log") { try shell.remove(segment) }
        let answer = door.append(fact(id: "lost"))
        #expect(answer?.status != 200, "\(answer?.text ?? "")")
        #expect(worker.waitForEnd().code == 5)
    }

    // MARK: Recorded time

    @Test func `recorded time that is ahead of the clock is warned of`() throws {
        try shell.writeLog(events: 1...1, start: .farFuture)
        let worker = start()
        let warning = worker.complaint(of: "recorded time is ahead of the clock")
        #expect(warning?.contains(#""level":"warning""#) == true)
        #expect(warning?.contains(#""recorded_at":"2999-"#) == true, "\(warning ?? "nothing")")
        worker.send(signal: SIGTERM)
        let end = worker.waitForEnd()
        #expect(end.code == 0)
        #expect(end.errorLines.count { $0.contains("ahead of the clock") } == 1)
    }
}
