import Foundation
import Simulation
import Testing

/// Workers that are killed and frozen while facts come in through all of them (`G10`, `M2`, `M4`).
@Suite("Workers that are killed and frozen", .withDatabase)
struct NemesisTests {
    let bench: ClusterBench
    private var shell: Shell { bench.shell }
    private static let people = 1...60
    /// So many that few workers come out without any.
    private static let partitions = 16

    init() throws { bench = try ClusterBench() }

    @Test(.timeLimit(.minutes(4)))
    func `one is frozen past its lease and thawed, one is killed, and what was acknowledged is there once`() throws {
        let url = try bench.cluster("nemesis", partitions: Self.partitions)
        let (a, b, c) = (try bench.worker(url, "a"), try bench.worker(url, "b"), try bench.worker(url, "c"))
        try expectAllOwned(url, workers: 3)
        bench.append(bench.enrolled(Self.people), "a")
        // Through all three at the same time, while the third stands still in the middle of it.
        let lines = ["a", "b", "c"].map { told("frozen-\($0)") }
        let clients = zip(["a", "b", "c"], lines).map { data, lines in
            let client = shell.start(["append", "--data", data])
            client.send(lines)
            client.closeInput()
            return client
        }
        c.send(signal: SIGSTOP)
        try expectAllOwned(url, workers: 2)
        c.send(signal: SIGCONT)
        for client in clients { _ = client.waitForEnd() }
        // Whatever each was answered: what is sent again under the same id is taken once.
        for (data, lines) in zip(["c", "a", "b"], lines) { bench.append(lines, data) }
        try expectAllOwned(url, workers: 3)
        let doomed = told("killed")
        let client = shell.start(["append", "--data", "a"])
        client.send(doomed)
        client.closeInput()
        b.send(signal: SIGKILL)
        _ = b.waitForEnd()
        _ = client.waitForEnd()
        bench.append(doomed, "c")
        try expectAllOwned(url, workers: 2)
        for worker in [a, c] { worker.expectStopped() }
        try expectSound(url, rounds: ["frozen-a", "frozen-b", "frozen-c", "killed"])
    }

    /// Beside a primary and the standby that it waits for, each of which dies in its turn.
    @Test(.timeLimit(.minutes(60)))
    func `whatever is done to workers and servers, what was acknowledged is there once, and is decided once`() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Nemesis/nemesis.py").path
        let seconds = LongRun.isAskedFor ? 1800 : 120
        let seed = LongRun.isAskedFor ? Int.random(in: 1...1_000_000) : 7
        let outcome = Running(
            ["python3", script, Program.belfry.path, "\(seconds)", "\(seed)"], in: shell.directory.path,
            // Putting everything right and judging it come behind.
            patience: .seconds(seconds + 600)
        ).end()
        #expect(outcome.code == 0 && outcome.lines.last == "sound", "seed \(seed): \(outcome)")
    }

    /// A fact and a critical notice for everybody.
    private func told(_ round: String) -> String {
        Self.people.map { person in
            fact(user: "u\(person)", id: "\(round)-\(person)")
                + fact(
                    "notice_requested", user: "u\(person)", id: "\(round)-n\(person)",
                    data: #"{"kind":"urgent","title":"\#(round)"}"#)
        }.joined()
    }

    /// Waits until so many live, and own all partitions between them. Each look takes the time that a program takes to start.
    private func expectAllOwned(_ url: String, workers: Int) throws {
        var status = ""
        for _ in 0..<2000 {
            let answer = shell.belfry("cluster", "status", "--postgres", url)
            status = answer.output
            if answer.code == 0, answer.lines.first?.hasSuffix(", \(workers) workers") == true { return }
        }
        Issue.record("not owned by \(workers): \(status)")
    }

    /// Each partition's log is whole, was decided as one process would, and holds each fact and job once.
    private func expectSound(_ url: String, rounds: [String]) throws {
        bench.export(url, to: "exported")
        #expect(shell.belfry("verify", "--data", "exported").code == 0)
        let replayed = shell.belfry(["replay", "--verify", "--data", "exported"] + ClusterBench.keyOption, input: [])
        #expect(replayed.code == 0 && replayed.lines.last?.hasSuffix(", 0 differ") == true, "\(replayed)")
        let audited = shell.belfry(["audit", "--data", "exported"] + ClusterBench.keyOption, input: [])
        #expect(audited.code == 0, "\(audited)")
        var (ids, jobs): ([String: Int], [String: Int]) = ([:], [:])
        for partition in 0..<Self.partitions {
            var epochs: [Int] = []
            for line in shell.belfry(
                ["log", "--partition", "\(partition)", "--data", "exported"] + ClusterBench.keyOption, input: []
            ).lines {
                let event = try Printed(line)
                if let id = event["id"] { ids[id, default: 0] += 1 }
                if event["type"] == "job_emitted", let job = event["data.job"] { jobs[job, default: 0] += 1 }
                if event["type"] == "partition_taken", let epoch = event["data.epoch"].flatMap({ Int($0) }) {
                    epochs.append(epoch)
                }
            }
            #expect(!epochs.isEmpty && zip(epochs, epochs.dropFirst()).allSatisfy { $0 < $1 }, "\(epochs)")
        }
        for round in rounds {
            for person in Self.people {
                #expect(ids["\(round)-\(person)"] == 1 && ids["\(round)-n\(person)"] == 1, "\(round) \(person)")
            }
        }
        #expect(jobs.count == rounds.count * Self.people.count && jobs.values.allSatisfy { $0 == 1 })
    }
}
