import Delivery
import Foundation
import Testing

/// Workers of a cluster of which one does not do what the others count on.
@Suite("Faults in a cluster", .withDatabase)
struct ClusterFaultTests {
    private let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    /// The owner of a partition, and its epoch.
    private func standing(_ partition: Int, _ database: String) throws -> (owner: String, epoch: Int) {
        let row = try bench.database.run(
            database, "SELECT owner, epoch FROM belfry.partition WHERE id = \(partition)"
        ).split { $0 == "|" || $0.isNewline }
        return (String(row.first ?? ""), Int(row.last ?? "") ?? -1)
    }

    /// What the database says is a worker's, which by the deal is another's and who is ready for it, is given back once.
    @Test(.timeLimit(.minutes(3)))
    func `a partition that comes back to the wrong worker is handed on once`() throws {
        let url = try bench.cluster("wrong")
        let workers = [try bench.worker(url, "one", lease: 10), try bench.worker(url, "other", lease: 10)]
        try bench.expectOwned(url, by: 2)
        let right = try standing(0, "wrong").owner
        let wrong = try #require(try (1..<8).map { try standing($0, "wrong").owner }.first { $0 != right })
        // The second time whom it belongs to is known to be ready for it.
        for _ in 1...2 {
            let before = try standing(0, "wrong").epoch
            try bench.database.run(
                "wrong", "UPDATE belfry.partition SET owner = '\(wrong)', epoch = epoch + 1 WHERE id = 0")
            var isBack = false
            try bench.soon {
                let now = try standing(0, "wrong")
                isBack = now.owner == right && now.epoch > before + 1
                return isBack
            }
            #expect(isBack)
            // Its new epoch, the taking, the handing over, and the taking there; a lease that a busy machine lost adds some.
            #expect(try standing(0, "wrong").epoch <= before + 16)
        }
        for worker in workers { worker.expectStopped() }
    }

    /// It was another's for a moment that its owner did not see, as happens to one that was frozen. What the worker that it lets go
    /// of says at its end is no word about the one that it takes at once.
    @Test(.timeLimit(.minutes(3)))
    func `a partition that was another's for a moment is taken again once`() throws {
        let url = try bench.cluster("moment", partitions: 2)
        let worker = try bench.worker(url, "one", lease: 30)
        try bench.expectOwned(url, by: 1)
        bench.append(bench.enrolled(1...4), "one")
        // Read before it changes: the worker may have it back at once.
        let before = try standing(0, "moment").epoch + 1
        try bench.database.run("moment", "UPDATE belfry.partition SET epoch = epoch + 1")
        try bench.soon { try standing(0, "moment").epoch > before }
        // Each is a look of the worker's, at which it would let go once more.
        for number in 1...10 { bench.append(fact(user: "u1", id: "again\(number)"), "one") }
        #expect(try standing(0, "moment").epoch == before + 1)
        worker.expectStopped()
    }

