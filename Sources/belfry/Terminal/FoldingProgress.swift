import CivilTime
import Dispatch
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
    private var toldAt = DispatchTime.now()

    private static let pause = DispatchTimeInterval.seconds(5)

    init(_ log: RunLog) { self.log = log }

    func update(_ position: Int) {
        guard DispatchTime.now() >= toldAt + Self.pause else { return }
        toldAt = .now()
        log.info("reading the log", ("MiB", "\(position >> 20)"))
    }
}

extension Beginning {
    /// As `standard`, for a worker that tells its log how far it is while it reads what others wait for.
    static func told(_ zones: ZoneDatabase, to log: RunLog) -> Beginning {
        let report = FoldingReport(log)
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
