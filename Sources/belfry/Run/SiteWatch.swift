import CivilTime
import Dispatch
import Foundation
import Journal
import Worker

/// Looks every second whether the log is where it is looked for, and whether recorded time is ahead of the clock.
///
/// On a queue of its own: a disk that hangs keeps this waiting, and nobody else.
///
/// Safe to share: everything is touched on `queue` alone.
final class SiteWatch: @unchecked Sendable {
    private let site: LogSite
    private let name: LogName
    private let clock: @Sendable () -> Instant
    private let log: RunLog
    private let queue = DispatchQueue(label: "belfry.site", qos: .utility)
    private let timer: any DispatchSourceTimer
    private var lead = ClockLead()
    private var isStopped = false

    init(_ site: LogSite, of name: LogName, clock: @escaping @Sendable () -> Instant, _ log: RunLog) {
        self.site = site
        self.name = name
        self.clock = clock
        self.log = log
        timer = DispatchSource.makeTimerSource(queue: queue)
        // At once, though it is not armed: Dispatch traps when a source is given up that never was active.
        timer.activate()
    }

    /// - Parameters:
    ///   - recorded: the log's last instant; must not wait.
    ///   - displaced: is told once that the log is gone.
    func start(recorded: @escaping @Sendable () -> LogHead, displaced: @escaping @Sendable (JournalError) -> Void) {
        timer.setEventHandler { [weak self] in self?.look(recorded(), displaced) }
        timer.schedule(deadline: .now(), repeating: .seconds(1), leeway: .milliseconds(100))
    }

    func stop() { timer.cancel() }

    private func look(_ head: LogHead, _ displaced: (JournalError) -> Void) {
        guard !isStopped else { return }
        tell(lead.look(at: head.position > 0 ? head.at : nil, now: clock(), uptime: Self.uptime), head.at)
        guard let problem = site.displacement() else { return }
        isStopped = true
        displaced(problem)
    }

    private func tell(_ word: ClockLead.Word?, _ recorded: Instant) {
        switch word {
        case .ahead(let seconds)?:
            log.say(
                .warning,
                "recorded time is ahead of the clock and stands still until it is caught up with; nothing that is due comes before",
                [("recorded_at", "\(recorded)"), ("ahead_seconds", "\(seconds)")] + which)
        case .over?: log.say(.info, "the clock has caught up with recorded time", which)
        case nil: break
        }
    }

    /// Each log has a time of its own.
    private var which: [(String, String)] { name.number.map { [("partition", "\($0)")] } ?? [] }

    private static var uptime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