    /// Issue 14: a batch over many partitions is dealt out and answered line by line.
    @Test(.timeLimit(.minutes(4)))
    func `where one owner stands still, what the others took is told, and of its lines that nobody knows`() throws {
        let url = try bench.cluster("still")
        let (one, other) = (try bench.worker(url, "one", lease: 30), try bench.worker(url, "other", lease: 30))
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...16), "one")
        let lines = (1...16).map { fact(user: "u\($0)", id: "t\($0)") }.joined()
        other.send(signal: SIGSTOP)
        let told = try WorkerPort(one.port()).ask(
            .post, "v1/facts", WorkerPort.token, Array(lines.utf8),
            headers: [("Content-Type", "application/x-ndjson")])
        let answer = try Printed(told.text)
        func count(_ word: String) -> Int { (0..<16).count { answer["results.\($0).\(word)"] != nil } }
        let (taken, doubtful) = (count("seq"), count("in_doubt"))
        #expect(told.status == 503 && taken > 0 && doubtful > 0 && taken + doubtful == 16, "\(told.text)")
        #expect(answer["in_doubt"] == "true" && answer["accepted"] == "\(taken)", "\(told.text)")
        // The command line tells the same, and what was taken is told as ever.
        let again = shell.belfry(["append", "--data", "one"], input: Array(lines.utf8))
        #expect(again.code == 5 && again.lines.count == taken, "\(again)")
        #expect(again.errors.contains("it is not known whether") && again.errors.contains("send"), "\(again.errors)")
        other.send(signal: SIGCONT)
        // On a busy machine it takes longer to go on than anybody waits for an answer.
        var whole = again
        bench.soon {
            whole = shell.belfry(["append", "--data", "one"], input: Array(lines.utf8))
            return whole.code == 0
        }
        #expect(whole.code == 0 && whole.lines.allSatisfy { $0.hasSuffix("duplicate") }, "\(whole)")
        one.expectStopped()
        other.expectStopped()
    }

    @Test(.timeLimit(.minutes(4)))
    func `what goes to an owner that has died waits for the next, and the append says nothing of it`() throws {
        let url = try bench.cluster("died")
        let (one, other) = (try bench.worker(url, "one", lease: 4), try bench.worker(url, "other", lease: 4))
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...8), "one")
        other.send(signal: SIGKILL)
        _ = other.waitForEnd()
        let lines = (1...8).map { fact(user: "u\($0)", id: "t\($0)") }.joined()
        let told = shell.belfry(["append", "--data", "one"], input: Array(lines.utf8))
        #expect(told.code == 0 && told.lines.count == 8, "\(told)")
        one.expectStopped()
    }

    /// It goes on with all others, and a worker that comes has that one.
    @Test(.timeLimit(.minutes(4)))
    func `a copy that cannot be used costs its worker that partition alone`() throws {
        let url = try bench.cluster("copy", partitions: 4)
        let before = try bench.worker(url, "one", lease: 10)
        try bench.expectOwned(url, by: 1)
        bench.append(bench.enrolled(1...16), "one")
        before.expectStopped()
        let segment = try #require(shell.segments(of: "one/0").first)
        try shell.edit(segment) { bytes in for place in 0..<4 { bytes[place] ^= 0xFF } }
        let one = try bench.worker(url, "one")
        #expect(one.complaint(of: "a partition's copy cannot be used here") != nil)
        var owned: [Int] = []
        try bench.soon {
            owned = try bench.owned(url, by: one)
            return owned == [-1, 1, 2, 3]
        }
        #expect(owned == [-1, 1, 2, 3])
        let status = shell.belfry("cluster", "status", "--postgres", url, "--data", "one")
        #expect(status.code == 1 && status.output.contains("its copy here cannot be used"), "\(status)")
        let other = try bench.worker(url, "other")
        try bench.soon {
            owned = try bench.owned(url, by: other)
            return owned.contains(0)
        }
        #expect(owned.contains(0))
        for worker in [one, other] { worker.expectStopped() }
    }

    @Test(.timeLimit(.minutes(4)))
    func `a database that was damaged is named by the row, and leaves no half export`() throws {
        let url = try bench.cluster("spoiled", partitions: 1)
        let one = try bench.worker(url, "one", lease: 10)
        bench.append(bench.enrolled(1...8), "one")
        one.expectStopped()
        try bench.database.run(
            "spoiled",
            """
            UPDATE belfry.log SET frames = set_byte(frames, length(frames) - 1, 255 - get_byte(frames, length(frames) - 1))
            WHERE partition = 0 AND position = (SELECT max(position) FROM belfry.log WHERE partition = 0)
            """)
        try shell.makeDirectory("out")
        let export = shell.belfry(
            ["cluster", "export", "--postgres", url, "--data", "out"] + ClusterBench.keyOption, input: [])
        #expect(export.code == 4 && export.errors.contains("in the row of partition 0 at position"), "\(export)")
        #expect(export.errors.contains("nothing was exported, and out is as it was"), "\(export)")
        #expect(shell.names(in: "out").isEmpty)
        let verify = shell.belfry(["verify", "--postgres", url], input: [])
        #expect(verify.code == 4 && verify.errors.contains("in the row of partition 0 at position"), "\(verify)")
    }
}
