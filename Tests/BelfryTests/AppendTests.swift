import Foundation
import Testing

@Suite("belfry append")
struct AppendTests {
    let shell = Shell()

    @Test func `facts from a file are acknowledged by their numbers`() throws {
        try shell.write(facts(1...3), to: "facts.jsonl")
        #expect(shell.belfry("append", "facts.jsonl") == .done("1", "2", "3"))
        #expect(try shell.belfry("log").events().map(\.id) == ["f1", "f2", "f3"])
    }

    @Test(arguments: [[], ["-"], ["--", "-"]])
    func `facts come from standard input where no file is named`(words: [String]) {
        #expect(shell.belfry(["append"] + words, input: Array(facts(1...2).utf8)) == .done("1", "2"))
    }

    @Test func `a file whose name looks like an option is named behind two dashes`() throws {
        try shell.write(fact(), to: "--json")
        #expect(shell.belfry("append", "--", "--json") == .done("1"))
    }

    @Test func `every fact is answered as soon as it is durable`() {
        let append = shell.start(["append"])
        for number in 1...3 {
            append.send(fact(id: "f\(number)"))
            #expect(append.line() == "\(number)")
        }
        #expect(append.end() == .done())
    }

    @Test func `for machines an acknowledgement names its line`() {
        let input = "\n" + fact(id: "a") + fact(id: "b") + fact(id: "a")
        #expect(
            shell.belfry("append", "--json", input: input)
                == .done(#"{"line":2,"seq":1}"#, #"{"line":3,"seq":2}"#, #"{"line":4,"seq":1,"duplicate":true}"#))
    }

    @Test(arguments: [false, true])
    func `for machines an acknowledgement names the partition whose number it tells`(isBesideWorker: Bool) throws {
        let worker = shell.start(["run", "--jobs", "spool:spool", "--partitions", "2"])
        try worker.expectReady()
        if !isBesideWorker { worker.expectStopped() }
        let run = fact("run_requested", user: nil, data: #"{"kind":"check_in"}"#)
        let appended = shell.belfry("append", "--json", input: (1...6).map { fact(user: "u\($0)") }.joined() + run)
        let told = try appended.lines.map { try Printed($0) }
        try #require(told.count == 7, "\(appended)")
        #expect(told[0].keys() == ["line", "partition", "seq"] && told[6]["partition"] == "-1")
        for (place, line) in told.dropLast().enumerated() {
            let (partition, seq) = (try #require(line["partition"]), try #require(line["seq"]))
            let logged = shell.belfry("log", "--partition", partition, "--from", seq, "--to", seq)
            #expect(try logged.events().map(\.user) == ["u\(place + 1)"])
        }
        if isBesideWorker { worker.expectStopped() }
    }

    @Test func `a fact of a known id is acknowledged and changes nothing`() throws {
        #expect(shell.belfry("append", input: facts(1...2)) == .done("1", "2"))
        let other = fact("points_earned", user: "bert", id: "f2", data: #"{"points":5}"#)
        #expect(shell.belfry("append", input: other + fact(id: "f3")) == .done("2 duplicate", "3"))
        #expect(try shell.belfry("log").events().map(\.type) == ["app_opened", "app_opened", "app_opened"])
        #expect(shell.belfry("append", input: facts(1...3)) == .done("1 duplicate", "2 duplicate", "3 duplicate"))
    }

    @Test func `a fact that stands twice in one input goes in once`() {
        let input = fact(id: "a") + fact() + fact() + fact(id: "a")
        #expect(shell.belfry("append", input: input) == .done("1", "2", "3", "1 duplicate"))
    }

    @Test func `blank lines, carriage returns and a last line without its end are fine`() throws {
        let input = "\n  \n\t\r\n" + fact(id: "a").replacing("\n", with: "\r\n") + "\r\n" + fact(id: "b").dropLast()
        #expect(
            shell.belfry("append", "--json", input: input) == .done(#"{"line":4,"seq":1}"#, #"{"line":6,"seq":2}"#))
    }

    @Test(arguments: ["", "\n", "\r\n\n   \n"]) func `of nothing, nothing is said`(input: String) {
        #expect(shell.belfry("append", input: input) == .done())
        #expect(shell.belfry("log").code == 5)
    }

    @Test func `what the sender says of the time is kept beside the log's own`() throws {
        let before = Date.now.ISO8601Format()
        let input = fact(id: "a", at: "2001-02-03T04:05:06.789+01:00") + fact(id: "b", at: "2999-01-01T00:00:00Z")
        #expect(shell.belfry("append", input: input) == .done("1", "2"))
        let events = try shell.belfry("log").events()
        #expect(events.map(\.occurred_at) == ["2001-02-03T03:05:06.789Z", "2999-01-01T00:00:00.000Z"])
        #expect(events.allSatisfy { $0.at >= before.dropLast() && $0.at < "2900" })
    }

    @Test func `recorded time never goes backwards (T7)`() throws {
        try shell.writeLog(events: 0...0, start: .farFuture)
        #expect(shell.belfry("append", input: facts(1...2)) == .done("2", "3"))
        let instants = try shell.belfry("log").events().map(\.at)
        #expect(instants == Array(repeating: "2999-01-01T00:00:00.000Z", count: 3))
    }

    @Test func `what people write to each other is nowhere on the disk (A1)`() throws {
        let text = #"{"conversation":"c1","message":"m1","text":"the plumber is URGENT"}"#
        let code = #"{"code":"739215"}"#
        let input =
            fact("message_received", data: text) + fact("phone_code_entered", data: code)
            + fact("message_received", data: text.replacing("m1", with: "a plumber"))
        let outcome = shell.belfry("append", input: input)
        #expect(outcome.code == 3)
        for name in shell.names(in: "events/log") {
            let bytes = try shell.read("events/log/" + name)
            for secret in ["plumber", "URGENT", "739215"] {
                #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "\(secret) in \(name)")
            }
        }
        // What is sealed there would be no word among the bytes, and is opened here.
        let log = shell.belfry("log").output
        #expect(log.contains(#""keywords":["urgent"]"#))
        for secret in ["plumber", "URGENT", "739215"] { #expect(!log.contains(secret), "\(log)") }
    }

    @Test(arguments: ["deep/er/log", "with space/ünï/日本", "log/", "./a/../log", "-log", "'\"$HOME;*"])
    func `the log is made where it is asked for`(directory: String) throws {
        try shell.makeDirectory("a")
        #expect(shell.belfry("append", "--data=\(directory)", input: fact()) == .done("1"))
        #expect(shell.names(in: directory).contains { $0.hasSuffix(".segment") })
        #expect(shell.belfry("append", "--data", directory, input: fact()) == .done("2"))
    }

    @Test func `the log may lie behind a link`() throws {
        try shell.makeDirectory("real")
        try FileManager.default.createSymbolicLink(atPath: shell.path("link"), withDestinationPath: "real")
        #expect(shell.belfry("append", "--data", "link", input: fact()) == .done("1"))
        #expect(shell.belfry("log", "--data", "real").lines.count == 1)
    }

    @Test func `facts sent a second time cost about what they cost the first`() throws {
        let numbers = 1...20_000
        try shell.write(facts(numbers), to: "facts.jsonl")
        let clock = ContinuousClock()
        let first = clock.measure { #expect(shell.belfry("append", "facts.jsonl").lines.count == numbers.count) }
        let second = clock.measure {
            #expect(shell.belfry("append", "facts.jsonl").lines.last == "20000 duplicate")
        }
        #expect(second < first * 4 + .seconds(1))
    }
}
