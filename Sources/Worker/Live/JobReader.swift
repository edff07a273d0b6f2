public import Journal
public import Notices
internal import Synchronization

/// Reads jobs back from the log by their places, beside whoever writes it.
///
/// Who a job is for stands in its id (SPEC §12), so that nobody need be known by number.
public final class JobReader: Sendable {
    private let directory: String
    private let disk: any Disk
    private let log = Mutex<LogReader?>(nil)

    public init(_ directory: String, on disk: any Disk) {
        self.directory = directory
        self.disk = disk
    }

    /// The jobs of the commit at a position, which is durable.
    public func jobs(at position: UInt64) throws(JournalError) -> [Event] {
        if let known = log.withLock({ $0 }), let jobs = try? Self.jobs(at: position, in: known) { return jobs }
        // The log has grown since it was listed.
        let fresh = try LogReader(directory, on: disk)
        log.withLock { $0 = fresh }
        return try Self.jobs(at: position, in: fresh)
    }

    private static func jobs(at position: UInt64, in log: LogReader) throws(JournalError) -> [Event] {
        try log.withCommit(at: position) { (frame) throws(JournalError) in
            var body = CommitBody(frame)
            var jobs: [Event] = []
            do {
                while let item = try body.next() {
                    guard case .event(let raw) = item, case .jobEmitted(let job)? = try raw.decoded() else { continue }
                    jobs.append(Event(seq: raw.seq, at: raw.at, user: job.job.user, payload: .jobEmitted(job)))
                }
            } catch {
                throw .damaged(Damage(log.directory, "position \(position): \(error)"))
            }
            return jobs
        }
    }
}
