import Foundation
import Testing

/// What was acknowledged and is missing is never said not to have been: what lies beside the log shows how long it was.
@Suite("A log that was cut together with its witness")
struct EvidenceTests {
    let shell = Shell()
    private static let commands = [
        ["verify"], ["log"], ["log", "--to", "2"], ["log", "--user", "u1"], ["state", "--user", "u1"],
        ["history", "--user", "u1"], ["replay"], ["audit"], ["append"], ["run-now"], ["run-now", "--dry-run"],
        ["run", "--jobs", "spool:spool"], ["snapshot"], ["what-if", "--policy", "coachme"],
    ]

    /// A log with both snapshots of all of it; gives its only segment.
    private func snapshotted() throws -> String {
        try shell.writeLog(events: 1...60, people: 3, commitsOf: 2)
        #expect(shell.belfry("snapshot").code == 0)
        return try #require(shell.segments(of: "events/log").first)
    }

    /// Everything in the directory but the lock, which every writer marks.
    private func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in shell.names(in: "events/log") where !name.contains("lock") {
            files[name] = try shell.read("events/log/" + name)
        }
        return files
    }

    @Test func `every command says exit 4, names the evidence, and changes nothing`() throws {
        let segment = try snapshotted()
        try shell.remove("events/log/durable")
        try shell.edit(segment) { $0.removeLast(1000) }
        let before = try files()
        for command in Self.commands {
            let outcome = shell.belfry(command, input: [])
            #expect(outcome.code == 4, "\(command): \(outcome)")
            for name in ["state.snapshot (event 60)", "index.snapshot (event 60)"] {
                #expect(outcome.errors.contains(name), "\(command): \(outcome.errors)")
            }
            #expect(!outcome.errors.contains("nothing acknowledged"), "\(command)")
        }
        let doctor = shell.belfry("doctor")
        #expect(doctor.code == 1 && doctor.output.contains("state.snapshot (event 60)"), "\(doctor)")
        #expect(try files() == before)
    }

    /// With no evidence either way it is not said to be harmless.
    @Test func `with nothing beside it the words claim no more than is known`() throws {
        try shell.writeLog(events: 1...60, people: 3, commitsOf: 2)
        let segment = try #require(shell.segments(of: "events/log").first)
        try shell.remove("events/log/durable")
        try shell.edit(segment) { $0.removeLast(10) }
        let append = shell.belfry("append", input: fact())
        #expect(append.code == 0)
        #expect(
            append.errors.hasPrefix(
                "note: an unfinished write was set aside; whether anything in it was acknowledged is not known, since the file `durable` is missing (file "
            ), "\(append.errors)")
        // Cut between two commits it shows nowhere at all.
        try shell.remove("events/log/durable")
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        let warning = worker.complaint(of: "`durable` is missing")
        #expect(warning?.contains(#""level":"warning""#) == true && warning?.contains(#""head":""#) == true)
        try worker.expectReady()
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test(arguments: [
        ("its checksum does not match", 40), ("its first 8 bytes are not a witness's", 0),
        ("it has 5000 bytes instead of 76", 5000),
    ])
    func `a damaged witness is said to be damaged`(problem: String, place: Int) throws {
        try shell.writeLog(events: 1...20)
        try shell.edit("events/log/durable") { bytes in
            if place < bytes.count { bytes[place] ^= 0x20 } else { bytes += [UInt8](repeating: 1, count: place - 76) }
        }
        let verify = shell.belfry("verify")
        #expect(verify.code == 4)
        #expect(verify.line(0).hasPrefix("20 events in 20 commits"))
        #expect(
            verify.errors.contains("belfry: the log is damaged: events/log/durable: \(problem)."), "\(verify.errors)")
        #expect(shell.belfry("doctor").output.contains("the file `durable` is damaged (\(problem))"))
        let append = shell.belfry("append", input: fact())
        #expect(append.code == 0)
        #expect(append.errors.hasPrefix("note: the file `durable` is damaged (\(problem)), so an end that was cut off"))
        #expect(shell.belfry("verify").errors == "")
    }

    @Test func `a damaged witness does not make a cut end harmless`() throws {
        try shell.writeLog(events: 1...20)
        try shell.edit("events/log/durable") { $0[40] ^= 1 }
        try shell.edit(try #require(shell.segments(of: "events/log").first)) { $0.removeLast(4) }
        for command in ["verify", "append", "log"] {
            let outcome = shell.belfry(command, input: command == "append" ? fact() : "")
            #expect(outcome.code == 4, "\(command)")
            #expect(outcome.errors.contains("and the file `durable` is damaged (its checksum does not match)"))
        }
        #expect(shell.names(in: "events/log").allSatisfy { !$0.hasSuffix(".torn") })
    }

    @Test func `an older copy is put back by removing what shows that it is older`() throws {
        let segment = try snapshotted()
        let (copy, witness) = (try shell.read(segment), try shell.read("events/log/durable"))
        #expect(shell.belfry("append", input: facts(1...5)).code == 0)
        #expect(shell.belfry("snapshot").code == 0)
        try shell.write(copy, to: segment)
        try shell.write(witness, to: "events/log/durable")
        #expect(shell.belfry("verify").code == 4)
        for name in ["index.snapshot", "state.snapshot"] { try shell.remove("events/log/" + name) }
        #expect(shell.belfry("verify").code == 0)
        #expect(shell.belfry("append", input: facts(1...1)).code == 0)
    }

    @Test func `a copy is verified without its keys, and goes through everything with them, as the runbook has it`()
        throws
    {
        #expect(shell.belfry("append", input: facts(1...3)).code == 0)
        let runbook = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../ops/runbook.md"),
            encoding: .utf8)
        // Its own words, on this log.
        let words = runbook.split(separator: "\n").drop { !$0.contains("mkdir -m 700 copy") }.prefix { $0 != "```" }
        let orders = words.filter { $0.hasPrefix("$ ") }.map {
            $0.dropFirst(2).replacing("D/", with: "events/log/").replacing("belfry ", with: "\"$BELFRY\" ")
        }
        #expect(orders.count == 6)
        for order in orders {
            let outcome = shell.bash(String(order))
            #expect(outcome.code == 0, "\(order): \(outcome)")
        }
        try shell.remove("copy/keys.table")
        #expect(shell.belfry("verify", "--data", "copy").code == 0)
        let sealed = shell.belfry("audit", "--data", "copy")
        #expect(sealed.code == 5 && sealed.errors.contains("keys.table"), "\(sealed)")
    }
}
