import CivilTime
import Dispatch
import Foundation
import Journal
import Worker

/// Runs the check of the log behind the worker on a thread of its own, which gives way to everybody else.
///
/// Safe to share: the patrol is touched by its thread alone but for its standing, which may be asked from anywhere.
final class PatrolThread: @unchecked Sendable {
    private let patrol: LogPatrol
    private let pace: PatrolPace
    private let clock: @Sendable () -> Instant
    private let log: RunLog
    private let stopping = DispatchSemaphore(value: 0)

    /// So often an idle patrol looks at a clock that somebody may have set, and a busy one says how far it is.
    private static let minute = Duration.seconds(60)

    init(_ patrol: LogPatrol, pace: PatrolPace, clock: @escaping @Sendable () -> Instant, _ log: RunLog) {
        self.patrol = patrol
        self.pace = pace
        self.clock = clock
        self.log = log
    }

    var standing: LogPatrol.Standing { patrol.standing }

    /// - Parameter found: is told of damage, after which nothing more is checked.
    func start(found: @escaping @Sendable (JournalError) -> Void) {
        Thread.detachNewThread { [self] in
            #if os(Linux)
                // Of this thread alone. A kernel that will not leaves the pauses, which are long enough by themselves.
                setpriority(__priority_which_t(0), 0, 10)
            #endif
            run(found)
        }
    }

    func stop() { stopping.signal() }

    private func run(_ found: (JournalError) -> Void) {
        var begun = ContinuousClock.now
        var told = begun
        var isUnderway = false
        while true {
            let start = ContinuousClock.now
            if !isUnderway { (begun, told) = (start, start) }
            let pause: Duration
            do throws(JournalError) {
                let step = try patrol.step()
                if start - told >= Self.minute {
                    tellProgress()
                    told = start
                }
                if case .finished(let report) = step { tell(report, since: begun) }
                isUnderway = if case .worked = step { true } else { false }
                pause = self.pause(after: step, took: ContinuousClock.now - start)
            } catch .damaged(let damage) {
                return found(.damaged(damage))
            } catch {
                log.error("the log behind the worker could not be checked; tried again in an hour: \(error)")
                isUnderway = false
                pause = .zero
            }
            if stopping.wait(timeout: .now() + pause.dispatched) == .success { return }
        }
    }

    private func pause(after step: LogPatrol.Step, took elapsed: Duration) -> Duration {
        switch step {
        case .idle(let until): min(max(.milliseconds(until.milliseconds(since: clock())), .zero), Self.minute)
        case .worked(let bytes): pace.pause(afterReading: bytes, in: elapsed)
        case .finished: .zero
        }
    }

    private func tellProgress() {
        guard let underway = patrol.standing.underway else { return }
        log.info(
            "checking the log", ("MiB", "\(underway.position >> 20)"), ("of_MiB", "\(underway.total >> 20)"))
    }

    private func tell(_ report: LogPatrol.Report, since begun: ContinuousClock.Instant) {
        guard report.bytes > 0 else { return }
        log.info(
            "the log was checked and is whole", ("position", "\(report.bytes)"), ("commits", "\(report.commits)"),
            ("seconds", "\((ContinuousClock.now - begun).components.seconds)"))
    }
}

extension Duration {
    var dispatched: DispatchTimeInterval {
        .nanoseconds(Int(clamping: components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000))
    }
}
