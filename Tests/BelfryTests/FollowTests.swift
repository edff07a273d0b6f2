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

    /// Whom a log meets in the segment that it is gone to stands in the index already.
    @Test func `from somewhere in a later segment, newcomers and all (sealed)`() throws {
        try shell.writeLog(events: 1...60, people: 60, segmentBytes: 600, isSealed: true)
        #expect(shell.names(in: "events/log").filter { $0.hasSuffix(".segment") }.count > 5)
        let whole = shell.belfry("log").lines
        #expect(whole.count == 60)
        for words in [["--from", "41"], ["--follow", "--from", "41", "--to", "60"]] {
            let outcome = shell.belfry(["log"] + words, input: [])
            #expect((outcome.code, outcome.errors) == (0, "") && outcome.lines == Array(whole[40...]))
        }
    }

    @Test func `across an erasure, and the next who comes under that id (E4)`() throws {
        #expect(shell.belfry("append", input: fact(user: "anna") + fact(user: "bert")).code == 0)
        let follow = shell.start(["log", "--follow"])
        for user in ["anna", "bert"] { #expect(follow.line()?.contains(#""user":"\#(user)""#) == true) }
        #expect(shell.belfry("erase", "--user", "anna", "--yes").code == 0)
        #expect(shell.belfry("append", input: fact(user: "anna") + fact(user: "carl") + fact(user: "bert")).code == 0)
        #expect(follow.line()?.contains(#""type":"person_erased""#) == true)
        for user in ["anna", "carl", "bert"] { #expect(follow.line()?.contains(#""user":"\#(user)""#) == true) }
        follow.send(signal: SIGTERM)
        #expect(follow.end().errors == "")
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
