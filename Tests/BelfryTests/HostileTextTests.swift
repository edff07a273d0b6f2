import Foundation
import Notices
import Testing

/// What others wrote steers no terminal, breaks no line and hides nothing, wherever it is printed.
@Suite("text of others, as it is printed")
struct HostileTextTests {
    let shell = Shell()

    private static let hostile = "a\u{9B}2J\u{1B}[31m\u{202E}b\u{200B}\u{7F}\u{2028}c"
    private static let shown = #"a\u{9b}2J\u{1b}[31m\u{202e}b\u{200b}\u{7f}\u{2028}c"#
    private static let inJSON = #"a\u009b2J\u001b[31m\u202eb\u200b\u007f\u2028c"#

    /// A JSON string with it, as a sender may write it: escaped where it must be and nowhere else.
    private static let written = "\"\(hostile.replacing("\u{1B}", with: #"\u001b"#))\""

    private static let history = [
        fact("user_enrolled", at: monday("08:00:00"), data: #"{"timezone":"UTC","name":\#(written)}"#),
        fact("goal_started", at: monday("08:10:00"), data: #"{"goal":"g1","title":\#(written)}"#),
        fact(
            "notice_requested", at: monday("09:00:00"),
            data: #"{"kind":"urgent","title":\#(written),"body":\#(written),"data":{"x":\#(written)}}"#),
        fact("notice_requested", at: monday("23:00:00"), data: #"{"kind":"alert","title":\#(written)}"#),
        fact(
            "job_failed", at: monday("23:01:00"),
            data: #"{"job":"anna/urgent/#5","channel":"push","permanent":false,"reason":\#(written)}"#),
    ].joined()

    /// Nothing but printable ASCII, line ends and the typography that Belfry uses itself.
    private func expectPlain(_ outcome: Outcome, _ words: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        for text in [outcome.output, outcome.errors] {
            let odd = text.unicodeScalars.filter {
                !(0x20..<0x7F).contains($0.value) && $0 != "\n" && !"“”→–·…§".unicodeScalars.contains($0)
            }
            #expect(odd.map { String($0.value, radix: 16) } == [], "\(words)", sourceLocation: sourceLocation)
        }
    }

    private static let questions: [[String]] = [
        ["state", "--user", "anna"], ["history", "--user", "anna", "--at", tuesday("00:00:00")],
        ["explain", "--user", "anna"], ["explain", "--user", "anna", "--notice", "anna/urgent/#5"], ["log"], ["audit"],
        ["replay", "--verify"], ["what-if", "--policy", "coachme"], ["run-now", "--dry-run"],
        ["state", "--user", hostile], ["explain", "--user", "anna", "--kind", hostile], ["log", "--type", hostile],
        ["log", "--user", hostile], ["log", "--from", hostile], ["verify", "--data", hostile], [hostile],
        ["run", "--jobs", hostile], ["policy", "check", hostile], ["audit", hostile], ["log", "--\(hostile)"],
        ["simulate", "history.jsonl", "--policy", "standard", "--facts"],
        ["simulate", "bad.jsonl", "--policy", "standard"], ["append", "bad.jsonl"], ["policy", "show", "own.json"],
        ["policy", "check", "own.json"], ["policy", "check", "bad.json"],
        ["preset", "preview", hostile, "--user", "anna"],
    ]

    @Test func `no command prints it raw, for people or for machines`() throws {
        try shell.write(Self.history, to: "history.jsonl")
        try shell.write(
            "{\"type\":\"\(Self.hostile.filter { $0 != "\u{1B}" })\"}\n"
                + #"{"type":"app_opened","user":"\#(Self.hostile.filter { $0 != "\u{1B}" })"}"#,
            to: "bad.jsonl")
        try shell.write(
            #"{"name":"own","about":\#(Self.written),"kinds":[{"name":"note","on_request":true,"label":\#(Self.written)}]}"#,
            to: "own.json")
        try shell.write(#"{"name":\#(Self.written),"kinds":[]}"#, to: "bad.json")
        #expect(shell.belfry("import", "history.jsonl", "--policy", "standard").code == 0)
        for words in Self.questions {
            for words in [words, words + ["--json"]] where words != [Self.hostile, "--json"] {
                expectPlain(shell.belfry(words, input: []), words)
            }
        }
    }

    @Test func `nor is it in what is told of a job that goes out at once`() throws {
        try shell.write(
            #"{"name":"named","kinds":[{"name":"note","priority":"critical","schedule":{"on":"daily","at":"09:00"},"copy":{"title":"{name}","body":"Hello"}}]}"#,
            to: "named.json")
        try shell.write(
            fact("user_enrolled", at: monday("08:00:00"), data: #"{"timezone":"UTC","name":\#(Self.written)}"#),
            to: "history.jsonl")
        #expect(shell.belfry("import", "history.jsonl", "--policy", "named.json").code == 0)
        let told = shell.belfry("run-now", "--kind", "note", "--user", "anna")
        expectPlain(told, ["run-now"])
        // What ends lines and steers terminals no title has; what is not seen is shown.
        #expect(told.output.contains(#"b\u{200b}"#), "\(told.output)\(told.errors)")
    }

    @Test func `it is shown escaped, not taken away`() throws {
        try shell.write(Self.history, to: "history.jsonl")
        #expect(shell.belfry("import", "history.jsonl", "--policy", "standard").code == 0)
        #expect(shell.belfry("state", "--user", "anna").output.contains("“\(Self.shown)”"))
        #expect(
            shell.belfry("history", "--user", "anna", "--at", tuesday("00:00:00")).output.contains(
                "failed on push: \(Self.shown)"))
        let log = shell.belfry("log")
        #expect(log.output.contains(Self.inJSON))
        let told = try log.lines.map { try Printed($0) }
        #expect(told.contains { $0["data.title"] == Self.hostile }, "it is the same value")
        #expect(shell.belfry("state", "--user", Self.hostile).errors.contains(Self.shown))
    }

    @Test func `a worker's log, its jobs and its answers hold none of it`() throws {
        let worker = shell.start(["run", "--jobs", "stdout", "--log-level", "debug"])
        try worker.expectReady()
        let name = "j\u{9B}2J\u{202E}"
        let outcome = shell.belfry(
            "append", input: fact("notice_requested", data: #"{"kind":"urgent","data":{"x":\#(Self.written)}}"#))
        expectPlain(outcome, ["append"])
        #expect(worker.line()?.contains(Self.inJSON) == true)
        for words in [
            ["state", "--user", "anna"], ["history", "--user", "anna"], ["explain", "--user", "anna", "--kind", name],
        ] {
            expectPlain(shell.belfry(words, input: []), words)
        }
        worker.send(signal: SIGTERM)
        expectPlain(worker.waitForEnd(), ["run"])
    }
}
