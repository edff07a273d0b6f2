import Foundation
import Testing

@Suite("belfry audit")
struct AuditTests {
    let shell = Shell()

    private typealias Logged = (at: String, user: String?, type: String, data: String)
    private static let policy = #"{"policy":{"name":"p","kinds":[{"name":"reminder","on_request":true}]}}"#

    /// One reminder for Anna, asked for and sent at an instant.
    private static func log(at: String) -> [Logged] {
        [
            ("2026-03-01T12:00:00Z", nil, "policy_adopted", policy),
            ("2026-03-01T12:00:00Z", "anna", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
            (at, "anna", "notice_requested", #"{"kind":"reminder"}"#),
            (
                at, "anna", "job_emitted",
                """
                {"job":"anna/reminder/#3","kind":"reminder","notices":["anna/reminder/#3"],"channels":["push"],\
                "priority":"medium","title":"T","body":"B","not_after":"\(at.replacing("Z", with: ".001Z"))"}
                """
            ),
        ]
    }

    private static let sentence =
        "event 4, 2026-03-02T23:00:00.000Z, anna: anna/reminder/#3: 2026-03-03T00:00 in Europe/Paris is in the quiet hours 22:00–08:00 (P8)"

    @Test func `a clean log is counted check by check, with its head hash`() throws {
        try shell.writeLog(Self.log(at: "2026-03-02T12:00:00Z"))
        let outcome = shell.belfry("audit")
        #expect((outcome.code, outcome.errors) == (0, ""))
        #expect(
            outcome.lines.first
                == "4 events, 3 facts and 1 decision; 1 notice, 0 of them waiting; 1 job, 1 person")
        #expect(outcome.lines.contains("           1           0  no job in quiet hours (P8)"))
        #expect(outcome.lines.contains("           0           0  no job without consent (P3)"))
        #expect(outcome.lines.dropLast().last == "0 violations")
        #expect(outcome.lines.last == shell.belfry("verify").lines.last)
    }

    @Test func `a violation is printed, and the offending event is named on standard error`() throws {
        try shell.writeLog(Self.log(at: "2026-03-02T23:00:00Z"))
        let outcome = shell.belfry("audit")
        #expect(outcome.code == 1)
        #expect(outcome.lines.first == Self.sentence)
        #expect(outcome.lines.contains("           1           1  no job in quiet hours (P8)"))
        #expect(outcome.lines.last == shell.belfry("verify").lines.last)
        #expect(outcome.errors == "belfry: 1 violation, in event 4. The first: \(Self.sentence)\n")
    }

    @Test func `for machines a line each, and one for all of it`() throws {
        try shell.writeLog(Self.log(at: "2026-03-02T23:00:00Z"))
        let outcome = shell.belfry("audit", "--json")
        #expect((outcome.code, outcome.lines.count) == (1, 2))
        struct Found: Decodable, Equatable {
            var seq: Int
            var at: String
            var user: String
            var check: String
            var rule: String
        }
        struct Whole: Decodable {
            struct Tally: Decodable, Equatable {
                var asked: Int
                var violations: Int
            }
            var events: Int
            var violations: Int
            var checks: [String: Tally]
            var head: String
        }
        let found = try JSONDecoder().decode(Found.self, from: Data(outcome.line(0).utf8))
        #expect(
            found == Found(seq: 4, at: "2026-03-02T23:00:00.000Z", user: "anna", check: "quiet_hours", rule: "P8"))
        let whole = try JSONDecoder().decode(Whole.self, from: Data(outcome.line(1).utf8))
        #expect((whole.events, whole.violations) == (4, 1))
        #expect(whole.checks["quiet_hours"] == Whole.Tally(asked: 1, violations: 1))
        #expect(shell.belfry("verify").lines.last == "head \(whole.head)")
    }

    @Test func `a damaged log is not judged`() throws {
        try shell.writeLog(Self.log(at: "2026-03-02T12:00:00Z"))
        let segment = try #require(shell.segments(of: "events/log").first)
        try shell.edit(segment) { $0[104 + 80] ^= 0x10 }
        for words in [["audit"], ["audit", "--json"]] {
            let outcome = shell.belfry(words, input: [])
            #expect((outcome.code, outcome.output) == (4, ""))
            #expect(outcome.errors == shell.belfry("verify").errors)
        }
    }

    @Test func `a log without a policy is judged by standard, and said so`() throws {
        try shell.writeLog(Array(Self.log(at: "2026-03-02T12:00:00Z").dropFirst().prefix(1)))
        let outcome = shell.belfry("audit")
        #expect(outcome.code == 0)
        #expect(
            outcome.errors
                == "note: the log adopts no policy; it was judged by standard, which is in force until one is adopted\n"
        )
    }

    @Test func `without a log it says how one begins`() {
        let complaint = "there is no log in nowhere. `belfry append --data nowhere FILE` begins one"
        #expect(shell.belfry("audit", "--data", "nowhere") == .failed(5, complaint))
    }
}
