import Delivery
import Foundation
import Testing

@Suite("Signals")
struct SignalTests {
    let shell = Shell()

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGKILL])
    func `what was acknowledged is there, and half a line is not`(signal: Int32) throws {
        let append = shell.start(["append"])
        append.send(facts(1...3) + #"{"type":"app_opened","us"#)
        for number in 1...3 { #expect(append.line() == "\(number)") }
        append.send(signal: signal)
        let outcome = append.waitForEnd()
        #expect((outcome.code, outcome.output) == (-signal, ""))
        #expect(shell.belfry("verify").errors == "")
        #expect(try shell.belfry("log").events().map(\.id) == ["f1", "f2", "f3"])
        #expect(shell.belfry("append", input: facts(3...4)) == .done("3 duplicate", "4"))
    }

    @Test(arguments: [SIGABRT, SIGQUIT]) func `a worker ends with the signals that mean a crash`(signal: Int32) throws {
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        try worker.expectReady()
        #expect(WorkerDoor(shell).append(fact(id: "last"))?.status == 200)
        worker.send(signal: signal)
        #expect(worker.waitForEnd().code == -signal)
        #expect(shell.belfry("append", input: fact(id: "last")).output.contains("duplicate"))
    }

    @Test func `SIGHUP with a pipe in the policy's place says so, and the worker goes on`() throws {
        let document = shell.belfry("policy", "show", "standard", "--json").output
        try shell.write(document, to: "policy.json")
        let worker = shell.start(["run", "--jobs", "spool:spool", "--policy", "policy.json"])
        try worker.expectReady()
        // The policy it began with is in force by then.
        #expect(WorkerDoor(shell).append(fact())?.status == 200)
        try shell.remove("policy.json")
        #expect(mkfifo(shell.path("policy.json"), 0o600) == 0)
        worker.send(signal: SIGHUP)
        let told = worker.complaint(
            of: "the policy stays as it was: cannot read policy.json again: it is no regular file")
        #expect(told?.contains(#""level":"error""#) == true)
        try shell.remove("policy.json")
        try shell.write(document, to: "policy.json")
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the policy has not changed") != nil)
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test func `SIGHUP that comes before there is a worker is heard when there is one`() throws {
        try shell.write(shell.belfry("policy", "show", "standard", "--json").output, to: "policy.json")
        // As it is for a program that was sent one while it was being loaded.
        try shell.write(
            """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
            os.kill(os.getpid(), signal.SIGHUP)
            os.execv(sys.argv[1], sys.argv[1:])
            """, to: "early.py")
        let words = ["run", "--jobs", "spool:spool", "--policy", "policy.json"]
        let worker = Running(
            ["/usr/bin/env", "python3", "early.py", Program.belfry.path] + words, in: shell.path(""))
        #expect(worker.complaint(of: "SIGHUP came before the worker is ready") != nil)
        // What it read at the start may not be in the log yet.
        let heard = worker.complaint(of: "the policy ") ?? ""
        #expect(heard.contains("has not changed") || heard.contains("is being adopted already"), "\(heard)")
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test func `all or nothing is nothing when it is interrupted`() {
        let append = shell.start(["append", "--all-or-nothing"])
        append.send(facts(1...1000))
        #expect(shell.belfry("doctor", "--data", "elsewhere").code == 0)  // Meanwhile it reads.
        append.send(signal: SIGTERM)
        #expect(append.waitForEnd() == Outcome(code: -SIGTERM, output: "", errors: ""))
        #expect(shell.segments(of: "events/log") == [])
    }

    @Test func `one that was stopped goes on`() {
        let append = shell.start(["append"])
        append.send(fact())
        #expect(append.line() == "1")
        append.send(signal: SIGSTOP)
        append.send(facts(1...2))
        append.send(signal: SIGCONT)
        #expect(append.end() == .done("2", "3"))
    }
}
