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

    @Test func `one that fails to read while it syncs is closed when the sync is done, and everybody is told`()
        async throws
    {
        let gate = GatedDisk()
        let hasFailed = DispatchSemaphore(value: 0)
        let core = WorkerCore(try Journal("/log", on: gate, holder: "a test"), Register(ShippedPlans["standard"]))
        let worker = LiveWorker(
            core,
            LiveWorker.Surroundings(clock: { Self.now }, handOver: { _ in }, failed: { _ in hasFailed.signal() }))
        await worker.start()
        _ = await told(worker, request("anna", id: "a"))

        gate.shut()
        async let inSync = told(worker, request("ben", id: "b"))
        #expect(await blocking { gate.waitForArrival() })
        gate.disk.countReads = true
        gate.disk.faults = Dictionary(
            uniqueKeysWithValues: (1...3).map { (gate.disk.operations + $0, .error(ErrorCode.inputOutput)) })
        // Whether this key is known is to be read from the log, and cannot be.
        async let unread = told(worker, request("anna", id: "a"))
        #expect(await blocking { hasFailed.wait(timeout: .now() + 20) == .success })
        gate.disk.faults = [:]
        async let closing = worker.close()
        while worker.submit([request("carl", id: "c")], bytes: 1, reply: { _ in }) != .closed { await Task.yield() }
        // Behind the turn in which it was told to close.
        await blocking { worker.queue.sync {} }
        gate.open()

        guard case .failure = await closing else {
            Issue.record("closed as if all were well")
            return
        }
        #expect(await inSync == .success([.recorded(seq: 3, warnings: [])]))
        guard case .failure(.journal) = await unread else {
            Issue.record("answered \(await unread)")
            return
        }
        // The lock was given up.
        try Journal("/log", on: gate, holder: "the next").close()
        guard case .failure = await worker.close() else {
            Issue.record("closed twice, and once as if all were well")
            return
        }
    }

    private func told(_ worker: LiveWorker, _ fact: Fact) async -> Result<[FactReceipt], WorkerRefusal> {
        await withCheckedContinuation { done in
            _ = worker.submit([fact], bytes: 1) { done.resume(returning: $0) }
        }
    }

    /// Waits on a thread of its own, so that tasks go on.
    private func blocking<Answer: Sendable>(_ wait: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { done in
            DispatchQueue.global().async { done.resume(returning: wait()) }
        }
    }
}
