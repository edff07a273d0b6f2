import Journal
import Notices

/// The jobs that a "run now" has led to, read out of the log between two numbers, what became of the notices that it did not
/// send, and whom retention erased. However many there are, one commit of them is in memory at a time.
struct RunJobs {
    /// The numbers of the events it led to.
    let firstSeq: UInt64
    let lastSeq: UInt64
    /// Whose jobs are meant; empty for everybody's.
    let users: [String]
    let directory: String
    let disk: any Disk

    /// What the run has decided.
    enum Found {
        case job(Event)
        case unsent(Event)

        var event: Event {
            switch self {
            case .job(let event), .unsent(let event): event
            }
        }
    }

    func forEach(_ take: (Found) -> Void) throws(JournalError) {
        guard firstSeq <= lastSeq else { return }
        var asked = Set<UInt32?>()
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
                    guard let told = try log.event(raw) else { continue }
                    let payload = told.payload
                    if case .runRequested = payload { asked.insert(raw.person) }
                    // Slots name nobody: theirs are meant for whom the run was recorded. Whoever is erased is told of whoever was
                    // asked about: it cannot be taken back.
                    let isWanted =
                        wanted.isEmpty || payload.endsRetention
                        || payload.decidedAbout.map { wanted.contains($0.user) } ?? asked.contains(raw.person)
                    guard isWanted else { continue }
                    let event = Event(seq: raw.seq, at: raw.at, user: told.user, payload: payload)
                    if case .jobEmitted = payload { take(.job(event)) } else { take(.unsent(event)) }
                }
            } catch {
                throw scanner.damage("\(error)")
            }
            try scanner.took(events: events)
            if scanner.head.lastSeq >= lastSeq { return }
        }
    }
}

extension Payload {
    /// The notice or job that was decided about.
    fileprivate var decidedAbout: NoticeName? {
        switch self {
        case .jobEmitted(let job): job.job
        case .noticeHeld(let held): held.notice
        case .noticeGathered(let gathered): gathered.notice
        case .noticeDropped(let dropped): dropped.notice
        default: nil
        }
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
