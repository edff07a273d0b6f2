import CivilTime
import Foundation
import Journal
import Notices
import Worker

/// The log itself, opened by a command that found no worker running: facts are taken as a worker would take them, with
/// what was due before and what follows (`G2`). The jobs are handed out by the next `belfry run`.
struct LoneWorker: FactTaker {
    let batchLines = 1024
    let allOrNothingLines = Int.max
    let allOrNothingBytes = 32 << 20

    /// For the help of commands that take a worker's part.
    static let decidingNote = """
        Without a worker this command decides as one would, also for everybody else who is due, and the next
        `belfry run` hands out the jobs. An order that is refused decides for nobody.
        """

    private let town: LoneTown
    private let facts: FactReader

    /// - Parameter patience: with a log that another has.
    init(_ directory: String, command: String, patience: LockPatience, _ world: World) throws(Failure) {
        let zones = try world.zones()
        town = try LoneTown(
            try DataDirectory(directory, on: world.disk), command: command, patience: patience, world)
        facts = FactReader(zoneProblem: zones.problem(with:))
    }

    /// - Returns: whether no snapshot beside the log tells of anybody any more who was erased.
    @discardableResult
    func close() throws(Failure) -> Bool {
        let isClean = try town.close()
        // Whoever gave it something else to do is told: it cannot be taken back.
        let erased = town.erasedByRetention
        if erased > 0 { complain("note: \(RunNowOutput.told(erased: erased))") }
        return isClean
    }

    func append(_ lines: [UInt8], allOrNothing: Bool) throws(Untaken) -> [LineReceipt] {
        let read = read(lines)
        let isRefused = read.contains { if case .failure = $0 { true } else { false } }
        var taken: ArraySlice<FactReceipt> = []
        if !allOrNothing || !isRefused {
            let facts = read.compactMap { try? $0.get() }
            let outcome: Result<[FactReceipt], WorkerRefusal>
            do throws(Failure) { outcome = try town.take(facts, allOrNothing: allOrNothing) } catch {
                throw .inDoubt(error.message)
            }
            switch outcome {
            case .success(let receipts): taken = receipts[...]
            case .failure(.journal(let error)): throw .journal(error)
            case .failure(.problem(let problem)): throw .notTaken("\(problem)")
            case .failure(.elsewhere(let words, let isInDoubt)): throw isInDoubt ? .inDoubt(words) : .notTaken(words)
            }
        }
        return read.enumerated().map { place, line in
            switch line {
            case .failure(let refusal): LineReceipt(line: place + 1, outcome: .refused(FieldError("\(refusal)")))
            case .success(let fact):
                LineReceipt(
                    line: place + 1, outcome: taken.popFirst() ?? .leftOut, partition: town.partition(of: fact))
            }
        }
    }

    /// An order that comes to nothing leaves the log as it was.
    func appendOwn(_ lines: [UInt8]) throws(Untaken) -> [LineReceipt] {
        let refusals = read(lines).map { line -> FieldError? in
            switch line {
            case .failure(let refusal): FieldError("\(refusal)")
            case .success(let fact): town.refusal(of: fact)
            }
        }
        guard !refusals.contains(nil) else { return try append(lines, allOrNothing: false) }
        return refusals.compactMap(\.self).enumerated().map { place, problem in
            LineReceipt(line: place + 1, outcome: .refused(problem))
        }
    }

    /// Records that somebody is erased. Returns the event's number once their key is gone.
    func erase(_ user: String) throws(Failure) -> UInt64 {
        switch try town.erase(user) {
        case .failure(.journal(let error)): throw Failure(error)
        case .failure(.problem(let problem)): throw Failure(.badInput, "\(problem)")
        case .failure(.elsewhere(let words, isInDoubt: _)): throw Failure(.environment, words)
        case .success(let receipts):
            switch receipts.first {
            case .recorded(let seq, _)?: return seq
            case .refused(let problem)?: throw Failure(.badInput, problem.problem)
            case .duplicate?, .leftOut?, nil: throw Failure(.environment, "the log did not say what became of it")
            }
        }
    }

    private func read(_ lines: [UInt8]) -> [Result<Fact, Refusal>] {
        lines.split(separator: 0x0A).map { line in
            line.withUnsafeBufferPointer { bytes in
                Result { () throws(Refusal) in try facts.read(UnsafeRawBufferPointer(bytes)) }
            }
        }
    }
}
