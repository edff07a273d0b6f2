import Foundation
import Testing

/// Snapshots beside the log in PostgreSQL: a machine with an empty folder begins with one, and folds only what came after it.
@Suite("Snapshots in a cluster", .withDatabase)
struct ClusterSnapshotTests {
    let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    private static let people = 1...20

    /// Facts of twenty people, many of each.
    private func visits(_ round: String, of each: Int) -> String {
        Self.people.map { person in
            (1...each).map { fact(user: "u\(person)", id: "\(round)-\(person)-\($0)") }.joined()
        }.joined()
    }

    /// As an operator does, rather than after 64 MiB.
    private func takeSnapshot(_ url: String, _ data: String) {
        let taken = shell.belfry(
            ["snapshot", "--data", "\(data)/0", "--postgres", url] + ClusterBench.keyOption, input: [])
        #expect(taken.code == 0, "\(taken)")
    }

    /// Waits until there are so many whole snapshots of partition 0; says of which positions, the newest first.
    @discardableResult
    private func positions(_ database: String, count: Int) throws -> [UInt64] {
        var found: [UInt64] = []
        try bench.soon {
            let rows = try bench.database.run(
                database,
                "SELECT position FROM belfry.snapshot WHERE partition = 0 AND sort = 2 GROUP BY position HAVING count(*) = max(parts) ORDER BY 1 DESC"
            )
            found = rows.split(separator: "\n").compactMap { UInt64($0) }
            return found.count == count
        }
        if found.count == count { return found }
        Issue.record("not \(count) snapshots, but of \(found)")
        return found
    }

    /// A worker that owns all of a cluster with twenty people, and the snapshot that it put.
    private func withSnapshot(_ name: String) throws -> (url: String, worker: Running, positions: [UInt64]) {
        let url = try bench.cluster(name, partitions: 1)
        let worker = try bench.worker(url, "one")
        try bench.expectOwned(url, by: 1)
        bench.append(bench.enrolled(Self.people), "one")
        takeSnapshot(url, "one")
        return (url, worker, try positions(name, count: 1))
    }

    private func damage(_ database: String, at position: UInt64, byte: String) throws {
        try bench.database.run(
            database,
            "UPDATE belfry.snapshot SET bytes = set_byte(bytes, \(byte), get_byte(bytes, \(byte)) # 1) WHERE partition = 0 AND sort = 2 AND part = 0 AND position = \(position)"
        )
    }

    private struct Taking {
        var snapshot: UInt64
        var folded: Int
    }

