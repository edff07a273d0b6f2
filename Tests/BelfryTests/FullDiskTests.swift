import Testing

/// After a failed write nothing more is acknowledged, and the exit code is 5 (`G4`); what was acknowledged stays.
@Suite("A full disk")
struct FullDiskTests {
    let shell = Shell()
    private let count = 200

    init() throws {
        let title = String(repeating: "x", count: 4000)
        let lines = (1...count).map {
            fact("notice_requested", id: "f\($0)", data: #"{"kind":"reminder","title":"\#(title)"}"#)
        }
        try shell.write(lines.joined(), to: "facts.jsonl")
    }

    private func expectNothingLost(acknowledged: [String], logged: Outcome) throws {
        let facts = try logged.events().filter { $0.id != nil }
        #expect(facts.count >= acknowledged.count)
        #expect(acknowledged == facts.prefix(acknowledged.count).map { "\($0.seq)" })
        #expect(facts.map(\.id) == (0..<facts.count).map { "f\($0 + 1)" })
    }

    /// What is said of the lines behind those that were acknowledged.
    private func doubt(_ line: Int) -> String {
        let what =
            line == 0
            ? "Of no line is it known what became of it" : "Of what comes after line \(line) nothing is known"
        return what + ". Send it again; a fact that has an id is taken once\n"
    }

    /// Also where all was there to be read at once.
    @Test(.enabled(if: Machine.hasOwnMounts, "needs to mount a file system"))
    func `a disk that fills up under a file tells of what went in before`() throws {
        let title = String(repeating: "x", count: 1000)
        let lines = (1...4000).map {
            fact("notice_requested", user: "anna\($0)", id: "f\($0)", data: #"{"kind":"urgent","title":"\#(title)"}"#)
        }
        try shell.write(lines.joined(), to: "many.jsonl")
        let outcome = shell.bash(
            """
            \(try #require(Machine.withOwnMounts)) bash -c '
            mkdir disk && mount -t tmpfs -o size=4m none disk && "$BELFRY" append many.jsonl --data disk/log
            code=$?; "$BELFRY" log --data disk/log >logged 2>/dev/null; exit $code'
            """)
        #expect(outcome.code == 5)
        #expect(outcome.errors.hasSuffix(doubt(outcome.lines.count)), "\(outcome.errors)")
        #expect(!outcome.lines.isEmpty)
        let logged = String(decoding: try shell.read("logged"), as: UTF8.self)
        try expectNothingLost(
            acknowledged: outcome.lines, logged: Outcome(code: 0, output: logged, errors: ""))
    }

    @Test func `files that may not grow`() throws {
        // One fact after the other, so that some are acknowledged; the limit counts kilobytes. People's keys take 324.
        let outcome = shell.bash(#"ulimit -f 500; "$BELFRY" append facts.jsonl"#)
        #expect(outcome.code == 5)
        #expect(
            outcome.errors
                == "belfry: the log takes nothing more since a write failed: cannot write events/log/00000000000000000000.segment: File too large (EFBIG). Raise the limit on the size of files (`ulimit -f`), then try again\n\(doubt(outcome.lines.count))"
        )
        #expect(shell.belfry("verify").code == 0)
        try expectNothingLost(acknowledged: outcome.lines, logged: shell.belfry("log"))
        #expect(shell.belfry("append", "facts.jsonl").code == 0)
        #expect(try shell.belfry("log").events().compactMap(\.id) == (1...count).map { "f\($0)" })
    }

    @Test(.enabled(if: Machine.hasOwnMounts, "needs to mount a file system"))
    func `a disk that fills up`() throws {
        let outcome = shell.bash(
            """
            \(try #require(Machine.withOwnMounts)) bash -c '
            mkdir disk && mount -t tmpfs -o size=4m none disk && head -c 3500000 /dev/zero >disk/filler || exit 99
            while read -r line; do echo "$line"; done <facts.jsonl | "$BELFRY" append --data disk/log >acked 2>complaint
            echo append ${PIPESTATUS[1]}
            "$BELFRY" verify --data disk/log >verified 2>&1; echo verify $?
            "$BELFRY" log --data disk/log >logged; echo log $?
            "$BELFRY" doctor --data disk/log >doctor; echo doctor $?
            "$BELFRY" append --data disk/log facts.jsonl 2>again; echo append $?
            rm disk/filler
            "$BELFRY" append --data disk/log facts.jsonl >retried; echo append $?
            "$BELFRY" log --data disk/log >relogged; echo log $?
            "$BELFRY" verify --data disk/log >/dev/null; echo verify $?' 2>/dev/null
            """)
        #expect(
            outcome.lines == [
                "append 5", "verify 0", "log 0", "doctor 1", "append 5", "append 0", "log 0", "verify 0",
            ])
        func text(_ name: String) throws -> String { String(decoding: try shell.read(name), as: UTF8.self) }
        let acknowledged = try text("acked").split(separator: "\n").map(String.init)
        #expect(
            try text("complaint")
                == "belfry: the log takes nothing more since a write failed: cannot write disk/log/00000000000000000000.segment: No space left on device (ENOSPC). Make room there, then try again\n\(doubt(acknowledged.count))"
        )
        #expect(try text("again").hasSuffix("No space left on device (ENOSPC). Make room there, then try again\n"))
        #expect(try text("doctor").contains("FAIL  disk"))
        #expect(!acknowledged.isEmpty && acknowledged.count < count)
        try expectNothingLost(
            acknowledged: acknowledged, logged: Outcome(code: 0, output: try text("logged"), errors: ""))
        let relogged = Outcome(code: 0, output: try text("relogged"), errors: "")
        #expect(try relogged.events().compactMap(\.id) == (1...count).map { "f\($0)" })
    }

    @Test(.enabled(if: Machine.hasOwnMounts, "needs to mount a file system"))
    func `a sender that waits for its answer hears of the end`() throws {
        // The input stays open: the program must not wait for a next line when its log has stopped.
        let outcome = shell.bash(
            """
            \(try #require(Machine.withOwnMounts)) bash -c '
            mkdir disk && mount -t tmpfs -o size=700k none disk || exit 99
            coproc "$BELFRY" append --data disk/log 2>complaint
            pid=$COPROC_PID; exec 3<&${COPROC[0]} 4>&${COPROC[1]}
            n=0; while read -r line; do echo "$line" >&4; read -r ack <&3 || break; n=$ack; done <facts.jsonl
            wait $pid; echo $? $((n > 0))' 2>/dev/null
            """)
        #expect(outcome.lines == ["5 1"])
    }
}
