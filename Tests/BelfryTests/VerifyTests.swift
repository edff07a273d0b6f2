import Foundation
import Testing

@Suite("belfry verify")
struct VerifyTests {
    let shell = Shell()

    @Test func `a whole log is counted, and its head hash stands for all of it`() throws {
        #expect(shell.belfry("append", input: fact() + fact(user: "bert") + fact()).code == 0)
        let outcome = shell.belfry("verify")
        #expect(outcome.code == 0)
        #expect(outcome.errors == "")
        let size = try shell.read(#require(shell.segments(of: "events/log").first)).count - 104
        #expect(outcome.lines.first == "3 events in 1 commit, 2 people, 1 file, \(size) bytes: whole")
        let head = try #require(outcome.lines.last?.wholeMatch(of: #/head ([0-9a-f]{64})/#)?.1)
        #expect(
            shell.belfry("verify", "--json")
                == .done(
                    #"{"events":3,"commits":1,"people":2,"files":1,"bytes":\#(size),"head":"\#(head)","torn_bytes":0}"#)
        )
    }

    @Test func `what names the master key is taken, and nobody asks for that key`() {
        #expect(shell.belfry("append", input: facts(1...2)).code == 0)
        let plain = shell.belfry("verify")
        #expect(plain.code == 0)
        #expect(shell.belfry("verify", "--master-key-file", "nowhere") == plain)
        #expect(shell.belfry("verify", "--master-key-command", "exit 7") == plain)
    }

    @Test func `the head changes with every commit and with nothing else`() {
        #expect(shell.belfry("append", input: facts(1...2)).code == 0)
        let head = shell.belfry("verify").lines.last
        #expect(shell.belfry("append", input: facts(1...2)).code == 0)
        #expect(shell.belfry("log", "--user", "anna").code == 0)
        #expect(shell.belfry("verify").lines.last == head)
        #expect(shell.belfry("append", input: fact()).code == 0)
        #expect(shell.belfry("verify").lines.last != head)
    }

    @Test func `many segments are one log`() throws {
        try shell.writeLog(events: 1...60, people: 6, segmentBytes: 500)
        let outcome = shell.belfry("verify")
        #expect(outcome.code == 0)
        let count = shell.segments(of: "events/log").count
        #expect(outcome.output.hasPrefix("60 events in 60 commits, 6 people, \(count) files, "))
    }

    @Test func `without a log it says how one begins`() throws {
        try shell.makeDirectory("empty")
        for directory in ["empty", "nowhere"] {
            let complaint = "there is no log in \(directory). `belfry append --data \(directory) FILE` begins one"
            #expect(shell.belfry("verify", "--data", directory) == .failed(5, complaint))
            #expect(shell.belfry("verify", "--json", "--data", directory) == .failed(5, complaint))
        }
        #expect(shell.names(in: "empty") == [])
    }

    @Test func `a write that was never finished is set aside, not lost and not read`() throws {
        #expect(shell.belfry("append", input: facts(1...2)).code == 0)
        let segment = try #require(shell.segments(of: "events/log").first)
        let size = try shell.read(segment).count
        let torn = try Array(shell.read(segment)[104..<150])
        try shell.edit(segment) { $0 += torn }
        let where_ =
            "note: \(segment) ends in \(torn.count) bytes, from byte \(size), of a write not finished (a writer may be at it); "
        let verified = shell.belfry("verify")
        #expect(verified.code == 0)
        #expect(verified.errors == where_ + "the next writer sets them aside\n")
        #expect(shell.belfry("verify", "--json").output.contains(#""torn_bytes":\#(torn.count)"#))
        let log = shell.belfry("log")
        #expect((log.code, log.lines.count) == (0, 2))
        #expect(log.errors == where_ + "they are not part of the log\n")

        let append = shell.belfry("append", input: facts(2...3))
        #expect((append.code, append.lines) == (0, ["2 duplicate", "3"]))
        #expect(
            append.errors
                == "note: an unfinished write was set aside; nothing acknowledged was in it (file \(segment)-\(size).torn, bytes \(torn.count))\n"
        )
        #expect(try shell.read("\(segment)-\(size).torn") == torn)
        #expect(shell.belfry("verify").errors == "")
        #expect(shell.belfry("log").lines.count == 3)
    }

    @Test func `a segment that was being begun holds nothing, and is begun again`() throws {
        #expect(shell.belfry("append", input: facts(1...2)).code == 0)
        let size = try shell.read(#require(shell.segments(of: "events/log").first)).count - 104
        let digits = String(size)
        let next = "events/log/" + String(repeating: "0", count: 20 - digits.count) + digits + ".segment"
        for bytes in [[], [UInt8](repeating: 0, count: 104), [1, 2, 3]] {
            try shell.write(bytes, to: next)
            #expect(shell.belfry("verify").code == 0)
            #expect(shell.belfry("log").lines.count >= 2)
            #expect(shell.belfry("append", input: facts(1...2)).lines == ["1 duplicate", "2 duplicate"])
            #expect(try shell.read(next).count == 104)
        }
    }
}
