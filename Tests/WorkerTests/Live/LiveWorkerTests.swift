import CivilTime
import Dispatch
import Journal
import Notices
import Simulation
import Synchronization
import Testing
import Worker

/// The worker on its own queue, and another that writes: many ask at once, while the disk syncs, fails, or the worker is
/// closed. Its clock stands still.
@Suite("The live worker on its queue")
struct LiveWorkerTests {
    private static let now = Instant(milliseconds: 1_772_452_800_000)
    private let gate = GatedDisk()
    private let heard = Heard()

    private func worker(
        bytesMax: Int = 64 << 20, handOver: @escaping @Sendable ([EventPlace]) -> Void = { _ in },
        failed: @escaping @Sendable (JournalError) -> Void = { _ in },
        mayDecide: @escaping @Sendable () -> Bool = { true }
    ) throws -> LiveWorker {
        let journal = try Journal("/log", on: gate, holder: "a test")
        let core = WorkerCore(journal, Register(ShippedPlans["standard"]))
        let surroundings = LiveWorker.Surroundings(
            clock: { Self.now }, handOver: handOver, failed: failed, mayDecide: mayDecide)
        return LiveWorker(core, bytesMax: bytesMax, surroundings)
    }

    /// Asks for a notice that is sent at once: a fact and a decision.
    private func request(_ user: String, id: String) -> Fact {
        var request = NoticeRequested()
        request.kind = Identifier("urgent")
        return Fact(user: user, id: id, payload: .noticeRequested(request))
    }

    /// Whether somebody's request, by whose name its answer is noted, was taken.
    private func submit(_ name: String, id: String? = nil, bytes: Int = 100, to worker: LiveWorker) -> Bool {
        worker.submit([request(name, id: id ?? name)], bytes: bytes) { [heard] in heard.add(name, $0) } == .taken
    }

