import Foundation
import Journal
import Notices

/// Durable appends, beside what the same bytes cost in a plain loop and in SQLite.
struct AppendRows {
    let workspace: Workspace
    let options: Options

    private static let batchFacts = 512
    /// Batches handed in and not yet answered: while one is synced the next collect.
    private static let batchesInFlight = 32

    private var facts: Int { options.isQuick ? 100_000 : 4_000_000 }

    func run(into table: inout Table) throws {
        say("durable append")
        let entries = (0..<Self.batchFacts * 64).map { Samples.entry($0, people: 10_000, withID: false) }
        let payload = entries.reduce(0) { $0 + Samples.payloadBytes($1) } / entries.count
        try bulk(entries, payload, &table)
        try single(&table)
    }

    private func bulk(_ entries: [Entry], _ payload: Int, _ table: inout Table) throws {
        let batches = entries.split(every: Self.batchFacts)
        let (rate, bytes, syncs) = try journal(batches, name: "bulk")
        let plainSame = try Plain.loop(in: workspace.fresh("plain"), bytes: bytes, piece: bytes / syncs)
        let plainBatch = try Plain.loop(
            in: workspace.fresh("plain"), bytes: bytes / 4, piece: bytes / (facts / Self.batchFacts))
        let perFact = Double(bytes) / Double(facts)
        let plainRate = plainSame.bytesPerSecond / perFact
        table.add(
            "durable append (the journal), batches of \(Self.batchFacts) facts of \(payload) B, \(Self.batchesInFlight) in flight",
            "\(grouped(rate)) facts/s (\(Int(perFact)) B a fact in the log, \(bytes / syncs / 1024) KiB a sync)",
            goal: "≥ 1,000,000 facts/s", isMet: rate >= 1_000_000, ("facts_per_second", rate))
        table.add(
            "— the same bytes, plain write+fdatasync in the same pieces",
            "\(grouped(plainRate)) facts/s; Belfry is \(ratio(rate / plainRate)) of it",
            ("ratio", rate / plainRate))
        let plainBatchRate = plainBatch.bytesPerSecond / perFact
        table.add(
            "— plain write+fdatasync, one sync a batch of \(Self.batchFacts)",
            "\(grouped(plainBatchRate)) facts/s; Belfry is \(ratio(rate / plainBatchRate)) of it",
            goal: "≥ 0.8", isMet: rate / plainBatchRate >= 0.8,
            ("ratio", rate / plainBatchRate))
        let oneAtATime = try journal(
            Array(batches.prefix(batches.count)), name: "closed", inFlight: 1, facts: facts / 8)
        table.add(
            "— batches of \(Self.batchFacts), each waiting for the one before",
            "\(grouped(oneAtATime.rate)) facts/s; \(ratio(oneAtATime.rate / plainBatchRate)) of the plain loop",
            ("facts_per_second", oneAtATime.rate), ("ratio", oneAtATime.rate / plainBatchRate))
        let withIDs = try journalWithIDs()
        table.add(
            "— every fact with an id of its own, checked for duplicates", "\(grouped(withIDs)) facts/s",
            ("facts_per_second", withIDs))
        let sqlite = try SQLite.bulk(
            in: workspace.fresh("sqlite"), entries: entries, facts: facts / 16, batch: Self.batchFacts)
        table.add(
            "— SQLite (WAL, synchronous=FULL), a transaction a batch",
            "\(grouped(sqlite)) facts/s; Belfry is \(ratio(rate / sqlite)) of it",
            ("facts_per_second", sqlite))
    }

    /// Several batches in flight, as many clients would have.
    private func journal(
        _ batches: [[Entry]], name: String, inFlight: Int = batchesInFlight, facts: Int? = nil
    ) throws -> (rate: Double, bytes: Int, syncs: Int) {
        let disk = CountingDisk()
        let directory = try workspace.fresh(name)
        let commits = GroupCommit(try Journal(directory, on: disk, holder: "the benchmark"), clock: Samples.clock)
        let rounds = (facts ?? self.facts) / Self.batchFacts
        let room = DispatchSemaphore(value: inFlight)
        let start = seconds()
        for round in 0..<rounds {
            room.wait()
            let batch = batches[round % batches.count]
            precondition(commits.submit(batch, bytes: batch.count * 200) { _ in room.signal() } == .taken)
        }
        commits.waitUntilIdle()
        let elapsed = seconds() - start
        try commits.close()
        return (Double(rounds * Self.batchFacts) / elapsed, disk.bytesWritten, disk.syncs)
    }

    private func journalWithIDs() throws -> Double {
        let commits = GroupCommit(
            try Journal(workspace.fresh("ids"), on: RealDisk(), holder: "the benchmark"), clock: Samples.clock)
        let total = facts / 4
        let batches = (0..<total).map { Samples.entry($0, people: 10_000, withID: true) }.split(every: Self.batchFacts)
        let room = DispatchSemaphore(value: Self.batchesInFlight)
        let start = seconds()
        for batch in batches {
            room.wait()
            precondition(commits.submit(batch, bytes: batch.count * 200) { _ in room.signal() } == .taken)
        }
        commits.waitUntilIdle()
        let elapsed = seconds() - start
        try commits.close()
        return Double(total) / elapsed
    }

    /// 128 callers, each waiting for its own fact: called back, as a server's connections are, and with a thread each.
    private func single(_ table: inout Table) throws {
        let sync = try Plain.syncTimes(in: workspace.fresh("sync"), count: options.isQuick ? 200 : 2_000)
        let one = sync.percentile(0.5)
        let callers = Callers(count: 128, each: options.isQuick ? 50 : 4_000)
        let called = try callers.calledBack(in: workspace.fresh("callers"))
        table.add(
            "durable append (the journal), \(callers.count) callers each waiting for its own fact",
            "\(grouped(called.rate)) facts/s",
            goal: "≥ 33,000/s", isMet: called.rate >= 33_000, ("facts_per_second", called.rate))
        table.add(
            "— p99 of one caller's wait",
            "\(milliseconds(called.p99)), \(ratio(called.p99 / one)) of one fdatasync (median \(milliseconds(one)), p99 \(milliseconds(sync.percentile(0.99))))",
            goal: "≤ 5 × one fdatasync", isMet: called.p99 <= 5 * one, ("p99_seconds", called.p99),
            ("ratio", called.p99 / one))
        let threads = try callers.onThreads(in: workspace.fresh("threads"))
        table.add(
            "— the same with \(callers.count) threads, which wake one after the other on these cores",
            "\(grouped(threads.rate)) facts/s, p99 \(milliseconds(threads.p99)), \(ratio(threads.p99 / one)) of one fdatasync",
            ("facts_per_second", threads.rate), ("p99_seconds", threads.p99))
        let sqlite = try SQLite.single(in: workspace.fresh("sqlite"), facts: options.isQuick ? 200 : 3_000)
        table.add(
            "— SQLite (WAL, synchronous=FULL), a transaction a fact",
            "\(grouped(sqlite)) facts/s; Belfry is \(ratio(called.rate / sqlite)) of it", ("facts_per_second", sqlite))
    }
}

extension Array {
    func split(every size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
