import Console
import Journal
import Notices

/// The jobs that a "run now" has led to, read out of the log between two numbers. However many there are, one commit of
/// them is in memory at a time.
struct RunJobs {
    /// The numbers of the events it led to.
    let firstSeq: UInt64
    let lastSeq: UInt64
    /// Whose jobs are meant; empty for everybody's.
    let users: [String]
    let directory: String
    let disk: any Disk

    /// What an answer lists; `API.md` promises no more.
    static let listedMax = 1000
    static let listedBytesMax = 4 << 20

    func forEach(_ take: (Event) -> Void) throws(JournalError) {
        guard firstSeq <= lastSeq else { return }
        let log = try LogReader(directory, on: disk)
        let wanted = Set(users)
        let scanner = log.scanner(from: log.head(before: firstSeq), checksHashes: false)
        while let frame = try scanner.next() {
            var body = CommitBody(frame)
            var events = 0
            do {
                while let item = try body.next() {
                    guard case .event(let raw) = item else { continue }
                    events += 1
                    guard raw.seq >= firstSeq, raw.seq <= lastSeq else { continue }
                    guard case .jobEmitted(let job)? = try raw.decoded() else { continue }
                    // A job's id begins with its person (SPEC §12).
                    let user = String(job.job.text.prefix { $0 != "/" })
                    guard wanted.isEmpty || wanted.contains(user) else { continue }
                    take(Event(seq: raw.seq, at: raw.at, user: user, payload: .jobEmitted(job)))
                }
            } catch {
                throw scanner.damage("\(error)")
            }
            try scanner.took(events: events)
            if scanner.head.lastSeq >= lastSeq { return }
        }
    }

    /// As many of them as an answer lists, and how many there are.
    func report() throws(JournalError) -> RunReport {
        var report = RunReport(jobs: [], jobCount: 0, firstSeq: firstSeq, lastSeq: lastSeq)
        var room = Self.listedBytesMax
        try forEach { event in
            // Nothing is listed behind the first that is left out.
            if report.jobs.count == report.jobCount, report.jobCount < Self.listedMax {
                let line = event.line
                room -= line.count
                if room >= 0 { report.jobs.append(line) }
            }
            report.jobCount += 1
        }
        return report
    }
}

extension Event {
    /// As the log prints it, without a line end.
    var line: [UInt8] {
        var line = ByteBuffer()
        writeJSON(into: &line)
        return Array(line.bytes)
    }
}
