import Journal
import Notices

/// Hands lines of facts to whoever takes them, in batches of what is there to read, and tells what is said of each.
///
/// The taker reads and checks them; here a line is only found and counted.
struct FactRelay {
    let taker: any FactTaker
    let receipts: Receipts
    /// All or nothing, and something was refused.
    private(set) var hasGivenUp = false
    /// The last line that was read.
    private(set) var lastLine = 0
    private var batch = Batch()
    /// The last line of which it is known what became of it.
    private var lastTold = 0

    private struct Batch {
        var body: [UInt8] = []
        /// The number in the input of each line in the body.
        var lines: [Int] = []
    }

    private static let batchBytes = 1 << 20

    init(_ taker: any FactTaker, receipts: Receipts) {
        self.taker = taker
        self.receipts = receipts
    }

    mutating func take(_ input: InputFile, allOrNothing: Bool) throws(Failure) {
        var lines = LineReader(descriptor: input.descriptor, bytesMax: AppendCommand.lineBytes)
        let progress = Progress("appending", total: input.size, prints: true)
        defer { progress.finish() }
        while let line = try lines.next() {
            takeLine(line)
            if allOrNothing {
                guard batch.lines.count <= taker.allOrNothingLines, batch.body.count <= taker.allOrNothingBytes else {
                    throw Failure(.badInput, "\(tooMuchAtOnce); nothing was appended")
                }
            } else if batch.lines.count >= taker.batchLines || batch.body.count >= Self.batchBytes || !lines.hasLine {
                try send()
            }
            progress.update(bytes: lines.bytesTaken, detail: "\(receipts.acknowledged) facts")
            if receipts.mustStop { return }
        }
        if allOrNothing, receipts.refused > 0 { return hasGivenUp = true }
        try send(allOrNothing: allOrNothing)
        hasGivenUp = allOrNothing && receipts.refused > 0
    }

    private var tooMuchAtOnce: String {
        taker.allOrNothingLines == .max
            ? "--all-or-nothing takes at most \(taker.allOrNothingBytes) bytes of facts"
            : "beside a running worker --all-or-nothing takes at most \(taker.allOrNothingLines) facts and \(taker.allOrNothingBytes) bytes"
    }

    private mutating func takeLine(_ line: LineReader.Line) {
        switch line {
        case .tooLong(let number):
            lastLine = number
            receipts.refuse(number, "the line is longer than \(AppendCommand.lineBytes) bytes")
        case .whole(let number, let bytes):
            lastLine = number
            if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return }
            batch.lines.append(number)
            batch.body += bytes
            // One carriage return at a line's end is taken away, and was taken away here already.
            if bytes.last == 0x0D { batch.body.append(0x0D) }
            batch.body.append(0x0A)
        }
    }

    private mutating func send(allOrNothing: Bool = false) throws(Failure) {
        guard let first = batch.lines.first, let last = batch.lines.last else { return }
        let told: [LineReceipt]
        do throws(Untaken) {
            told = try taker.append(batch.body, allOrNothing: allOrNothing)
            guard told.map(\.line) == Array(1...batch.lines.count) else {
                throw .inDoubt("the worker did not tell of every line")
            }
        } catch {
            switch error {
            case .notTaken(let problem):
                throw Failure(.environment, "\(problem). From line \(first) on nothing was appended")
            case .inDoubt(let problem):
                throw Failure(
                    .environment,
                    "\(problem). \(doubt)"
                )
            case .partly(let told, let doubtful, let problem):
                tell(told)
                let known = Set(told.map(\.line)).union(doubtful)
                let left = (1...batch.lines.count).filter { !known.contains($0) }
                throw Failure(.environment, problem, further: unheard(left, doubtful))
            case .journal(let error):
                var failure = Failure(error)
                failure.further.append(doubt)
                throw failure
            }
        }
        tell(told)
        lastTold = last
        batch = Batch()
    }

    private func tell(_ told: [LineReceipt]) {
        receipts.tell(
            told.map {
                LineReceipt(line: batch.lines[$0.line - 1], outcome: $0.outcome, partition: $0.partition)
            })
    }

    /// - Parameter left: which lines of the batch were surely not taken.
    private func unheard(_ left: [Int], _ doubtful: [Int]) -> [String] {
        let (left, doubtful) = (left.map { batch.lines[$0 - 1] }, doubtful.map { batch.lines[$0 - 1] })
        var sentences: [String] = []
        if !left.isEmpty { sentences.append("\(listed(left)) \(left.count == 1 ? "was" : "were") not taken") }
        if !doubtful.isEmpty {
            sentences.append(
                "of \(listed(doubtful)) it is not known whether \(doubtful.count == 1 ? "it was" : "they were") taken; send \(doubtful.count == 1 ? "it" : "them") again: a fact that has an id is taken once"
            )
        }
        // All that is read is sent before more is read.
        if let last = batch.lines.last { sentences.append("nothing behind line \(last) was sent") }
        return sentences
    }

    /// As in "lines 3, 5 to 9 and 12 more".
    private func listed(_ lines: [Int]) -> String {
        var runs: [ClosedRange<Int>] = []
        for line in lines.sorted() {
            if let last = runs.last, last.upperBound == line - 1 {
                runs[runs.count - 1] = last.lowerBound...line
            } else {
                runs.append(line...line)
            }
        }
        var told = runs.prefix(Self.runsTold).map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
        }
        let more = runs.dropFirst(Self.runsTold).reduce(0) { $0 + $1.count }
        if more > 0 { told.append("\(more) more") }
        let list =
            told.count > 1 ? told.dropLast().joined(separator: ", ") + " and " + (told.last ?? "") : told.joined()
        return "\(lines.count == 1 ? "line" : "lines") \(list)"
    }

    private static let runsTold = 12

    private var doubt: String {
        let what =
            lastTold == 0
            ? "Of no line is it known what became of it" : "Of what comes after line \(lastTold) nothing is known"
        return what + ". Send it again; a fact that has an id is taken once"
    }
}
