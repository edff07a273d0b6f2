import Journal
import Notices
import Worker

/// The jobs that a "run now" has led to, as the log prints them.
struct RunJobs {
    private(set) var lines: [[UInt8]] = []

    /// - Parameter users: whose jobs are meant; empty for everybody's.
    init(
        _ receipt: RunReceipt, of users: [String], in directory: String, on disk: any Disk
    ) throws(JournalError) {
        guard receipt.jobs > 0 else { return }
        let log = try LogReader(directory, on: disk)
        let start = log.head(before: receipt.firstSeq)
        let wanted = Set(users)
        let scanner = log.scanner(from: start, checksHashes: false)
        while let frame = try scanner.next() {
            var body = CommitBody(frame)
            var events = 0
            do {
                while let item = try body.next() {
                    guard case .event(let raw) = item else { continue }
                    events += 1
                    guard raw.seq >= receipt.firstSeq, raw.seq <= receipt.lastSeq else { continue }
                    guard case .jobEmitted(let job)? = try raw.decoded() else { continue }
                    // A job's id begins with its person (SPEC §12).
                    let user = String(job.job.text.prefix { $0 != "/" })
                    guard wanted.isEmpty || wanted.contains(user) else { continue }
                    lines.append(
                        Self.line(Event(seq: raw.seq, at: raw.at, user: user, payload: .jobEmitted(job))))
                }
            } catch {
                throw scanner.damage("\(error)")
            }
            try scanner.took(events: events)
            if scanner.head.lastSeq >= receipt.lastSeq { return }
        }
    }

    private static func line(_ event: Event) -> [UInt8] {
        var line = ByteBuffer()
        event.writeJSON(into: &line)
        return Array(line.bytes)
    }
}
