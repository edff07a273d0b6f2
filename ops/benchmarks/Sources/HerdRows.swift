import CivilTime
import Foundation
import Journal
import Notices
import Synchronization
import Worker

/// Everyone's check-in due in the same second, on the real disk; and how long a fact waits that comes meanwhile.
struct HerdRows {
    let workspace: Workspace
    let options: Options

    private var people: Int { options.isQuick ? 50_000 : 1_000_000 }
    /// People in another zone, who have nothing to do with the herd: facts about them are sent meanwhile.
    private let bystanders = 1_000

    func run(into table: inout Table) throws {
        say("herd")
        let runs = try (0..<(options.isQuick ? 1 : 3)).map { _ in try herd() }
        guard let best = runs.min(by: { $0.seconds < $1.seconds }) else { return }
        let all = runs.map { ratio($0.seconds) }.joined(separator: ", ")
        table.add(
            "herd: \(grouped(Double(people))) people due in the same second: decided, durable, jobs written",
            "\(ratio(best.seconds)) s (\(all)), \(ratio(best.processor)) s of processor, \(grouped(best.bytes / Double(people))) B a job in the log",
            goal: "≤ 1.2 s", isMet: best.seconds <= 1.2, ("seconds", best.seconds))
        let plain = try Plain.loop(in: workspace.fresh("plain"), bytes: Int(best.bytes), piece: 4 << 20)
        table.add(
            "— the same bytes, plain write+fdatasync in pieces of 4 MiB", "\(ratio(plain.seconds)) s",
            ("seconds", plain.seconds))
        let waits = runs.flatMap(\.waits)
        let longest = waits.max() ?? 0
        table.add(
            "— a fact sent meanwhile waits for its acknowledgement (\(waits.count) facts)",
            "p50 \(milliseconds(waits.percentile(0.5))), p99 \(milliseconds(waits.percentile(0.99))), longest \(milliseconds(longest))",
            goal: "≤ 100 ms", isMet: longest <= 0.1, ("p99_seconds", waits.percentile(0.99)),
            ("longest_seconds", longest))
    }

    private struct Run {
        var seconds: Double
        var processor: Double
        var bytes: Double
        var waits: [Double]
    }

    private func herd() throws -> Run {
        let directory = try workspace.fresh("herd")
        // A Sunday in the machine's future: its timer has no part in this, the clock that is given in is what counts.
        let enrolled = Instant(milliseconds: 2_209_032_000_000)
        let count = Counter(expecting: people)
        let (worker, clock, due) = try makeWorker(directory, enrolled, count)
        waitFor { await worker.start() }
        let processorBefore = processorSeconds(CLOCK_PROCESS_CPUTIME_ID)
        let begun = seconds()
        clock.set(due)
        let waits = sendFacts(to: worker, until: count)
        let took = count.endedAt - begun
        let processor = processorSeconds(CLOCK_PROCESS_CPUTIME_ID) - processorBefore
        waitFor { _ = await worker.close() }
        let bytes = try LogReader(directory, on: logDisk).byteCount - count.bytesBefore
        try FileManager.default.removeItem(atPath: directory)
        return Run(seconds: took, processor: processor, bytes: Double(bytes), waits: waits)
    }

    private func makeWorker(
        _ directory: String, _ enrolled: Instant, _ count: Counter
    ) throws -> (LiveWorker, SetClock, due: Instant) {
        let people = people
        let log = try LiveLog(
            in: directory, LiveLog.standardPlan(), people: people + bystanders, at: enrolled,
            zone: { $0 < people ? "Europe/Paris" : "America/New_York" })
        let due = log.register[0].nextWake
        precondition(log.register[people].nextWake > due, "the bystanders are due before the herd")
        count.bytesBefore = Int(log.journal.head.position)
        let clock = SetClock(enrolled)
        let core = WorkerCore(log.journal, log.register)
        let worker = LiveWorker(
            core,
            .init(
                clock: { clock.now }, handOver: { count.add($0.count) },
                failed: { preconditionFailure("the log failed: \($0)") }))
        return (worker, clock, due)
    }

    /// One every few milliseconds, each measured until its answer, until the herd has passed.
    private func sendFacts(to worker: LiveWorker, until count: Counter) -> [Double] {
        let waits = Mutex<[Double]>([])
        let answered = DispatchGroup()
        var number = 0
        while !count.isDone {
            let fact = Fact(
                user: LiveLog.user(people + number % bystanders), payload: .sessionCompleted(SessionCompleted()))
            number += 1
            let sent = seconds()
            answered.enter()
            let intake = worker.submit([fact], bytes: 100) { _ in
                let wait = seconds() - sent
                waits.withLock { $0.append(wait) }
                answered.leave()
            }
            precondition(intake == .taken)
            usleep(3_000)
        }
        answered.wait()
        return waits.withLock { $0 }
    }
}

/// Counts jobs as they become durable, and knows when the last one was.
///
/// Safe to send: what is not under the lock is set before the worker starts.
private final class Counter: @unchecked Sendable {
    private struct State {
        var left: Int
        var endedAt = 0.0
    }

    private let state: Mutex<State>
    var bytesBefore = 0

    init(expecting count: Int) { state = Mutex(State(left: count)) }

    var isDone: Bool { state.withLock { $0.left <= 0 } }
    var endedAt: Double { state.withLock { $0.endedAt } }

    func add(_ jobs: Int) {
        let now = seconds()
        state.withLock { state in
            state.left -= jobs
            if state.left <= 0, state.endedAt == 0 { state.endedAt = now }
        }
    }
}
