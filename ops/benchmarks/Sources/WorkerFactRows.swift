import Foundation
import Notices
import Synchronization
import Worker

/// Facts through the live worker: admitted, decided about, durable, answered, beside what one sync and one transaction
/// of SQLite cost. The journal's own rows leave the deciding out.
struct WorkerFactRows {
    let workspace: Workspace
    let options: Options

    private static let people = 10_000
    private static let batchFacts = 512
    private static let batchesInFlight = 32
    private static let callers = 128

    func run(into table: inout Table) throws {
        say("facts through the worker")
        let bulk = try bulk(count: options.isQuick ? 50_000 : 2_000_000)
        table.add(
            "durable append through the worker: admitted, decided about, durable; batches of \(Self.batchFacts), \(Self.batchesInFlight) in flight",
            "\(grouped(bulk)) facts/s", ("facts_per_second", bulk))
        try single(&table)
    }

    /// Each caller is called back when its fact is durable, as a server's connections are.
    private func single(_ table: inout Table) throws {
        let sync = try Plain.syncTimes(in: workspace.fresh("sync"), count: options.isQuick ? 200 : 2_000)
        let one = sync.percentile(0.5)
        let called = try callers(count: Self.callers, each: options.isQuick ? 50 : 4_000)
        table.add(
            "durable append through the worker, \(Self.callers) callers each waiting for its own fact",
            "\(grouped(called.rate)) facts/s", goal: "≥ 33,000/s", isMet: called.rate >= 33_000,
            ("facts_per_second", called.rate))
        table.add(
            "— p99 of one caller's wait",
            "\(milliseconds(called.p99)), \(ratio(called.p99 / one)) of one fdatasync (median \(milliseconds(one)), p99 \(milliseconds(sync.percentile(0.99))))",
            goal: "≤ 5 × one fdatasync", isMet: called.p99 <= 5 * one, ("p99_seconds", called.p99),
            ("ratio", called.p99 / one))
        let sqlite = try SQLite.single(in: workspace.fresh("sqlite"), facts: options.isQuick ? 200 : 3_000)
        table.add(
            "— SQLite (WAL, synchronous=FULL), a transaction a fact",
            "\(grouped(sqlite)) facts/s; Belfry is \(ratio(called.rate / sqlite)) of it", ("facts_per_second", sqlite))
    }

    private func bulk(count: Int) throws -> Double {
        let worker = try worker("worker-bulk")
        let batches = (0..<64).map { batch in
            (0..<Self.batchFacts).map { Self.fact(batch * Self.batchFacts + $0) }
        }
        let room = DispatchSemaphore(value: Self.batchesInFlight)
        let rounds = count / Self.batchFacts
        let start = seconds()
        for round in 0..<rounds {
            room.wait()
            let intake = worker.submit(batches[round % batches.count], bytes: Self.batchFacts * 100) { result in
                guard case .success = result else { preconditionFailure("facts were not taken: \(result)") }
                room.signal()
            }
            precondition(intake == .taken)
        }
        for _ in 0..<Self.batchesInFlight { room.wait() }
        let elapsed = seconds() - start
        for _ in 0..<Self.batchesInFlight { room.signal() }
        waitFor { _ = await worker.close() }
        return Double(rounds * Self.batchFacts) / elapsed
    }

    private func callers(count: Int, each: Int) throws -> (rate: Double, p99: Double) {
        let worker = try worker("worker-callers")
        let waits = Mutex<[Double]>([])
        let done = DispatchGroup()
        @Sendable func send(_ caller: Int, _ round: Int) {
            let begin = seconds()
            let intake = worker.submit([Self.fact(caller * each + round)], bytes: 100) { result in
                guard case .success = result else { preconditionFailure("a fact was not taken: \(result)") }
                let wait = seconds() - begin
                waits.withLock { $0.append(wait) }
                if round + 1 < each { send(caller, round + 1) } else { done.leave() }
            }
            precondition(intake == .taken)
        }
        let start = seconds()
        for caller in 0..<count {
            done.enter()
            send(caller, 0)
        }
        done.wait()
        let elapsed = seconds() - start
        waitFor { _ = await worker.close() }
        return (Double(count * each) / elapsed, waits.withLock { $0.percentile(0.99) })
    }

    private func worker(_ name: String) throws -> LiveWorker {
        let log = try LiveLog(
            in: workspace.fresh(name), LiveLog.standardPlan(), people: Self.people, at: Samples.clock(),
            zone: { _ in "Europe/Paris" })
        let worker = LiveWorker(
            WorkerCore(log.journal, log.register),
            .init(
                clock: Samples.clock, handOver: { _ in }, failed: { preconditionFailure("the log failed: \($0)") }))
        waitFor { await worker.start() }
        return worker
    }

    /// As an app sends them all day.
    private static func fact(_ number: Int) -> Fact {
        let user = LiveLog.user(number &* 7919 % people)
        switch number % 4 {
        case 0: return Fact(user: user, payload: .appOpened(AppOpened()))
        case 1: return Fact(user: user, payload: .sessionCompleted(SessionCompleted()))
        case 2: return Fact(user: user, payload: .checkedIn(CheckedIn()))
        default:
            var points = PointsEarned()
            points.points = 5
            points.subject = Identifier("child:k1")
            return Fact(user: user, payload: .pointsEarned(points))
        }
    }
}
