import CivilTime
import Notices

/// The facts of a history, line by line, and what is said about them: refusals and warnings go to standard error.
struct HistoryFile: ~Copyable {
    private let input: InputFile
    private var lines: LineReader
    private let facts: FactReader
    private let progress: Progress
    private(set) var line = 0
    private var taken = 0
    private var refused = 0

    private static let lineBytes = 1 << 20

    /// - Parameter prints: whether what comes of the facts goes to standard output meanwhile.
    init(_ path: String, _ zones: ZoneDatabase, doing verb: String, prints: Bool = false) throws(Failure) {
        input = try InputFile(path)
        lines = LineReader(descriptor: input.descriptor, bytesMax: Self.lineBytes)
        facts = FactReader(zoneProblem: zones.problem(with:))
        progress = Progress(verb, total: input.size, prints: prints)
    }

    func close() { input.close() }

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

    func warn(_ warnings: [String]) {
        for warning in warnings { complainAsJSON(line, "warning", warning) }
    }

    /// To be called last: whether every line was taken.
    func finish() throws(Failure) {
        guard refused > 0 else { return }
        throw Failure(.badInput, counted(refused, "line was", "lines were") + " refused")
    }
}