    /// A machine with an empty folder that takes over from one that is gone, and with what.
    private func successor(_ url: String, _ data: String) throws -> (worker: Running, taking: Taking) {
        let worker = try bench.worker(url, data)
        let line = try #require(worker.complaint(of: #""message":"a partition was taken","partition":"0""#))
        let taken = try Printed(line)
        let taking = Taking(
            snapshot: try #require(UInt64(taken["snapshot"] ?? "")), folded: try #require(Int(taken["folded"] ?? "")))
        return (worker, taking)
    }

    private func expectTrue(_ url: String, _ data: String) {
        let explained = shell.belfry("explain", "--user", "u7", "--data", data)
        #expect(explained.code == 0, "\(explained)")
        let state = shell.belfry("state", "--user", "u7", "--data", data, "--json")
        #expect(state.code == 0 && state.output.contains(#""user":"u7""#), "\(state)")
    }

    private func kill(_ worker: Running) {
        worker.send(signal: SIGKILL)
        _ = worker.waitForEnd()
    }

    @Test(.timeLimit(.minutes(5)))
    func `a machine with an empty folder begins with a snapshot that can be believed, and folds only the rest`() throws
    {
        let (url, one, beginning) = try withSnapshot("begun")
        let first = beginning[0]
        // As much as a snapshot has, so that another is worth its while.
        bench.append(visits("first", of: 60), "one")
        takeSnapshot(url, "one")
        let both = try positions("begun", count: 2)
        #expect(both[1] == first)
        bench.append(visits("then", of: 1), "one")
        // Killed, so that what it had under way is in doubt: keys made ahead are renewed, and snapshots stay under theirs.
        kill(one)

        let status = shell.belfry("cluster", "status", "--postgres", url, "--json")
        let line = try Printed(try #require(status.lines.first { $0.contains(#""partition":0,"#) }))
        let bytes = UInt64(line["bytes"] ?? "") ?? 0
        #expect(line["unfolded"] == "\(bytes - both[0])", "\(status)")
        let (two, newest) = try successor(url, "two")
        #expect(newest.snapshot == both[0])
        #expect(newest.folded >= 20 && newest.folded < 200, "\(newest)")
        expectTrue(url, "two")
        kill(two)

        // A flipped bit behind the header of the newest: the one before is taken.
        try damage("begun", at: both[0], byte: "200")
        let (three, before) = try successor(url, "three")
        let complaint = three.complaint(of: #""message":"a snapshot in the database is not used","partition":"0""#)
        #expect(complaint?.contains("\"position\":\"\(both[0])\"") == true, "\(complaint ?? "")")
        #expect(before.snapshot == first)
        #expect(before.folded >= 1200, "\(before)")
        expectTrue(url, "three")
        kill(three)

        // And that as well, in its header: all is folded, out of the rows.
        try damage("begun", at: first, byte: "40")
        let (four, none) = try successor(url, "four")
        #expect(none.snapshot == 0)
        #expect(none.folded > before.folded, "\(none)")
        expectTrue(url, "four")

        // What is there is not in its way: it puts its own, and keeps two.
        bench.append(visits("last", of: 60), "four")
        takeSnapshot(url, "four")
        try bench.soon { try positions("begun", count: 2).contains { $0 > both[0] } }
        let own = try positions("begun", count: 2)
        #expect(own[0] > both[0] && own[1] == both[0], "\(own)")
        four.expectStopped()
        bench.export(url, to: "exported")
        let replayed = shell.belfry(["replay", "--verify", "--data", "exported"] + ClusterBench.keyOption, input: [])
        #expect(replayed.code == 0 && replayed.lines.last?.hasSuffix(", 0 differ") == true, "\(replayed)")
    }

    @Test(.timeLimit(.minutes(4)))
    func `a reload leaves them as they are, and behind a newer master key one is put anew`() throws {
        let (url, one, first) = try withSnapshot("reloaded")
        one.send(signal: SIGHUP)
        #expect(one.complaint(of: "the master key has not changed") != nil)
        kill(one)
        let (two, taking) = try successor(url, "two")
        #expect([taking.snapshot] == first)
        let old = String(decoding: try shell.read(ClusterBench.keyFile), as: UTF8.self)
        try shell.write(shell.bash("openssl rand -hex 64").output + old, to: ClusterBench.keyFile)
        two.send(signal: SIGHUP)
        #expect(two.complaint(of: "the newest master key is used") != nil)
        try bench.soon { try positions("reloaded", count: 1) != first }
        kill(two)
        let (three, again) = try successor(url, "three")
        #expect(again.snapshot > first[0] && again.folded < 20, "\(again)")
        three.expectStopped()
    }

    @Test(.timeLimit(.minutes(4)))
    func `snapshots that had somebody who is erased are in no row any more, and the next are without them`() throws {
        let (url, one, before) = try withSnapshot("gone")
        try bench.database.run("gone", "CREATE TABLE kept AS SELECT * FROM belfry.snapshot")
        let erased = shell.belfry("erase", "--user", "u7", "--yes", "--data", "one")
        #expect(erased.code == 0, "\(erased)")
        func left() throws -> String {
            try bench.database.run(
                "gone",
                "SELECT count(*) FROM belfry.snapshot JOIN kept USING (partition, sort, position) WHERE partition = 0")
        }
        try bench.soon { try left() == "0\n" }
        #expect(try left() == "0\n")
        // The erasure has one taken at once, which is put there.
        let after = try positions("gone", count: 1)
        #expect(after[0] > before[0])
        kill(one)
        // Put back by somebody, it is opened by nobody.
        try bench.database.run("gone", "DELETE FROM belfry.snapshot; INSERT INTO belfry.snapshot SELECT * FROM kept")
        let (two, all) = try successor(url, "two")
        #expect(all.snapshot == 0)
        let complaint = two.complaint(of: #""message":"a snapshot in the database is not used","partition":"0""#)
        #expect(complaint?.contains("under a key that is gone") == true, "\(complaint ?? "")")
        #expect(shell.belfry("state", "--user", "u7", "--data", "two").code == 3)
        #expect(shell.belfry("state", "--user", "u8", "--data", "two").code == 0)
        two.expectStopped()
    }
}
