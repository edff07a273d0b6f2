import Foundation
import Simulation
import Testing

/// An acknowledged fact survives the death of the process at any point (`G3`), and is there once.
@Suite("Killed at any moment")
struct KillTests {
    let shell = Shell()
    private static let isLong = LongRun.isAskedFor

    /// The ids the log has, by their numbers, and what was promised of them.
    private struct Ledger {
        /// What the senders tell. All else in the log are decisions, which nobody sent and which have no id.
        static let told: Set = ["app_opened", "notice_requested", "points_earned"]

        var logged: [String: UInt64] = [:]
        var notices = 0
        var decisions = 0
        var lastSeq: UInt64 = 0

        /// Takes in what the log has got since, and holds it against what was acknowledged.
        mutating func check(_ shell: Shell, acknowledged: [String], _ comment: Comment) throws {
            let verified = shell.belfry("verify")
            #expect(verified.code == 0, "\(comment): \(verified.errors)")
            let log = shell.belfry("log", "--from", "\(lastSeq + 1)")
            #expect(log.code == 0, "\(comment): \(log.errors)")
            for event in try log.events() {
                #expect(event.seq == lastSeq + 1, comment)
                lastSeq = event.seq
                guard Self.told.contains(event.type) else {
                    #expect(event.id == nil, "\(event); \(comment)")
                    decisions += 1
                    continue
                }
                if event.type == "notice_requested" { notices += 1 }
                let id = try #require(event.id, "\(event); \(comment)")
                #expect(logged.updateValue(event.seq, forKey: id) == nil, "\(id) is there twice; \(comment)")
            }
            #expect(decisions >= notices, "a fact is in the log without what was decided because of it; \(comment)")
            let lost = acknowledged.filter { logged[$0] == nil }
            #expect(lost == [], "acknowledged and not there; \(comment)")
        }
    }

    @Test(arguments: [20_261_120]) func `what a storm of clients was told is in the log, once`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var ledger = Ledger()
        var acknowledged: [String] = []
        for round in 1...(Self.isLong ? 200 : 25) {
            let storm = shell.start(["events/log", "8", "1000000", "300000"], of: .storm)
            // Every so often before it has said anything, so that recovery is killed as well.
            let count =
                Bool.random(using: &random)
                ? Int.random(in: 0...20, using: &random) : Int.random(in: 0...250, using: &random)
            acknowledged += (0..<count).compactMap { _ in storm.line() }
            storm.send(signal: SIGKILL)
            let end = storm.waitForEnd()
            #expect((end.code, end.errors) == (-SIGKILL, ""))
            acknowledged += end.lines
            if round > 1 || count > 0 {
                try ledger.check(shell, acknowledged: acknowledged, "round \(round) of seed \(seed)")
            }
        }
        #expect(shell.segments(of: "events/log").count > 1)
        #expect(ledger.notices > 0, "nothing was asked for of which something follows")
        let audit = shell.belfry("audit")
        #expect(audit.code == 0, "\(audit.output)\(audit.errors)")
        // Behind what may have come due meanwhile.
        let next = shell.belfry("append", input: fact())
        #expect(next.code == 0 && UInt64(next.line(0)).map { $0 > ledger.lastSeq } == true, "\(next)")
    }

    @Test(arguments: [7]) func `what eight senders were told through one pipe is in the log, once`(seed: UInt64) throws
    {
        #expect(mkfifo(shell.path("pipe"), 0o600) == 0)
        var random = SeededRandom(seed: seed)
        var ledger = Ledger()
        var sent: [String] = []
        var told: [String: UInt64] = [:]
        for round in 1...(Self.isLong ? 100 : 12) {
            // What was not answered is sent again, and some of what was.
            let again = sent.filter { told[$0] == nil || Int.random(in: 0..<10, using: &random) == 0 }
            let append = shell.start(["append", "--json", "pipe"])
            let senders = Senders(pipe: shell.path("pipe"), name: "r\(round)", first: again)
            var answers = (0..<Int.random(in: 1...1200, using: &random)).compactMap { _ in append.line() }
            append.send(signal: SIGKILL)
            let end = append.waitForEnd()
            // The kill before may have left half a write, which is set aside with a note.
            let complaints = end.errors.split(separator: "\n").filter { !$0.hasPrefix("note: ") }
            #expect((end.code, complaints.isEmpty) == (-SIGKILL, true), "\(end.errors)")
            // A line cut off by the end is no answer.
            answers += end.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
            let order = senders.end()
            for (id, seq) in try answers.map({ try Answer($0, order) }).map({ ($0.id, $0.seq) }) {
                #expect(told.updateValue(seq, forKey: id) ?? seq == seq, "\(id) has two numbers")
            }
            sent = Array(Set(sent + order)).sorted()
            let comment: Comment = "round \(round) of seed \(seed)"
            try ledger.check(shell, acknowledged: Array(told.keys), comment)
            #expect(told.allSatisfy { ledger.logged[$0] == $1 }, comment)
        }
        let outcome = shell.belfry("append", input: sent.map { fact(id: $0) }.joined())
        #expect((outcome.code, outcome.lines.count) == (0, sent.count))
        try ledger.check(shell, acknowledged: sent, "sent again, all of it")
        #expect(ledger.logged.count == sent.count)
    }

    /// What `append --json` said of a line.
    private struct Answer {
        var id: String
        var seq: UInt64

        private struct Line: Decodable {
            var line: Int
            var seq: UInt64
        }

        init(_ text: String, _ order: [String]) throws {
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            id = try #require(order.indices.contains(line.line - 1) ? order[line.line - 1] : nil)
            seq = line.seq
        }
    }
}
