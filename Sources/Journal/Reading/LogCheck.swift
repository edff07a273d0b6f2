internal import Notices

/// Reads a log from its first byte in small pieces, beside its writer, and checks what may rot on a
/// disk: every checksum, the chain of hashes, places and numbers.
///
/// A worker starts from a snapshot and the short tail after it, and would never see damage before that. The check ends
/// at the position that was durable when it began, and must arrive at the hash that the worker has there.
/// It keeps no people in memory: whether events can be decoded and point to the right commits, `LogVerifier` checks.
public final class LogCheck {
    public enum Step: Sendable, Equatable {
        case more
        case done
    }

    private let scanner: LogScanner
    private let end: LogHead
    private var peopleMet = 0
    public private(set) var commits = 0

    /// - Parameter end: where the log is known to be durable.
    public init(_ directory: String, on disk: any Disk, through end: LogHead) throws(JournalError) {
        let log = try LogReader(directory, on: disk)
        scanner = log.scanner(checksHashes: true)
        self.end = end
    }

    /// Up to where it was found whole.
    public var position: UInt64 { scanner.head.position }
    public var total: UInt64 { end.position }

    /// Checks commits until about so many bytes are done, or the end is reached.
    public func step(bytes: Int) throws(JournalError) -> Step {
        let start = scanner.head.position
        while scanner.head.position < end.position {
            guard let frame = try scanner.next() else { throw scanner.damage(ending) }
            if let before = scanner.takePeopleBefore(), before != peopleMet {
                throw scanner.damage("the segment says that \(before) people were known before it")
            }
            peopleMet += try scanner.walk(frame).people
            commits += 1
            if scanner.head.position - start >= UInt64(bytes) { break }
        }
        guard scanner.head.position >= end.position else { return .more }
        guard scanner.head.position == end.position, scanner.head.hash == end.hash, scanner.head.lastSeq == end.lastSeq
        else { throw scanner.damage("the chain comes to another hash than the worker's at position \(end.position)") }
        return .done
    }

    private var ending: String {
        "the log can be read up to position \(scanner.head.position) only, and had been acknowledged up to position \(end.position) (event \(end.lastSeq))"
    }
}

extension LogScanner {
    /// Takes a commit without decoding its events: how many it has, and how many people it introduces.
    func walk(_ frame: Frame) throws(JournalError) -> (events: Int, people: Int) {
        var body = CommitBody(frame)
        var (events, people) = (0, 0)
        do throws(WireError) {
            while let item = try body.next() {
                switch item {
                case .newPerson: people += 1
                case .event: events += 1
                }
            }
        } catch {
            throw damage("\(error)")
        }
        try took(events: events)
        return (events, people)
    }
}
