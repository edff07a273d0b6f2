internal import CivilTime
public import Journal
internal import Notices

/// Finds the job that somebody asked to be sent once more (`N7`): by the asking's place, along the trail of its person.
///
/// All it reads is durable: a job is handed over when the asking for it is.
public struct RetriedJobs {
    private let directory: String
    private let disk: any Disk

    /// More commits about one person than anybody's week has are not gone through (`G11`): such a job is not sent again.
    private static let commitsMax = 10_000

    public init(_ directory: String, on disk: any Disk) {
        self.directory = directory
        self.disk = disk
    }

    /// The place of the job; `nil` where its person's last week does not hold it.
    public func job(ofRetryAt place: EventPlace) throws(JournalError) -> EventPlace? {
        let log = try LogReader(directory, on: disk)
        guard let asking = try asking(at: place, in: log) else { return nil }
        let trail = PersonTrail(
            log, user: asking.job.user, number: asking.person, lastCommit: place.position, generalCommits: [])
        var left = Self.commitsMax
        let positions = try trail.commits(from: asking.at.advanced(byMilliseconds: -Person.jobsRemembered)) {
            left -= 1
            return left >= 0
        }
        // Backwards: most are asked for soon after they failed.
        var later: [Event] = []
        for position in positions.reversed() {
            let events = try trail.events(at: position).filter { $0.seq < place.seq }
            later = events + later
            for event in events {
                guard case .jobEmitted(let job) = event.payload, job.job == asking.job else { continue }
                var outcomes = JobOutcomes(job)
                for word in later where word.seq > event.seq { outcomes.take(word.payload) }
                // None would mean all: what another channel has taken meanwhile is not sent once more.
                guard !outcomes.toSendAgain.isEmpty else { return nil }
                return EventPlace(position: position, seq: event.seq, channels: outcomes.toSendAgain)
            }
        }
        return nil
    }

    private func asking(at place: EventPlace, in log: LogReader) throws(JournalError) -> Asking? {
        try log.withCommit(at: place.position) { (frame) throws(JournalError) in
            var body = CommitBody(frame)
            do {
                while let item = try body.next() {
                    guard case .event(let raw) = item, raw.seq == place.seq, let person = raw.person,
                        raw.typeNumber == JobRetryRequested.type.number,
                        case .jobRetryRequested(let request)? = try log.event(raw)?.payload
                    else { continue }
                    return Asking(job: request.job, person: person, at: raw.at)
                }
            } catch {
                throw .damaged(Damage(log.directory, "position \(place.position): \(error)"))
            }
            return nil
        }
    }

    private struct Asking {
        var job: NoticeName
        var person: UInt32
        var at: Instant
    }
}
