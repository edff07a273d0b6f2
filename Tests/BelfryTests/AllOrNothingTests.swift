import Testing

@Suite("belfry append --all-or-nothing")
struct AllOrNothingTests {
    let shell = Shell()

    @Test func `when every line is good, every line goes in`() {
        #expect(shell.belfry("append", "--all-or-nothing", input: facts(1...3)) == .done("1", "2", "3"))
    }

    @Test func `one refused line keeps all out, and every refused line is named`() {
        #expect(shell.belfry("append", input: fact(id: "old")) == .done("1"))
        let input = facts(1...2) + "nonsense\n" + facts(3...3) + fact("app_closd")
        let outcome = shell.belfry("append", "--all-or-nothing", input: input)
        #expect(outcome.code == 3)
        #expect(outcome.output == "")
        #expect(
            outcome.errorLines == [
                "line 3: not JSON: column 1: expected a JSON value",
                #"line 5: type: "app_closd" is not a type of fact; did you mean app_closed?"#,
                "belfry: 2 lines were refused, so nothing was appended (--all-or-nothing)",
            ])
        #expect(shell.belfry("log").lines.count == 1)
    }

    @Test func `an empty log stays empty`() {
        let outcome = shell.belfry("append", "--all-or-nothing", input: fact() + "{")
        #expect(outcome.code == 3)
        #expect(shell.segments(of: "events/log") == [])
        #expect(shell.belfry("log").code == 5)
        #expect(shell.belfry("append", "--all-or-nothing", input: fact()) == .done("1"))
    }

    @Test func `a fact of a known id keeps nothing out`() {
        #expect(shell.belfry("append", input: facts(1...1)) == .done("1"))
        #expect(shell.belfry("append", "--all-or-nothing", input: facts(1...2)) == .done("1 duplicate", "2"))
    }

    @Test func `it is one commit, at one instant`() throws {
        #expect(shell.belfry("append", "--all-or-nothing", input: facts(1...3000)).lines.count == 3000)
        #expect(shell.belfry("verify").output.hasPrefix("3000 events in 1 commit,"))
        #expect(Set(try shell.belfry("log").events().map(\.at)).count == 1)
    }

    @Test func `what is too much to hold is refused whole`() throws {
        let title = String(repeating: "x", count: 4096)
        let data = (0..<100).map { "\"k\($0)\":\"\(title)\"" }.joined(separator: ",")
        let line = fact("notice_requested", data: #"{"kind":"reminder","data":{\#(data)}}"#)
        try shell.write(String(repeating: line, count: (33 << 20) / line.utf8.count), to: "facts.jsonl")
        let outcome = shell.belfry("append", "--all-or-nothing", "facts.jsonl")
        #expect(outcome.code == 3)
        #expect(outcome.errors.contains("--all-or-nothing takes at most"))
        #expect(outcome.errors.contains("nothing was appended"))
        #expect(shell.segments(of: "events/log") == [])
    }
}
