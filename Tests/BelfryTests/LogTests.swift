import CivilTime
import Testing

@Suite("belfry log")
struct LogTests {
    let shell = Shell()

    @Test func `a line has its keys in the order of SPEC §12`() throws {
        let all = fact(
            "points_earned", id: "p1", at: "2026-03-01T00:00:00Z", data: #"{"subject":"child:k1","points":5}"#)
        let run = fact("run_requested", user: nil)
        #expect(shell.belfry("append", input: all + fact() + run) == .done("1", "2", "3"))
        let lines = shell.belfry("log").lines.map { $0.replacing(#/"at":"20[^"]+"/#, with: #""at":"NOW""#) }
        #expect(
            lines == [
                #"{"seq":1,"at":"NOW","type":"points_earned","user":"anna","id":"p1","occurred_at":"2026-03-01T00:00:00.000Z","data":{"points":5,"subject":"child:k1"}}"#,
                #"{"seq":2,"at":"NOW","type":"app_opened","user":"anna","data":{}}"#,
                #"{"seq":3,"at":"NOW","type":"run_requested","data":{}}"#,
            ])
    }

    @Test func `for machines it prints the same`() {
        #expect(shell.belfry("append", input: facts(1...2)).code == 0)
        #expect(shell.belfry("log", "--json") == shell.belfry("log"))
    }

    @Test func `bounds are inclusive, as numbers and as instants`() throws {
        try shell.writeLog(events: 1...20, segmentBytes: 400)
        func seqs(_ words: String...) throws -> [UInt64] {
            try shell.belfry(["log"] + words, input: []).events().map(\.seq)
        }
        #expect(try seqs("--from", "5", "--to", "7") == [5, 6, 7])
        #expect(try seqs("--from", "2026-03-02T14:00:05Z", "--to", "2026-03-02T14:00:07.000Z") == [5, 6, 7])
        #expect(try seqs("--from", "2026-03-02T14:00:05.001Z", "--to", "2026-03-02T14:00:06.999Z") == [6])
        #expect(try seqs("--from", "2026-03-02T15:00:05+01:00", "--to", "5") == [5])
        #expect(try seqs("--from", "20") == [20])
        #expect(try seqs("--to", "1") == [1])
        #expect(try seqs("--from", "0", "--to", "18446744073709551615") == Array(1...20))
        #expect(try seqs("--from", "1970-01-01T00:00:00Z", "--to", "9999-12-31T23:59:59.999Z") == Array(1...20))
        #expect(try seqs("--from", "21") == [])
        #expect(try seqs("--to", "0") == [])
        #expect(try seqs("--from", "7", "--to", "2026-03-02T14:00:05Z") == [])
        #expect(try seqs("--from", "2027-01-01T00:00:00Z") == [])
    }

    @Test func `who asks for what is not recorded yet is told where the log ends`() throws {
        try shell.writeLog(events: 1...20, segmentBytes: 400)
        for from in ["21", "2026-03-02T14:00:20.001Z"] {
            let outcome = shell.belfry("log", "--from", from)
            #expect(outcome.code == 0 && outcome.output == "")
            #expect(
                outcome.errors
                    == "note: the log ends with event 20, at 2026-03-02T14:00:20.000Z, before --from\n")
        }
        for from in ["20", "2026-03-02T14:00:20Z"] { #expect(shell.belfry("log", "--from", from).errors == "") }
        // There are events behind that, though none that is asked for.
        #expect(shell.belfry("log", "--from", "19", "--type", "user_enrolled").errors == "")
    }

    @Test(arguments: [[], ["--user", "u0"], ["--follow"]])
    func `a stretch that ends before it begins is refused`(more: [String]) throws {
        try shell.writeLog(events: 1...20)
        let (early, late) = ("2026-03-02T14:00:05.000Z", "2026-03-02T14:00:07.000Z")
        for (from, to) in [("7", "5"), (late, early)] {
            let refused = shell.belfry(["log", "--from", from, "--to", to] + more, input: [])
            #expect(refused.code == 2 && refused.output == "", "\(refused)")
            #expect(refused.errorLine(0) == "belfry: --to \(to) is before --from \(from)")
        }
    }

    /// Reading ends with event 6, and the log does not.
    @Test func `of a log that goes on behind --to nothing is said of its end`() throws {
        try shell.writeLog(events: 1...20)
        let early = "2026-03-02T14:00:05Z"
        for (from, to) in [("7", early), ("21", early), ("2030-01-01T00:00:00Z", "5")] {
            #expect(shell.belfry("log", "--from", from, "--to", to) == .done())
        }
    }

    /// Against the whole log, filtered here: over many segments, commits of several people, and all kinds of bounds.
    @Test(arguments: 0..<24) func `every filter gives the lines it should, in their order`(seed: Int) throws {
        try shell.writeLog(events: 1...120, people: 7, commitsOf: 1 + seed % 4, segmentBytes: 700 + 100 * (seed % 3))
        #expect(shell.segments(of: "events/log").count > 5)
        let all = shell.belfry("log").lines
        let events = try shell.belfry("log").events()
        #expect(events.map(\.seq) == Array(1...120))
        var words: [String] = []
        var wanted = events
        if seed % 2 == 0 {
            words += ["--user", "u\(seed % 7)"]
            wanted.removeAll { $0.user != "u\(seed % 7)" }
        }
        if seed % 3 == 0 {
            words += ["--type", "points_earned"]
            wanted.removeAll { $0.type != "points_earned" }
        }
        if seed % 4 < 2 {
            let place = events[(seed * 13) % 120]
            words += ["--from", seed % 8 < 2 ? "\(place.seq)" : place.at]
            wanted.removeAll { seed % 8 < 2 ? $0.seq < place.seq : $0.at < place.at }
        }
        if seed % 5 < 3 {
            let place = events[119 - (seed * 7) % 60]
            words += ["--to", seed % 10 < 3 ? "\(place.seq)" : place.at]
            wanted.removeAll { seed % 10 < 3 ? $0.seq > place.seq : $0.at > place.at }
        }
        let outcome = shell.belfry(["log"] + words, input: [])
        #expect(outcome.code == 0)
        #expect(outcome.lines == wanted.map { all[Int($0.seq) - 1] }, "\(words)")
    }

    @Test func `of a person the log has never met it says so`() {
        #expect(shell.belfry("append", input: fact()).code == 0)
        #expect(
            shell.belfry("log", "--user", "bert")
                == Outcome(code: 0, output: "", errors: "note: the log holds nothing about \"bert\"\n"))
    }

    @Test func `of a type that nothing was recorded of it prints nothing`() {
        #expect(shell.belfry("append", input: fact()).code == 0)
        #expect(shell.belfry("log", "--type", "job_emitted") == .done())
    }

    @Test(arguments: ["app_opene", "APP_OPENED", "*"]) func `there is no such type`(type: String) {
        let outcome = shell.belfry("log", "--type", type)
        #expect(outcome.code == 2)
        #expect(outcome.errors.hasPrefix("belfry: \"\(type)\" is no type of event"))
    }

    @Test(arguments: ["--from", "--to"], ["yesterday", "-1", "1.5", "2026-03-02", "99999999999999999999"])
    func `a bound is a number or an instant`(option: String, bound: String) {
        let outcome = shell.belfry("log", option, bound)
        #expect(outcome.code == 2)
        let expected = "\(option) takes an event number or an instant such as 2026-03-02T14:00:00Z, not \"\(bound)\""
        #expect(outcome.errorLines.first == "belfry: \(expected)")
    }

    @Test func `without a log it says how one begins`() throws {
        try shell.makeDirectory("empty")
        for directory in ["empty", "nowhere", "nowhere/at/all"] {
            let complaint = "there is no log in \(directory). `belfry append --data \(directory) FILE` begins one"
            #expect(shell.belfry("log", "--data", directory) == .failed(5, complaint))
        }
        #expect(shell.names(in: ".") == ["empty"])
    }

    @Test func `it reads beside a writer, and what was acknowledged is there`() throws {
        let append = shell.start(["append"])
        for number in 1...5 {
            append.send(fact(id: "f\(number)"))
            #expect(append.line() == "\(number)")
            #expect(try shell.belfry("log").events().map(\.seq) == Array(1...UInt64(number)))
        }
        #expect(append.end().code == 0)
    }
}
