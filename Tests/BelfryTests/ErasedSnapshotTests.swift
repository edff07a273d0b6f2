import Foundation
import Journal
import Testing

@Suite("Snapshots of before an erasure, as an operator meets them (E1, E3)")
struct ErasedSnapshotTests {
    let shell = Shell()

    /// The files that still tell of her.
    private var found: [String] {
        let found = Secrets(["anna@home", "Zweig"]).found(under: "events/log", of: shell)
        return Set(found.compactMap { $0.split(separator: "/").last.map(String.init) }).sorted()
    }

    private func copied(_ isWanted: (String) -> Bool) throws -> [(name: String, bytes: [UInt8])] {
        try shell.names(in: "events/log").filter(isWanted).map {
            (name: $0, bytes: try shell.read("events/log/\($0)"))
        }
    }

    private func putBack(_ files: [(name: String, bytes: [UInt8])]) throws {
        for file in files { try shell.write(file.bytes, to: "events/log/\(file.name)") }
    }

    private func erase() -> Outcome { shell.belfry("erase", "--user", "anna@home", "--yes") }

    private func tell(_ command: String) -> Outcome {
        shell.belfry([command], input: Array((command == "append" ? fact("app_opened", user: "bob") : "").utf8))
    }

    /// As somebody leaves it who was killed behind the erasure, in front of the snapshots.
    private func leaveSnapshots() throws {
        shell.importing(EraseTests.life)
        #expect(shell.belfry("snapshot").code == 0)
        let snapshots = try copied { $0.hasSuffix(".snapshot") }
        #expect(erase().code == 0)
        #expect(found == [])
        try putBack(snapshots)
        #expect(found == ["index.snapshot", "state.snapshot"])
    }

    @Test(arguments: ["append", "run-now"])
    func `the next command that writes the log writes them anew`(command: String) throws {
        try leaveSnapshots()
        let told = tell(command)
        #expect(told.code == 0, "\(told.errors)")
        #expect(found == [])
        #expect(shell.belfry("people").output.contains("bob"))
    }

    @Test func `a worker that starts writes them anew`() throws {
        try leaveSnapshots()
        let worker = shell.start(["run"])
        try worker.expectReady()
        #expect(worker.complaint(of: "a snapshot was taken") != nil)
        #expect(found == [])
        worker.expectStopped()
    }

    /// Which two erasures side by side are, too: one of them finds the other at the snapshots.
    @Test func `an erasure beside whoever takes snapshots says that they are still to be written`() throws {
        shell.importing(EraseTests.life)
        #expect(shell.belfry("snapshot").code == 0)
        let held = try SnapshotLock(shell.path("events/log"), on: RealDisk())
        let erased = erase()
        #expect(erased.code == 0, "\(erased.errors)")
        #expect(erased.output.contains("elsewhere  the snapshots beside the log, which still hold them"))
        #expect(!erased.output.contains("removed    the snapshots"), "\(erased.output)")
        #expect(found != [])
        withExtendedLifetime(held) {}
    }

    @Test func `an erasure that wrote them anew says so`() throws {
        shell.importing(EraseTests.life)
        #expect(shell.belfry("snapshot").code == 0)
        let erased = erase()
        #expect(erased.output.contains("removed    the snapshots beside the log, written anew"), "\(erased.output)")
        #expect(!erased.output.contains("which still hold them"))
    }

    /// The runbook has them deleted; who forgets it finds nobody again.
    @Test(arguments: ["append", "run"])
    func `E3: a copy of before that is put back with its snapshots brings nobody back`(first: String) throws {
        shell.importing(EraseTests.life)
        #expect(shell.belfry("snapshot").code == 0)
        let isOfLog = { (name: String) in
            name.hasSuffix(".segment") || name.hasSuffix(".snapshot") || name == "durable"
        }
        let copy = try copied(isOfLog)
        #expect(erase().code == 0)
        for name in shell.names(in: "events/log").filter(isOfLog) { try shell.remove("events/log/\(name)") }
        try putBack(copy)
        if first == "run" {
            let worker = shell.start(["run"])
            try worker.expectReady()
            #expect(worker.complaint(of: "a snapshot was taken") != nil)
            worker.expectStopped()
        } else {
            let told = tell(first)
            #expect(told.code == 0 && told.errors.contains("of the erasure of 1 person"), "\(told.errors)")
        }
        #expect(shell.belfry("log").output.contains(#""type":"person_erased","user":"[erased 1]""#))
        #expect(!shell.belfry("people").output.contains("anna"))
        #expect(found == [])
        #expect(shell.belfry("replay", "--verify").output.contains("0 differ"))
        #expect(shell.belfry("audit").output.contains("0 violations"))
    }
}
