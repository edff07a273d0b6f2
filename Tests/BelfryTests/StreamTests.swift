import Foundation
import Testing

/// What a caller may do to standard input, output and error, on purpose or not.
@Suite("The standard streams")
struct StreamTests {
    let shell = Shell()

    init() throws {
        try shell.write(facts(1...1000), to: "facts.jsonl")
        #expect(shell.belfry("append", "facts.jsonl").code == 0)
        try shell.write(facts(1001...9000), to: "more.jsonl")
    }

    @Test func `a reader that has enough ends it without a word`() {
        #expect(shell.belfry("append", "more.jsonl").code == 0)
        let log = shell.start(["log"])
        #expect(log.line()?.hasPrefix(#"{"seq":1,"#) == true)
        log.closeOutput()
        let outcome = log.end()
        #expect(outcome.code == 0)
        #expect(outcome.errors == "")
        #expect(shell.bash(#""$BELFRY" log | head -1"#).errors == "")
    }

    @Test func `printing into a full device fails`() {
        let complaint = "cannot write to standard output: No space left on device"
        for command in ["log", "verify", "doctor", "--help", "--version", "completions bash", "log --help"] {
            #expect(shell.bash(#""$BELFRY" \#(command) >/dev/full"#) == .failed(5, complaint), "\(command)")
        }
    }

    @Test func `facts whose acknowledgement cannot be told are not taken for ever`() throws {
        let outcome = shell.bash(#"for _ in {1..50}; do cat more.jsonl; done | "$BELFRY" append >/dev/full"#)
        #expect(outcome.code == 5)
        #expect(outcome.errors.hasPrefix("belfry: cannot write to standard output, so nothing was read after line "))
        #expect(outcome.errors.contains("Send everything again that was not acknowledged"))
        #expect(shell.belfry("verify").code == 0)
        #expect(shell.belfry("append", "more.jsonl").lines.count == 8000)
        #expect(try shell.belfry("log").events().map(\.id) == (1...9000).map { "f\($0)" })
    }

    @Test func `a reader that goes away ends the appending, and is told how far it came`() throws {
        let append = shell.start(["append"])
        append.send(fact(id: "first"))
        #expect(append.line() == "1001")
        append.closeOutput()
        append.send(fact(id: "second"))
        let outcome = append.waitForEnd()
        #expect(outcome.code == 5)
        #expect(outcome.errors.contains("so nothing was read after line 2"))
        #expect(try shell.belfry("log", "--from", "1001").events().map(\.id) == ["first", "second"])
    }

    /// A closed descriptor is the next one opened: acknowledgements and complaints would go into the log's own files.
    @Test(arguments: ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "<&- 2>&-"])
    func `a closed stream harms no file`(closed: String) throws {
        let before = try shell.belfry("log").events()
        let input = closed.contains("<&-") ? "facts.jsonl" : "-"
        let outcome = shell.bash(#"(cat more.jsonl; echo nonsense) | "$BELFRY" append \#(input) \#(closed)"#)
        #expect([0, 3, 5].contains(outcome.code), "\(outcome)")
        #expect(shell.belfry("verify").code == 0)
        #expect(try shell.belfry("log").events().starts(with: before) { $0 == $1 })
    }

    @Test func `closed input and output are errors, closed errors are not`() {
        #expect(shell.bash(#""$BELFRY" append <&-"#) == .failed(5, "cannot read the input: Bad file descriptor"))
        #expect(
            shell.bash(#""$BELFRY" verify >&-"#) == .failed(5, "cannot write to standard output: Bad file descriptor"))
        #expect(shell.bash(#""$BELFRY" verify 2>&-"#).code == 0)
        #expect(shell.bash(#""$BELFRY" nonsense 2>&-"#).code == 2)
        #expect(shell.bash(#"echo nonsense | "$BELFRY" append 2>/dev/full"#).code == 3)
    }

    @Test func `input that cannot be read is an error`() {
        #expect(shell.bash(#""$BELFRY" append </"#) == .failed(5, "cannot read the input: Is a directory"))
        #expect(shell.belfry("append", "/") == .failed(3, "cannot read /: it is a directory"))
        #expect(shell.belfry("append", "nowhere") == .failed(3, "cannot open nowhere: No such file or directory"))
    }

    @Test func `streams that do not wait are waited for`() {
        let append = shell.start(["append"], waits: false)
        #expect(shell.belfry("verify").code == 0)  // Meanwhile it has found its input empty.
        append.send(facts(1001...9000))
        append.closeInput()
        let all = append.waitForEnd()
        #expect((all.code, all.lines.count, all.errors) == (0, 8000, ""))
        let log = shell.start(["log"], waits: false)
        #expect(shell.belfry("verify").code == 0)  // Meanwhile it has filled the pipe.
        #expect(log.end().lines.count == 9000)
    }
}
