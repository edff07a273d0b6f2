import CivilTime
import Dispatch
import Foundation
import Worker

/// How far the log has been folded, for commands that begin with everybody's state.
///
/// Safe to send: one thread folds at a time, and the next begins after the one before was waited for.
private final class FoldingProgress: @unchecked Sendable {
    private let progress = Progress("reading the log", total: nil)

    func update(_ position: Int) { progress.update(bytes: position) }
}

/// The same for a worker, as a line of its log every few seconds.
///
/// Safe to send: as `FoldingProgress`.
private final class FoldingReport: @unchecked Sendable {
    private let log: RunLog
    private let supervisor: Supervisor
    private let pause: DispatchTimeInterval
    private var toldAt = DispatchTime.now()

    init(_ log: RunLog, _ supervisor: Supervisor, every pause: DispatchTimeInterval) {
        (self.log, self.supervisor, self.pause) = (log, supervisor, pause)
    }

    func update(_ position: Int) {
        guard DispatchTime.now() >= toldAt + pause else { return }
        toldAt = .now()
        log.info("reading the log", ("MiB", "\(position >> 20)"))
        supervisor.tellStarting()
    }
}

extension Beginning {
    /// As `standard`, for a worker that tells its log how far it is while it reads what others wait for.
    ///
    /// - Parameter supervisor: whoever has started it, and would end it if it took too long.
    static func told(
        _ zones: ZoneDatabase, to log: RunLog,
        _ supervisor: Supervisor = Supervisor(ProcessInfo.processInfo.environment),
        every pause: DispatchTimeInterval = .seconds(5)
    ) -> Beginning {
        let report = FoldingReport(log, supervisor, every: pause)
        var beginning = standard(zones)
        beginning.cores = .all
        beginning.meanwhile = { report.update($0) }
        return beginning
    }

    /// As `standard`, with a line on the terminal while a log is folded. Whoever is done takes it away (`Progress.clear`).
    static func shown(_ zones: ZoneDatabase) -> Beginning {
        let progress = FoldingProgress()
        var beginning = standard(zones)
        beginning.cores = .all
        beginning.meanwhile = { progress.update($0) }
        return beginning
    }
}
