import CivilTime
import Notices

/// The facts of a history, line by line, and what is said about them on standard error: refusals as they come, warnings at the
/// end, each kind once.
struct HistoryFile: ~Copyable {
    private let input: InputFile
    private var lines: LineReader
    private let facts: FactReader
    private let progress: Progress
    private(set) var line = 0
    private var taken = 0
    private var refused = 0
    private var warnings: WarningTally

    private static let lineBytes = 1 << 20

    /// - Parameters:
    ///   - prints: whether what comes of the facts goes to standard output meanwhile.
    ///   - tellsAll: whether every warning is told where it comes.
    init(
        _ path: String, _ zones: ZoneDatabase, doing verb: String, prints: Bool = false, tellsAll: Bool
    ) throws(Failure) {
        warnings = WarningTally(tellsAll: tellsAll)
        input = try InputFile(path)
        lines = LineReader(descriptor: input.descriptor, bytesMax: Self.lineBytes)
        facts = FactReader(zoneProblem: zones.problem(with:))
        progress = Progress(verb, total: input.size, prints: prints)
    }

    /// To be called last, however it went: the warnings are told.
    func close() {
        input.close()
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
        while let next = try lines.next() {
            progress.update(bytes: lines.bytesTaken, detail: "\(taken) facts")
            switch next {
            case .tooLong(let number):
                line = number
                refuse("the line is longer than \(Self.lineBytes) bytes")
            case .whole(let number, let bytes):
                line = number
                if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                do throws(Refusal) {
                    let fact = try facts.read(bytes)
                    taken += 1
                    return fact
                } catch {
                    refuse("\(error)")
                }
            }
        }
        progress.finish()
        return nil
    }

    mutating func refuse(_ problem: String) {
        refused += 1
        complainAsJSON(line, "refused", problem)
    }

    mutating func warn(_ warnings: [Warning]) {
        for warning in warnings { self.warnings.take(warning, line) }
    }

    /// To be called at the end of the history: whether every line was taken.
    func finish() throws(Failure) {
        guard refused > 0 else { return }
        throw Failure(.badInput, counted(refused, "line was", "lines were") + " refused")
    }
}
