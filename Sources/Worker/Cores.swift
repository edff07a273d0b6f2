internal import Dispatch
public import Journal
public import Notices
internal import Synchronization

/// How many cores go over a log at once.
///
/// Each has a share of the people and reads the log by itself: the bytes are few beside what is done with them, and nothing
/// has to be handed over. What the shares come to is put together by whoever asked, in the order of the shares.
public struct Cores: Sendable {
    public let count: Int

    public init(_ count: Int) {
        precondition(count > 0, "no core")
        self.count = count
    }

    public static let one = Cores(1)

    /// What each share of a log's people comes to. The first of them checks the chain of hashes, once for all.
    /// - Parameter limit: commits that end behind this position are left out.
    public func read<Part: Sendable>(
        _ log: LogReader, through limit: UInt64 = .max,
        _ part: @Sendable (EventReader, Share) throws(JournalError) -> Part
    ) throws(JournalError) -> [Part] {
        let results = Mutex([Result<Part, Stop>?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { place in
            let share = Share(place, of: count)
            let events = EventReader(log, share: share, limit: limit, checksHashes: share.isFirst)
            let result: Result<Part, Stop>
            do throws(JournalError) { result = .success(try part(events, share)) } catch {
                result = .failure(Stop(position: events.head.position, error: error))
            }
            results.withLock { $0[place] = result }
        }
        var (parts, stops): ([Part], [Stop]) = ([], [])
        for result in results.withLock({ $0 }) {
            switch result {
            case .success(let part)?: parts.append(part)
            case .failure(let stop)?: stops.append(stop)
            case nil: preconditionFailure("a share was not read")
            }
        }
        // Where one core alone would have stopped.
        if let first = stops.min(by: { $0.position < $1.position }) { throw first.error }
        return parts
    }

    private struct Stop: Error {
        let position: UInt64
        let error: JournalError
    }
}
