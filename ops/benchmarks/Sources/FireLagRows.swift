import CivilTime
import Foundation
import Journal
import Notices
import Synchronization
import Worker

/// How late a job is durable, with many armed and a thousand due every second, on the machine's own clock.
///
/// Everyone due was sent a reminder half an hour ago and another one since, which the cooldown (`P11`) holds to the
/// millisecond. So the history is of the past, and what is due lies ahead.
struct FireLagRows {
    let workspace: Workspace
    let options: Options

    private var people: Int { options.isQuick ? 50_000 : 1_000_000 }
    private var due: Int { options.isQuick ? 3_000 : 20_000 }

    func run(into table: inout Table) throws {
        say("fire lag")
        let directory = try workspace.fresh("fire-lag")
        let syncs = try Plain.syncTimes(in: workspace.fresh("sync"), count: 500)
        let lags = try fire(directory)
        let p99 = lags.percentile(0.99)
        table.add(
            "fire lag (job durable minus due), \(grouped(Double(people))) armed, 1,000 due/s, \(due / 1_000) s",
            "p50 \(milliseconds(lags.percentile(0.5))), p99 \(milliseconds(p99)), longest \(milliseconds(lags.max() ?? 0)); one fdatasync p50 \(milliseconds(syncs.percentile(0.5))), p99 \(milliseconds(syncs.percentile(0.99)))",
            goal: "p99 ≤ 2 ms", isMet: p99 <= 0.002, ("p50_seconds", lags.percentile(0.5)), ("p99_seconds", p99))
        try FileManager.default.removeItem(atPath: directory)
    }

    private func fire(_ directory: String) throws -> [Double] {
        let lags = Mutex<[Double]>([])
        let done = DispatchSemaphore(value: 0)
        let count = due
        let (worker, first) = try makeWorker(directory) { first in
            { jobs in
                let now = wallMilliseconds()
                lags.withLock { lags in
                    // One is due each millisecond, and jobs are handed over in the order in which they were due.
                    for _ in jobs { lags.append((now - Double(first.milliseconds) - Double(lags.count)) / 1000) }
                    if lags.count == count { done.signal() }
                }
            }
        }
        precondition(Samples.clock() < first, "the log took longer to build than was left for it")
        waitFor { await worker.start() }
        done.wait()
        waitFor { _ = await worker.close() }
        return lags.withLock { $0 }
    }

    private func makeWorker(
        _ directory: String, handingOver: (_ first: Instant) -> @Sendable ([EventPlace]) -> Void
    ) throws -> (LiveWorker, first: Instant) {
        let enrolled = Samples.clock().advanced(byMinutes: -90)
        let noon = Self.zone(whereItIsNoonAt: enrolled)
        var log = try LiveLog(
            in: directory, LiveLog.standardPlan(), people: people, at: enrolled, zone: { _ in noon })
        let first = Samples.clock().advanced(bySeconds: 8)
        let stride = people / due
        let sent = first.advanced(byMinutes: -30)
        var facts = (0..<due).map { reminder($0 * stride, at: sent.advanced(byMilliseconds: Int64($0))) }
        facts += (0..<due).map { reminder($0 * stride, at: sent.advanced(bySeconds: 60)) }
        try log.live(through: facts)
        let core = WorkerCore(log.journal, log.register)
        let worker = LiveWorker(
            core,
            .init(
                clock: Samples.clock, handOver: handingOver(first),
                failed: { preconditionFailure("the log failed: \($0)") }))
        return (worker, first)
    }

    private func reminder(_ number: Int, at: Instant) -> Fact {
        var request = NoticeRequested()
        request.kind = Identifier("reminder")
        request.title = Text("Time to look at your plan")
        return Fact(user: LiveLog.user(number), at: at, payload: .noticeRequested(request))
    }

    /// So that it is nobody's night, and nobody's check-in comes meanwhile.
    private static func zone(whereItIsNoonAt instant: Instant) -> String {
        let hour = Int(instant.milliseconds / 3_600_000 % 24)
        let east = 12 - hour
        return east == 0 ? "Etc/GMT" : "Etc/GMT\(east > 0 ? "-" : "+")\(abs(east))"
    }
}
