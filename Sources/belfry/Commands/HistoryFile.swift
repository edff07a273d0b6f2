import CivilTime
import Notices
import Worker

/// The facts of a history, line by line, and what is said about them on standard error: refusals as they come, warnings at the
/// end, each kind once.
struct HistoryFile: ~Copyable {
    private let input: InputFile
    private let read: () -> HistoryLines.Block
    private let stop: () -> Void
    private let progress: Progress
    private var block = HistoryLines.Block()
    /// How many of the block's lines were given.
    private var given = 0
    private(set) var line = 0
    private var taken = 0
    private var refused = 0
    private var warnings: WarningTally

    /// - Parameters:
    ///   - cores: with more than one the lines are read on a core of their own; what comes of them is written by
    ///     `WritingBehind` on another.
    ///   - prints: whether what comes of the facts goes to standard output meanwhile.
    ///   - tellsAll: whether every warning is told where it comes.
    init(
        _ path: String, _ zones: ZoneDatabase, on cores: Cores, doing verb: String, prints: Bool = false, tellsAll: Bool
    ) throws(Failure) {
        warnings = WarningTally(tellsAll: tellsAll)
        input = try InputFile(path)
        progress = Progress(verb, total: input.size, prints: prints)
        if cores.count > 1 {
            let ahead = ReadingAhead(descriptor: input.descriptor, zones)
            (read, stop) = (ahead.next, ahead.stop)
        } else {
            let lines = HistoryLines.Alone(descriptor: input.descriptor, zones)
            (read, stop) = (lines.next, {})
        }
    }

    /// To be called last, however it went: the warnings are told.
    func close() {
        stop()
        // Where the end was not reached the file may be being read still.
        if block.end != nil { input.close() }
        progress.finish()
        warnings.tell()
    }

    /// The next fact that could be read. The first one after `end` ends the history.
    mutating func next(through end: Instant?) throws(Failure) -> Fact? {
        guard let fact = try next() else { return nil }
        guard let end, let at = fact.at, at > end else { return fact }
        progress.finish()
        complain("note: line \(line) is of \(at), after --until; it and what follows it were left out")
        return nil
    }

    private mutating func next() throws(Failure) -> Fact? {
        while true {
            while given < block.lines.count {
                let next = block.lines[given]
                given += 1
                line = next.number
                progress.update(bytes: next.bytesTaken, detail: "\(taken) facts")
                switch next.reading {
                case .refused(let problem): refuse(problem)
                case .fact(let fact):
                    taken += 1
                    return fact
                }
            }
            switch block.end {
            case .failure(let failure)?: throw failure
            case .ofInput?:
                progress.finish()
                return nil
            case nil: (block, given) = (read(), 0)
            }
        }
    }

    mutating func refuse(_ problem: String) {
        refused += 1
        complainAsJSON(line, "refused", problem)
    }

    /// What became of the fact that was given last.
    mutating func tell(_ receipt: FactReceipt) {
        switch receipt {
        case .recorded(_, let warnings): for warning in warnings { self.warnings.take(warning, line) }
        case .refused(let problem): refuse("\(problem)")
        case .duplicate, .leftOut: break
        }
    }

    /// To be called at the end of the history: whether every line was taken.
    func finish() throws(Failure) {
        guard refused > 0 else { return }
        throw Failure(.badInput, counted(refused, "line was", "lines were") + " refused")
    }
}
