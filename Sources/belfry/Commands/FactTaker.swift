import Journal
import Notices

/// Whoever facts are given to: a running worker, or the log itself where none runs.
protocol FactTaker {
    /// Gives facts, one a line, each with its line end, and says what became of every line that is not blank.
    ///
    /// They are durable when this returns (`G3`).
    func append(_ lines: [UInt8], allOrNothing: Bool) throws(Untaken) -> [LineReceipt]

    /// The same of facts that a command tells by itself: where all of them are refused, nothing is decided because of them.
    func appendOwn(_ lines: [UInt8]) throws(Untaken) -> [LineReceipt]

    /// How much is given at once.
    var batchLines: Int { get }
    /// How much is taken at once where it is all or nothing.
    var allOrNothingLines: Int { get }
    var allOrNothingBytes: Int { get }
}

extension FactTaker {
    /// A running worker decides about whoever is due with or without them.
    func appendOwn(_ lines: [UInt8]) throws(Untaken) -> [LineReceipt] { try append(lines, allOrNothing: false) }
}

/// Why nothing is known for certain of what was to be done.
enum Untaken: Error {
    /// It did not come to it.
    case notTaken(String)
    /// It may have been done all the same.
    case inDoubt(String)
    /// Some lines went in; the doubtful ones may have, and all others did not.
    case partly([LineReceipt], doubtful: [Int], String)
    /// The log takes no more.
    case journal(JournalError)
}

/// What became of one line of facts.
struct LineReceipt: Equatable {
    /// From 1, in what was sent.
    let line: Int
    let outcome: FactReceipt
    /// Whose numbers it tells, where there are several logs; −1 for that of everyone.
    var partition: Int?
}
