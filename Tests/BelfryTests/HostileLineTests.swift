import Testing

@Suite("belfry append and lines made to hurt")
struct HostileLineTests {
    let shell = Shell()

    @Test func `bytes that are no text`() {
        let lines: [[UInt8]] = [
            Array(#"{"type":"app_opened","user":"an"#.utf8) + [0xFF] + Array(#"na"}"#.utf8),
            Array(#"{"type":"app_opened","user":"an"#.utf8) + [0x00] + Array(#"na"}"#.utf8),
            [0x00],
            [0xC0, 0x80],
            Array(#"{"type":"app_opened","user":"an\u0000na"}"#.utf8),
            Array(#"{"type":"app_opened","user":"an\ud800na"}"#.utf8),
            Array(fact().utf8.dropLast()),
        ]
        let outcome = shell.belfry(["append"], input: Array(lines.joined(separator: [0x0A])))
        #expect(outcome.code == 3)
        #expect(outcome.output == "1\n")
        #expect(
            outcome.errorLines == [
                "line 1: not JSON: column 32: not valid UTF-8",
                "line 2: not JSON: column 32: a NUL byte",
                "line 3: not JSON: column 1: a NUL byte",
                "line 4: not JSON: column 1: expected a JSON value",
                "line 5: not JSON: column 32: \\u0000 (NUL) is not accepted",
                "line 6: not JSON: column 32: half of a surrogate pair stands alone",
                "belfry: 6 lines were refused; 1 went in",
            ])
    }

    @Test func `nesting beyond all measure`() {
        let policy = String(repeating: #"{"a":"#, count: 30) + "1" + String(repeating: "}", count: 30)
        let tooDeep = String(repeating: #"{"a":"#, count: 31) + "1" + String(repeating: "}", count: 31)
        let deepest = String(repeating: "[", count: 500_000)
        let lines = [policy, tooDeep].map { fact("policy_adopted", user: nil, data: #"{"policy":\#($0)}"#) }
        let outcome = shell.belfry("append", input: lines.joined() + deepest)
        #expect(
            outcome.errorLines == [
                "line 1: data.policy.name: is missing; it must be an id (1 to 128 characters of A-Z a-z 0-9 . _ : @ -)",
                "line 2: not JSON: column 193: nested deeper than 32 levels",
                "line 3: not JSON: column 33: nested deeper than 32 levels",
                "belfry: 3 lines were refused; 0 went in",
            ])
    }

    @Test func `a line of 100 MB is passed over in bounded memory`() {
        let append = shell.start(["append"])
        let piece = [UInt8](repeating: 0x78, count: 1 << 20)
        for _ in 0..<100 { append.send(piece) }
        append.send("\n" + fact())
        #expect(append.line() == "1")
        let peakBytes = append.peakBytes
        append.send("nonsense\n")
        let outcome = append.end()
        #expect(outcome.code == 3)
        #expect(
            outcome.errorLines == [
                "line 1: the line is longer than 1048576 bytes",
                "line 3: not JSON: column 1: expected a JSON value",
                "belfry: 2 lines were refused; 1 went in",
            ])
        #expect(peakBytes < 100 << 20, "it held \(peakBytes >> 20) MiB")
    }

    @Test(arguments: ["", "\n"]) func `the longest line that is read, and one byte more`(end: String) {
        func line(_ length: Int) -> String {
            let plain = fact().dropLast()
            return plain + String(repeating: " ", count: length - plain.utf8.count)
        }
        let outcome = shell.belfry("append", input: line(1 << 20) + "\n" + line(1 << 20 + 1) + end)
        #expect(outcome.output == "1\n")
        #expect(outcome.errorLines.first == "line 2: the line is longer than 1048576 bytes")
    }

    @Test func `what a sender wrote cannot steer the terminal`() {
        let outcome = shell.belfry("append", input: #"{"type":"\#u{1B}[2J"}"# + "\n" + #"{"type":"\u001b[2J"}"#)
        #expect(!outcome.errors.contains("\u{1B}"))
        #expect(outcome.code == 3)
    }

    @Test func `keys that differ only in how an accent is spelled are two keys`() {
        let data = "{\"kind\":\"urgent\",\"data\":{\"\u{E9}\":\"one\",\"e\u{301}\":\"two\"}}"
        #expect(shell.belfry("append", input: fact("notice_requested", data: data)) == .done("1"))
        let printed = shell.belfry("log").output
        #expect(printed.utf8.count > 0 && printed.contains("one") && printed.contains("two"))
    }

    @Test func `a hundred thousand facts of one id`() throws {
        let count = 100_000
        try shell.write(String(repeating: fact(id: "same"), count: count), to: "facts.jsonl")
        let outcome = shell.belfry("append", "facts.jsonl")
        #expect(outcome.code == 0)
        #expect(outcome.lines.count == count)
        #expect(outcome.lines.dropFirst().allSatisfy { $0 == "1 duplicate" })
    }
}
