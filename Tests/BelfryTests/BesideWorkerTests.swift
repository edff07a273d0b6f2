import Foundation
import Testing

/// `append`, `state`, `explain` and `history` ask a running worker, and say what they say without one.
@Suite("commands beside a running worker")
struct BesideWorkerTests {
    let shell = Shell()

    /// Starts a worker, and gives it when it answers.
    private func worker(_ data: String = "events/log") throws -> Running {
        let worker = shell.start(["run", "--data", data, "--jobs", "spool:\(shell.path("spool"))"])
        try worker.expectReady()
        return worker
    }

    /// A directory that holds nothing but the way to the worker: who opens the log there finds none.
    private func door() throws -> String {
        try shell.makeDirectory("door")
        try FileManager.default.createSymbolicLink(
            atPath: shell.path("door/belfry.sock"), withDestinationPath: shell.path("events/log/belfry.sock"))
        return "door"
    }

    /// Anna, to whom nothing comes by itself, so that the log stands still.
    private static let quiet =
        fact("user_enrolled", id: "e", data: #"{"timezone":"\#(Noon.zone)","name":"Anna"}"#)
        + fact("preferences_changed", id: "p", data: #"{"patch":{"check_ins_enabled":false,"digest_mode":true}}"#)
        + fact("notice_requested", id: "n", data: #"{"kind":"reminder","title":"Water"}"#)

    private static let questions: [[String]] = [
        ["state", "--user", "anna", "--json"], ["state", "--user", "anna"],
        ["explain", "--user", "anna", "--json"], ["explain", "--user", "anna", "--kind", "alert"],
        ["state", "--user", "anna", "--at", "4"], ["state", "--user", "anna", "--at", "2100-01-01T00:00:00+01:00"],
        ["history", "--user", "anna", "--json"], ["history", "--user", "anna", "--status", "failed", "--json"],
        ["state", "--user", "nobody"], ["state", "--user", "not an id"], ["state", "--user", ".."],
        ["state", "--user", "anna", "--at", "1"], ["explain", "--user", "anna", "--kind", "alarm"],
        ["explain", "--user", "anna", "--notice", "anna/reminder/#99"],
        ["explain", "--user", "anna", "--notice", "anna reminder"],
    ]

    @Test func `every question has the answer it has without a worker, to the byte`() throws {
        let worker = try worker()
        #expect(shell.belfry("append", input: Self.quiet).code == 0)
        let seq = shell.belfry("append", "--json", input: Self.quiet).lines.compactMap { try? Printed($0)["seq"] }
        let notice = ["explain", "--user", "anna", "--notice", "anna/reminder/#\(seq.last ?? "")"]
        let questions = Self.questions + [notice, notice + ["--json"]]
        let beside = questions.map { shell.belfry($0, input: []) }
        #expect(beside.last?.code == 0, "\(beside.last?.errors ?? "")")
        worker.expectStopped()
        for (question, beside) in zip(questions, beside) {
            #expect(shell.belfry(question, input: []) == beside, "\(question)")
        }
    }

    @Test func `it is the worker that answers`() throws {
        let worker = try worker()
        let door = try door()
        #expect(shell.belfry("append", "--data", door, input: Self.quiet).code == 0)
        for word in ["state", "explain", "history"] {
            let outcome = shell.belfry(word, "--user", "anna", "--data", door)
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(outcome.line(0).hasPrefix("anna"))
        }
        #expect(shell.belfry("state", "--user", "nobody", "--data", door).code == 3)
        worker.expectStopped()
        #expect(shell.belfry("state", "--user", "anna", "--data", door).code == 5)
    }

    @Test func `lines are counted over the whole input, whatever is refused, blank or too long`() throws {
        let worker = try worker()
        let many = facts(1...1500)
        let input = "\n" + many + "nonsense\n" + String(repeating: "x", count: 1 << 20 | 1) + "\n \n" + fact(id: "f1")
        let outcome = shell.belfry("append", "--json", input: input)
        #expect(outcome.code == 3)
        #expect(outcome.lines.count == 1501)
        #expect(try Printed(outcome.line(0))["line"] == "2")
        #expect(try Printed(outcome.line(1500))["line"] == "1505")
        #expect(try Printed(outcome.line(1500))["duplicate"] == "true")
        #expect(outcome.errorLine(0).hasPrefix(#"{"line":1502,"refused":"#))
        #expect(outcome.errors.contains(#"{"line":1503,"refused":"the line is longer than 1048576 bytes"}"#))
        #expect(outcome.errors.hasSuffix("belfry: 2 lines were refused; 1501 went in\n"))
        worker.expectStopped()
    }

    @Test func `each fact is answered before the next one has to come`() throws {
        let worker = try worker()
        let append = shell.start(["append", "--json"])
        for number in 1...3 {
            append.send(fact(id: "f\(number)"))
            #expect(append.line()?.hasPrefix(#"{"line":\#(number),"#) == true)
        }
        #expect(append.end().code == 0)
        worker.expectStopped()
    }

    @Test func `the worker's warnings are told by their lines, and the change goes in`() throws {
        let worker = try worker()
        let change = fact("preferences_changed", data: #"{"patch":{"check_in_time":"23:00"}}"#)
        let outcome = shell.belfry("append", input: fact() + change)
        #expect(outcome.code == 0)
        #expect(outcome.lines.count == 2)
        #expect(outcome.errorLine(0).hasPrefix("line 2: warning: "))
        worker.expectStopped()
    }

    @Test func `all or nothing is kept over the socket`() throws {
        let worker = try worker()
        let outcome = shell.belfry("append", "--all-or-nothing", input: fact(id: "a") + "nonsense\n" + fact(id: "b"))
        #expect(outcome.code == 3)
        #expect(outcome.output == "")
        #expect(outcome.errorLine(0).hasPrefix("line 2: "))
        #expect(
            outcome.errors.hasSuffix("belfry: 1 line was refused, so nothing was appended (--all-or-nothing)\n"))
        #expect(shell.belfry("append", "--all-or-nothing", input: facts(1...2)).lines.count == 2)
        worker.expectStopped()
        #expect(try shell.belfry("log", "--user", "anna").events().compactMap(\.id) == ["f1", "f2"])
    }

    @Test func `a worker that dies in the middle leaves what is acknowledged, and the rest is named`() throws {
        let worker = try worker()
        let append = shell.start(["append"])
        append.send(fact(id: "a"))
        #expect(append.line() != nil)
        worker.send(signal: SIGKILL)
        _ = worker.waitForEnd()
        append.send(fact(id: "b"))
        let outcome = append.end()
        #expect(outcome.code == 5)
        #expect(outcome.errors.contains("From line 2 on nothing was appended"), "\(outcome.errors)")
        // The socket is still there; nobody answers on it, so the log is opened.
        #expect(shell.belfry("append", input: fact(id: "b")).code == 0)
        #expect(try shell.belfry("log", "--user", "anna").events().compactMap(\.id) == ["a", "b"])
    }

    @Test func `a data directory with a long path has a worker all the same`() throws {
        let data = (1...4).map { _ in String(repeating: "long", count: 12) }.joined(separator: "/")
        let worker = try worker(data)
        #expect(shell.belfry("append", "--data", data, input: fact()).code == 0)
        #expect(shell.belfry("state", "--user", "anna", "--data", data).code == 0)
        worker.expectStopped()
    }
}
