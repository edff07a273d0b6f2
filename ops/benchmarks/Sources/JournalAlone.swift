import Foundation
import Journal

/// The journal without a worker around it: nothing is admitted and nothing decided. Commits are built on one queue and
/// written on another, so that while one batch is synced the next collects.
///
/// Safe to share: the journal and what waits are touched on `owner` alone.
final class JournalAlone: @unchecked Sendable {
    private let owner = DispatchQueue(label: "benchmarks.journal", qos: .userInitiated)
    private let writing = DispatchQueue(label: "benchmarks.journal.disk", qos: .userInitiated)
    private let journal: Journal
    private let inFlight: Int
    private let room: DispatchSemaphore
    /// Where each commit ends that was built and is not yet durable.
    private var waiting: [UInt64] = []

    /// - Parameter inFlight: how many commits are under way at once, as if each were another client's.
    init(_ directory: String, on disk: any Disk, inFlight: Int) throws {
        journal = try Journal(directory, on: disk, holder: "the benchmark")
        self.inFlight = inFlight
        room = DispatchSemaphore(value: inFlight)
    }

    /// Appends each of these as one commit, from the first again when they are used up. Returns how many seconds passed
    /// until all were durable.
    func append(_ batches: [[Entry]], rounds: Int) -> Double {
        let start = seconds()
        for round in 0..<rounds {
            room.wait()
            let batch = batches[round % batches.count]
            owner.async { self.build(batch) }
        }
        for _ in 0..<inFlight { room.wait() }
        let elapsed = seconds() - start
        for _ in 0..<inFlight { room.signal() }
        return elapsed
    }

    func close() throws { try owner.sync { try journal.close() } }

    private func build(_ batch: [Entry]) {
        do {
            _ = try journal.append(batch, at: Samples.clock())
        } catch {
            preconditionFailure("the journal failed: \(error)")
        }
        waiting.append(journal.head.position)
        write()
    }

    private func write() {
        guard let batch = journal.takeBatch() else { return }
        let writer = journal.writer
        writing.async {
            let result: Result<Void, DiskError>
            do throws(DiskError) { result = .success(try writer.write(batch)) } catch { result = .failure(error) }
            self.owner.async { self.finished(batch, result) }
        }
    }

    private func finished(_ batch: Batch, _ result: Result<Void, DiskError>) {
        journal.finished(batch, result)
        if let failure = journal.failure { preconditionFailure("the journal failed: \(failure)") }
        let durable = journal.durableHead.position
        let still = waiting.firstIndex { $0 > durable } ?? waiting.endIndex
        waiting.removeFirst(still)
        write()
        for _ in 0..<still { room.signal() }
    }
}
