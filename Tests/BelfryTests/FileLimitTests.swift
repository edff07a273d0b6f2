import Testing

/// A process that may open too few files says so, and nothing about the tz database or the disk.
@Suite("ulimit -n")
struct FileLimitTests {
    let shell = Shell()

    private static let complaint =
        "belfry: this process may have 8 files open at once, and needs 32; raise the limit, with `ulimit -n 1024` or LimitNOFILE= of its unit\n"

    @Test(arguments: [
        "append facts.jsonl", "run --jobs spool:spool", "doctor", "simulate facts.jsonl --policy standard",
    ])
    func `eight descriptors are too few, and that is what is said`(words: String) throws {
        try shell.write(fact(), to: "facts.jsonl")
        let outcome = shell.bash(#"ulimit -n 8; exec "$BELFRY" \#(words)"#)
        #expect(outcome == Outcome(code: 5, output: "", errors: Self.complaint))
        #expect(shell.names(in: ".") == ["facts.jsonl"])
    }

    @Test func `a limit that may be raised is raised`() throws {
        try shell.write(fact(), to: "facts.jsonl")
        #expect(shell.bash(#"ulimit -S -n 8; exec "$BELFRY" append facts.jsonl"#) == .done("1"))
    }

    @Test func `help is given whatever the limit`() {
        #expect(shell.bash(#"ulimit -n 8; exec "$BELFRY" run --help"#).code == 0)
    }
}
