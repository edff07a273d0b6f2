internal import Journal
internal import Synchronization

/// A log that is read by places, beside whoever writes it. It is listed again only when what is asked for has been written since, and
/// then no segment is opened that was whole before: a log of years costs what one of a day does.
final class LogAtHand: Sendable {
    private let directory: String
    private let disk: any Disk
    private let known = Mutex<LogReader?>(nil)

    init(_ directory: String, on disk: any Disk) { (self.directory, self.disk) = (directory, disk) }

    /// - Parameter work: reads what is durable; again where it did not find that.
    func read<Result>(_ work: (LogReader) throws(JournalError) -> Result) throws(JournalError) -> Result {
        let before = known.withLock { $0 }
        if let before, let result = try? work(before) { return result }
        let fresh = if let grown = try? before?.grown() { grown } else { try LogReader(directory, on: disk) }
        known.withLock { $0 = fresh }
        return try work(fresh)
    }
}
