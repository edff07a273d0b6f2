@testable import belfry
import Notices
import Testing

/// Lines of facts of which a worker's answers tell bit by bit what became of them.
@Suite("Lines that are open")
struct OpenLinesTests {
    private func entries(_ texts: String...) throws -> [JSONValue] {
        try texts.map { try #require(JSONValue(parsing: $0)) }
    }

    private func text(_ lines: OpenLines) -> String { String(decoding: lines.body, as: UTF8.self) }

    @Test func `what was not taken is offered again, and told by the number that it had at first`() throws {
        var lines = OpenLines(Array("a\nb\r\nc\nd\n".utf8))
        lines.hear(
            try entries(
                #"{"line":1,"not_taken":"nobody is there"}"#, #"{"line":2,"seq":5}"#,
                #"{"line":3,"not_taken":"nobody is there"}"#, #"{"line":4,"refused":"no"}"#))
        #expect(text(lines) == "a\nc\n" && lines.doubtful.isEmpty && !lines.isEmpty)
        #expect(lines.problem == "nobody is there")
        lines.hear(try entries(#"{"line":1,"seq":9}"#, #"{"line":2,"not_taken":"still nobody"}"#))
        #expect(text(lines) == "c\n")
        lines.hear(try entries(#"{"line":1,"duplicate_of":3}"#))
        #expect(lines.isEmpty && lines.told.map(\.line) == [1, 2, 3, 4])
        #expect(lines.told[0].outcome == .recorded(seq: 9, warnings: []))
        #expect(lines.told[2].outcome == .duplicate(of: 3))
    }

    @Test func `what is in doubt, or not spoken of, is not offered again`() throws {
        var lines = OpenLines(Array("a\nb\nc\n".utf8))
        lines.hear(
            try entries(
                #"{"line":1,"in_doubt":"it is silent"}"#, #"{"line":3,"seq":7}"#, #"{"line":4,"seq":8}"#,
                #"{"line":3,"seq":9}"#))
        #expect(lines.body.isEmpty && lines.doubtful == [1, 2] && !lines.isEmpty)
        #expect(lines.told == [LineReceipt(line: 3, outcome: .recorded(seq: 7, warnings: []))])
        #expect(lines.problem == "it is silent")
    }

    @Test func `when nothing more is heard, what was told stays told`() throws {
        var lines = OpenLines(Array("a\nb\nc\n".utf8))
        guard case .notTaken("gone") = lines.partly(.notTaken("gone")) else {
            Issue.record("of nothing told there is no part")
            return
        }
        lines.hear(
            try entries(
                #"{"line":1,"seq":4}"#, #"{"line":2,"not_taken":"nobody"}"#, #"{"line":3,"not_taken":"nobody"}"#))
        guard case .partly(let told, doubtful: [2, 3], "broken") = lines.partly(.inDoubt("broken")),
            case .partly(_, doubtful: [], "busy") = lines.partly(.notTaken("busy"))
        else {
            Issue.record("the lines that were left are in doubt, or were not taken")
            return
        }
        #expect(told.map(\.line) == [1])
    }
}
