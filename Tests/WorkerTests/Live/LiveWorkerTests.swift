import CivilTime
import Dispatch
import Journal
import Notices
import Simulation
import Synchronization
import Testing
import Worker

/// The worker on its own queue: many ask at once, and it is closed while they do. Its clock stands still.
@Suite("The live worker on its queue")
struct LiveWorkerTests {
    private static let now = Instant(milliseconds: 1_772_452_800_000)

    private func worker(
        bytesMax: Int = 64 << 20, handOver: @escaping @Sendable ([EventPlace]) -> Void = { _ in },
        failed: @escaping @Sendable (JournalError) -> Void = { _ in }
    ) throws -> (LiveWorker, SimulatedDisk) {
        let disk = SimulatedDisk(seed: 1)
        let journal = try Journal("/log", on: disk, holder: "a test")
        let core = WorkerCore(journal, Register(ShippedPlans["standard"]))
        let surroundings = LiveWorker.Surroundings(clock: { Self.now }, handOver: handOver, failed: failed)
        return (LiveWorker(core, bytesMax: bytesMax, surroundings), disk)
    }

    private func request(_ user: String, id: String) -> Fact {
        var request = NoticeRequested()
        request.kind = Identifier("urgent")
        return Fact(user: user, id: id, payload: .noticeRequested(request))
    }

    @Test func `many ask at once, and all that was taken is answered, durable and handed over`() async throws {
        let jobs = Mutex(0)
        let (worker, disk) = try worker(handOver: { places in jobs.withLock { $0 += places.count } })
        await worker.start()
        let receipts = await withTaskGroup(of: [FactReceipt].self) { group in
            for client in 0..<16 {
                group.addTask {
                    await withCheckedContinuation { done in
                        let facts = (0..<20).map { request("u\(client)", id: "\(client).\($0)") }
                        let intake = worker.submit(facts, bytes: 100) { done.resume(returning: (try? $0.get()) ?? []) }
                        if intake != .taken { done.resume(returning: []) }
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(receipts.count == 320)
        #expect(Set(receipts.compactMap { if case .recorded(let seq, _) = $0 { seq } else { nil } }).count == 320)
        guard case .success = await worker.close() else {
            Issue.record("not closed")
            return
        }
        #expect(jobs.withLock { $0 } == 320)
        let events = EventReader(try LogReader("/log", on: disk), checksHashes: true)
        var count = 0
        while try events.next() != nil { count += 1 }
        #expect(count == 640)
        #expect(worker.standing.durable.lastSeq == 640)
    }

    @Test func `a full inbox says busy, a closed worker says closed`() async throws {
        let (worker, _) = try worker(bytesMax: 100)
        // Not started: what is asked waits on the queue behind this test's own turn.
        let intakes = worker.queue.sync { () -> [LiveWorker.Intake] in
            [
                worker.submit([request("anna", id: "a")], bytes: 80) { _ in },
                worker.submit([request("ben", id: "b")], bytes: 80) { _ in },
            ]
        }
        #expect(intakes == [.taken, .busy])
        _ = await worker.close()
        #expect(worker.submit([request("carl", id: "c")], bytes: 1) { _ in } == .closed)
    }

    @Test func `a disk that fails is told of once, and everybody hears of it (G4)`() async throws {
        let failures = Mutex(0)
        let (worker, disk) = try worker(failed: { _ in failures.withLock { $0 += 1 } })
        await worker.start()
        disk.failEverySyncAfter(disk.operations)
        let result = await withCheckedContinuation { done in
            _ = worker.submit([request("anna", id: "a")], bytes: 1) { done.resume(returning: $0) }
        }
        guard case .failure(.journal) = result else {
            Issue.record("answered \(result)")
            return
        }
        guard case .failure = await worker.close() else {
            Issue.record("closed as if all were well")
            return
        }
        #expect(failures.withLock { $0 } == 1)
    }
}
