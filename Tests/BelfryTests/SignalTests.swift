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