    /// What a power cut now would leave, in which all must be that was acknowledged (`G3`).
    private func durableEvents() throws -> [Event] {
        let log = try LogReader("/log", on: gate.disk.recovered(.lost, seed: 0))
        let reader = EventReader(log, checksHashes: true)
        var events: [Event] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    // MARK: Many at once

    @Test func `many ask at once, and each is told the truth: durable, handed over, once`() async throws {
        let jobs = Mutex(0)
        let worker = try worker(handOver: { places in jobs.withLock { $0 += places.count } })
        await worker.start()
        let told = await withTaskGroup(of: [(id: String, receipt: FactReceipt)].self) { group in
            for client in 0..<16 {
                group.addTask {
                    // Every third is one that the others tell as well.
                    let ids = (0..<20).map { $0 % 3 == 0 ? "all.\($0)" : "\(client).\($0)" }
                    let result = await self.told(worker, ids.map { self.request("u\(client)", id: $0) })
                    return Array(zip(ids, (try? result.get()) ?? []))
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        let found = try durableEvents()
        let seqs = Dictionary(found.compactMap { event in event.id.map { ($0, event.seq) } }) { _, _ in 0 }
        #expect(told.count == 320 && seqs.count == 7 + 16 * 13 && found.count == 2 * seqs.count)
        for (id, receipt) in told {
            switch receipt {
            case .recorded(let seq, _), .duplicate(let seq): #expect(seqs[id] == seq, "\(id)")
            default: Issue.record("\(id): \(receipt)")
            }
        }
        guard case .success = await worker.close() else {
            Issue.record("not closed")
            return
        }
        #expect(jobs.withLock { $0 } == seqs.count)
        #expect(worker.standing.durable.lastSeq == UInt64(found.count))
    }

    @Test func `what comes in during a sync shares the next, and is answered in its order, not before (G3)`()
        async throws
    {
        let worker = try worker()
        await worker.start()
        #expect(await told(worker, [request("anna", id: "a")]) == .success([.recorded(seq: 1, warnings: [])]))
        gate.shut()
        #expect(submit("in the sync", to: worker))
        #expect(await blocking { gate.waitForArrival() })
        let syncs = gate.disk.syncs.count
        for number in 0..<10 {
            #expect(submit("\(number)", to: worker))
            // Some have a turn of their own.
            if number.isMultiple(of: 3) { await blocking { worker.queue.sync {} } }
        }
        #expect(heard.names.isEmpty)
        // A disk that hangs can be seen.
        let since = try #require(worker.standing.writingSince)
        #expect(since < .now)
        gate.open()
        #expect(await blocking { heard.wait(for: 11) })
        await blocking { worker.queue.sync {} }
        #expect(worker.standing.writingSince == nil)
        #expect(heard.names == ["in the sync"] + (0..<10).map { "\($0)" })
        for (place, name) in heard.names.enumerated() {
            #expect(heard[name] == .success([.recorded(seq: UInt64(3 + 2 * place), warnings: [])]))
        }
        #expect(gate.disk.syncs.count == syncs + 2)
        #expect(try durableEvents().count == 24)
        _ = await worker.close()
    }

    @Test(.timeLimit(.minutes(15)))
    func `what is asked while its lease is in doubt waits, and is taken when that is over (M2)`() async throws {
        let isTrusted = Mutex(true)
        let worker = try worker(mayDecide: { isTrusted.withLock { $0 } })
        await worker.start()
        #expect(await told(worker, [request("anna", id: "a")]) == .success([.recorded(seq: 1, warnings: [])]))
        isTrusted.withLock { $0 = false }
        for name in ["in doubt", "behind it"] {
            #expect(submit(name, to: worker))
            // It has its turn, and may not.
            await blocking { worker.queue.sync {} }
        }
        #expect(heard.names.isEmpty)
        isTrusted.withLock { $0 = true }
        #expect(await blocking { heard.wait(for: 2) })
        #expect(heard.names == ["in doubt", "behind it"])
        #expect(await told(worker, [request("anna", id: "later")]) == .success([.recorded(seq: 7, warnings: [])]))
        _ = await worker.close()
    }

    @Test(.timeLimit(.minutes(15)), arguments: [false, true])
    func `who asked while its lease was in doubt is told when the worker has to give up (M2)`(isTold: Bool) async throws
    {
        let isTrusted = Mutex(true)
        let worker = try worker(mayDecide: { isTrusted.withLock { $0 } })
        await worker.start()
        isTrusted.withLock { $0 = false }
        #expect(submit("a fact", to: worker))
        let isAnswered = DispatchSemaphore(value: 0)
        #expect(worker.story(of: "anna") { _ in isAnswered.signal() } == .taken)
        if isTold { worker.giveUp(.lost("another worker has the partition")) }
        guard case .failure = await worker.close() else {
            Issue.record("it was closed as if nothing had been")
            return
        }
        #expect(await blocking { heard.wait(for: 1) && isAnswered.wait(timeout: .now() + 600) == .success })
        guard case .failure? = heard["a fact"] else {
            Issue.record("\(String(describing: heard["a fact"]))")
            return
        }
    }

    @Test func `a duplicate is answered when the first is durable`() async throws {
        let worker = try worker()
        await worker.start()
        gate.shut()
        #expect(submit("first", id: "key", to: worker))
        #expect(await blocking { gate.waitForArrival() })
        #expect(submit("again", id: "key", to: worker))
        await blocking { worker.queue.sync {} }
        #expect(heard.names.isEmpty)
        gate.open()
        #expect(await blocking { heard.wait(for: 2) })
        #expect(heard["again"] == .success([.duplicate(of: 1)]))
        _ = await worker.close()
    }

    // MARK: Its bounds

    @Test func `a full inbox says busy, a closed worker says closed`() async throws {
        let worker = try worker(bytesMax: 100)
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

    @Test func `a full inbox has room when it has answered, and an empty one for whatever comes`() async throws {
        let worker = try worker(bytesMax: 250)
        await worker.start()
        gate.shut()
        #expect(submit("a", to: worker))
        #expect(await blocking { gate.waitForArrival() })
        #expect(submit("b", to: worker))
        #expect(!submit("c", to: worker))
        gate.open()
        #expect(await blocking { heard.wait(for: 2) })
        #expect(submit("d", to: worker))
        #expect(await blocking { heard.wait(for: 1) })
        #expect(submit("larger than all of it", bytes: 1000, to: worker))
        _ = await worker.close()
        #expect(heard.names == ["a", "b", "d", "larger than all of it"])
        #expect(try durableEvents().compactMap(\.id) == heard.names)
    }

    private final class Token: Sendable {}

    @Test func `who has been answered is let go of while others wait`() async throws {
        let worker = try worker()
        await worker.start()
        weak var caller: Token?
        do {
            let token = Token()
            caller = token
            let intake = worker.submit([request("anna", id: "a")], bytes: 1) { _ in withExtendedLifetime(token) {} }
            #expect(intake == .taken)
        }
        _ = await told(worker, [request("ben", id: "b")])
        gate.shut()
        #expect(submit("waiting", to: worker))
        #expect(await blocking { gate.waitForArrival() })
        #expect(caller == nil)
        gate.open()
        _ = await worker.close()
    }

    @Test func `closing answers what was taken, durable and in its order`() async throws {
        let worker = try worker()
        await worker.start()
        let names = (0..<20).map { "\($0)" }
        for name in names { #expect(submit(name, to: worker)) }
        guard case .success = await worker.close() else {
            Issue.record("not closed")
            return
        }
        #expect(heard.names == names)
        #expect(try durableEvents().compactMap(\.id) == names)
        try Journal("/log", on: gate, holder: "the next").close()
    }

    // MARK: Failures

    @Test func `after a failed sync all who wait are told, all who come, and the process once (G4)`() async throws {
        let failures = Mutex(0)
        let worker = try worker(failed: { _ in failures.withLock { $0 += 1 } })
        await worker.start()
        gate.shut()
        #expect(submit("in the sync", to: worker))
        #expect(await blocking { gate.waitForArrival() })
        #expect(submit("behind it", to: worker))
        await blocking { worker.queue.sync {} }
        gate.disk.failEverySyncAfter(gate.disk.operations)
        gate.open()
        #expect(await blocking { heard.wait(for: 2) })
        #expect(submit("afterwards", to: worker))
        #expect(await blocking { heard.wait(for: 1) })
        for name in ["in the sync", "behind it", "afterwards"] {
            guard case .failure(.journal(.stopped(let cause)))? = heard[name] else {
                Issue.record("\(name): \(String(describing: heard[name]))")
                continue
            }
            #expect(cause.code == ErrorCode.inputOutput)
        }
        let syncs = gate.disk.syncs.count
        guard case .failure = await worker.close() else {
            Issue.record("closed as if all were well")
            return
        }
        #expect(gate.disk.syncs.count == syncs)
        #expect(failures.withLock { $0 } == 1)
    }

    /// Damage that was found behind it, or a log that was taken away: what is with the disk at that moment is not
    /// acknowledged either, though it may be there afterwards.
    @Test func `one that is given up acknowledges nothing more, not even what is being synced`() async throws {
        let reason = JournalError.displaced("/log is not there any more")
        let told = Mutex<[JournalError]>([])
        let jobs = Mutex(0)
        let worker = try worker(
            handOver: { places in jobs.withLock { $0 += places.count } },
            failed: { error in told.withLock { $0.append(error) } })
        await worker.start()
        gate.shut()
        #expect(submit("in the sync", to: worker))
        #expect(await blocking { gate.waitForArrival() })
        #expect(submit("behind it", to: worker))
        worker.giveUp(reason)
        worker.giveUp(.closed)
        #expect(await blocking { heard.wait(for: 2) })
        gate.open()
        #expect(submit("afterwards", to: worker))
        #expect(await blocking { heard.wait(for: 1) })
        for name in ["in the sync", "behind it", "afterwards"] {
            #expect(heard[name] == .failure(.journal(reason)), "\(name)")
        }
        guard case .failure(let ending) = await worker.close() else {
            Issue.record("closed as if all were well")
            return
        }
        #expect(ending == reason)
        #expect(told.withLock { $0 } == [reason])
        #expect(jobs.withLock { $0 } == 0)
    }

    @Test func `one that fails to read while it syncs is closed when the sync is done, and everybody is told`()
        async throws
    {
        let hasFailed = DispatchSemaphore(value: 0)
        let worker = try worker(failed: { _ in hasFailed.signal() })
        await worker.start()
        _ = await told(worker, [request("anna", id: "a")])

        gate.shut()
        async let inSync = told(worker, [request("ben", id: "b")])
        #expect(await blocking { gate.waitForArrival() })
        gate.disk.countReads = true
        gate.disk.faults = Dictionary(
            uniqueKeysWithValues: (1...3).map { (gate.disk.operations + $0, .error(ErrorCode.inputOutput)) })
        // Whether this key is known is to be read from the log, and cannot be.
        async let unread = told(worker, [request("anna", id: "a")])
        #expect(await blocking { hasFailed.wait(timeout: .now() + 600) == .success })
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

    private func told(_ worker: LiveWorker, _ facts: [Fact]) async -> Result<[FactReceipt], WorkerRefusal> {
        await withCheckedContinuation { done in
            let intake = worker.submit(facts, bytes: 1) { done.resume(returning: $0) }
            if intake != .taken { done.resume(returning: .failure(.journal(.closed))) }
        }
    }

    /// Waits on a thread of its own, so that tasks go on.
    private func blocking<Answer: Sendable>(_ wait: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { done in
            DispatchQueue.global().async { done.resume(returning: wait()) }
        }
    }
}

/// What callers were told, in the order they were.
private final class Heard: Sendable {
    private typealias Answer = (name: String, result: Result<[FactReceipt], WorkerRefusal>)

    private let answers = Mutex<[Answer]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func add(_ name: String, _ result: Result<[FactReceipt], WorkerRefusal>) {
        answers.withLock { $0.append((name, result)) }
        arrived.signal()
    }

    /// Returns when so many more have been told; false when they never are.
    func wait(for count: Int) -> Bool {
        (0..<count).allSatisfy { _ in arrived.wait(timeout: .now() + 600) == .success }
    }

    var names: [String] { answers.withLock { $0.map(\.name) } }

    subscript(name: String) -> Result<[FactReceipt], WorkerRefusal>? {
        answers.withLock { $0.first { $0.name == name }?.result }
    }
}
