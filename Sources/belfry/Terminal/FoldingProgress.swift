import CivilTime
import Worker

/// How far the log has been folded, for commands that begin with everybody's state.
///
/// Safe to send: one thread folds at a time, and the next begins after the one before was waited for.
private final class FoldingProgress: @unchecked Sendable {
    private let progress = Progress("reading the log", total: nil)

    func update(_ position: Int) { progress.update(bytes: position) }
}

extension Beginning {
    /// As `standard`, with a line on the terminal while a log is folded. Whoever is done takes it away (`Progress.clear`).
    static func shown(_ zones: ZoneDatabase) -> Beginning {
        let progress = FoldingProgress()
        var beginning = standard(zones)
        beginning.meanwhile = { progress.update($0) }
        return beginning
    }
}
