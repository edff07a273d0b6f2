import Foundation
import Journal
import Notices

/// Durable appends of the journal alone, without deciding, beside what the same bytes cost in a plain loop and in SQLite.
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
            "durable append (the journal alone), batches of \(Self.batchFacts) facts of \(payload) B, \(Self.batchesInFlight) in flight",
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
            batches, name: "closed", inFlight: 1, facts: facts / 8)
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
        let journal = try JournalAlone(workspace.fresh(name), on: disk, inFlight: inFlight)
        let rounds = (facts ?? self.facts) / Self.batchFacts
        let elapsed = journal.append(batches, rounds: rounds)
        try journal.close()
        return (Double(rounds * Self.batchFacts) / elapsed, disk.bytesWritten, disk.syncs)
    }

    private func journalWithIDs() throws -> Double {
        let journal = try JournalAlone(workspace.fresh("ids"), on: logDisk, inFlight: Self.batchesInFlight)
        let total = facts / 4
        let batches = (0..<total).map { Samples.entry($0, people: 10_000, withID: true) }.split(every: Self.batchFacts)
        let elapsed = journal.append(batches, rounds: batches.count)
        try journal.close()
        return Double(total) / elapsed
    }
}

extension Array {
    func split(every size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
