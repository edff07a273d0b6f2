import Journal
import Testing

@Suite("belfry snapshot")
struct SnapshotTests {
    let shell = Shell()

    @Test func `keeps the state and the index, and says of what`() throws {
        try shell.writeLog(events: 1...60, people: 6, segmentBytes: 500)
        let outcome = shell.belfry("snapshot")
        #expect((outcome.code, outcome.errors) == (0, ""))
        let first = try #require(
            outcome.lines.first?.wholeMatch(
                of: #/position (\d+), event 60, 6 people: 60 events folded in \d+\.\d{3} s/#))
        let files = try #require(outcome.lines.last?.wholeMatch(of: #/state (\d+) bytes, index (\d+) bytes/#))
        #expect(try shell.read("events/log/state.snapshot").count == Int(files.1))
        #expect(try shell.read("events/log/index.snapshot").count == Int(files.2))
        let again = shell.belfry("snapshot", "--json")
        #expect(again.code == 0)
        #expect(
            again.output.hasPrefix(
                #"{"position":\#(first.1),"seq":60,"people":6,"events_folded":0,"seconds":0."#))
        // What there is, whoever wrote it.
        #expect(again.output.hasSuffix(#","state_bytes":\#(files.1),"index_bytes":\#(files.2)}"# + "\n"))
        #expect(shell.belfry("snapshot").lines.last == "the state was kept already, index \(files.2) bytes")
    }

    @Test func `beside a log that grows, folds only what is new`() throws {
        #expect(shell.belfry("append", input: facts(1...5)).code == 0)
        #expect(shell.belfry("snapshot").lines.first?.contains(" 5 events folded ") == true)
        #expect(shell.belfry("append", input: facts(6...7)).code == 0)
        #expect(shell.belfry("snapshot").lines.first?.contains(" 2 events folded ") == true)
    }

    /// Nobody else minds the files that it leaves.
    @Test func `its files are disposable`() throws {
        #expect(shell.belfry("append", input: facts(1...5)).code == 0)
        let before = shell.belfry("verify").output
        #expect(shell.belfry("snapshot").code == 0)
        #expect(shell.belfry("verify").output == before)
        try shell.write("nonsense", to: "events/log/state.snapshot")
        try shell.write("nonsense", to: "events/log/index.snapshot")
        #expect(shell.belfry("verify").output == before)
        #expect(shell.belfry("append", input: facts(1...6)).code == 0)
        #expect(shell.belfry("snapshot").lines.first?.contains(", event 6, ") == true)
        #expect(shell.belfry("doctor", "--data", "events/log").output.contains("snapshot") == false)
    }

    @Test func `two at once do not hurt`() throws {
        #expect(shell.belfry("append", input: facts(1...5)).code == 0)
        let held = try SnapshotLock(shell.path("events/log"), on: RealDisk())
        let outcome = shell.belfry("snapshot")
        #expect((outcome.code, outcome.output) == (5, ""))
        #expect(
            outcome.errorLine(0)
                == "belfry: another snapshot of events/log is being taken; wait until it is done")
        withExtendedLifetime(held) {}
    }

    @Test func `without a log there is nothing to keep`() {
        let outcome = shell.belfry("snapshot")
        #expect((outcome.code, outcome.output) == (5, ""))
        #expect(outcome.errors.contains("there is no log in events/log"))
        #expect(shell.names(in: ".") == [])
    }
}
