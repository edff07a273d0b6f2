import Foundation
import Testing

@Suite("belfry log --follow")
struct FollowTests {
    let shell = Shell()

    @Test func `it prints what is there, then what another process appends`() {
        #expect(shell.belfry("append", input: facts(1...2)).code == 0)
        let follow = shell.start(["log", "--follow"])
        #expect(follow.line()?.hasPrefix(#"{"seq":1,"#) == true)
        #expect(follow.line()?.hasPrefix(#"{"seq":2,"#) == true)
        for number in 3...4 {
            #expect(shell.belfry("append", input: facts(number...number)).code == 0)
            #expect(follow.line()?.hasPrefix(#"{"seq":\#(number),"#) == true)
        }
        follow.send(signal: SIGTERM)
        #expect(follow.end() == Outcome(code: -SIGTERM, output: "", errors: ""))
    }

    @Test func `it follows one process that goes on appending`() {
        let append = shell.start(["append"])
        let follow = shell.start(["log", "--follow", "--user", "anna"])
        for number in 1...5 {
            append.send(fact(user: "bert") + fact(id: "f\(number)"))
            #expect(follow.line()?.contains(#""id":"f\#(number)""#) == true)
        }
        #expect(append.end().code == 0)
    }

    @Test func `it waits for a log that is not there yet`() {
        let follow = shell.start(["log", "--follow", "--data", "later"])
        #expect(shell.belfry("append", "--data", "later", input: facts(1...1)).code == 0)
        #expect(follow.line()?.hasPrefix(#"{"seq":1,"#) == true)
    }

    @Test func `it ends where it is told to`() {
        #expect(shell.belfry("append", input: facts(1...5)).code == 0)
        let follow = shell.start(["log", "--follow", "--from", "2", "--to", "3"])
        #expect(follow.waitForEnd().lines.map { $0.prefix(9) } == [#"{"seq":2,"#, #"{"seq":3,"#])
    }

    @Test func `it ends when its reader goes away`() {
        #expect(shell.belfry("append", input: facts(1...1)).code == 0)
        let follow = shell.start(["log", "--follow"])
        #expect(follow.line() != nil)
        follow.closeOutput()
        #expect(follow.waitForEnd().errors == "")
    }

    @Test func `it ends when it cannot print`() {
        #expect(shell.belfry("append", input: facts(1...1)).code == 0)
        #expect(
            shell.bash(#""$BELFRY" log --follow >/dev/full"#)
                == .failed(5, "cannot write to standard output: No space left on device"))
    }

    @Test func `it prints the whole of a copied log that has only its segments`() throws {
        #expect(shell.belfry("append", input: facts(1...1)).code == 0)
        try shell.remove("events/log/durable")
        let follow = shell.start(["log", "--follow"])
        #expect(follow.line()?.hasPrefix(#"{"seq":1,"#) == true)
    }

    @Test func `it does not take another log for the one it followed`() throws {
        #expect(shell.belfry("append", input: facts(1...3)).code == 0)
        let follow = shell.start(["log", "--follow"])
        for _ in 1...3 { #expect(follow.line() != nil) }
        try shell.remove("events/log")
        #expect(shell.belfry("append", input: facts(1...9)).code == 0)
        let complaint =
            "the log in events/log is not the one that was followed: it was replaced. Follow it anew"
        #expect(follow.waitForEnd() == .failed(5, complaint))
    }

    @Test func `it says what is wrong with what is no log`() throws {
        try shell.makeDirectory("strange")
        try shell.write("hello", to: "strange/notes.txt")
        let outcome = shell.start(["log", "--follow", "--data", "strange"]).waitForEnd()
        #expect(outcome.code == 5)
        #expect(outcome.errors.contains("notes.txt"))
    }
}
