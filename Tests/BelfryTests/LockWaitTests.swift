import Foundation
import Testing

/// A log that another has is waited for: whoever is stopping is gone in a moment.
@Suite("Waiting for another's lock")
struct LockWaitTests {
    let shell = Shell()

    /// Has the log, until its input ends.
    private func holder() throws -> Running {
        let holder = shell.start(["append"])
        holder.send(fact())
        try #require(holder.line() == "1")
        return holder
    }

    @Test func `a worker begins when the one before it is gone`() throws {
        let first = try holder()
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        let told = worker.complaint(of: "another has the log; waiting for it to stop")
        #expect(told?.contains("process \(first.process) (belfry append)") == true, "\(told ?? "nothing")")
        #expect(first.end().code == 0)
        try worker.expectReady()
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test(arguments: [["append"], ["run", "--jobs", "spool:spool"], ["run-now"]])
    func `who has it for longer is named after five seconds`(command: [String]) throws {
        let first = try holder()
        let start = ContinuousClock.now
        let outcome = shell.start(command).end()
        let elapsed = ContinuousClock.now - start
        #expect((outcome.code, outcome.output) == (5, ""))
        let complaint =
            "belfry: the log in events/log is being written by process \(first.process) (belfry append). Stop it first, or use another --data directory\n"
        #expect(outcome.errors.hasSuffix(complaint), "\(outcome.errors)")
        #expect(elapsed >= .seconds(5))
        #expect(first.end().code == 0)
    }

    /// It has the lock before it answers.
    @Test func `facts for a worker that is only starting go through it`() throws {
        let first = try holder()
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        #expect(worker.complaint(of: "waiting for it to stop") != nil)
        let append = shell.start(["append"])
        append.send(fact(id: "told"))
        append.closeInput()
        #expect(first.end().code == 0)
        // Whichever of the two had the lock first, both are done.
        #expect(append.waitForEnd().code == 0)
        try worker.expectReady()
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        #expect(shell.belfry("log", "--user", "anna").output.contains(#""id":"told""#))
    }
}
