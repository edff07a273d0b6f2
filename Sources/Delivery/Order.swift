public import CivilTime
public import Notices

/// One delivery order, as the log holds it (SPEC §11): what every sink is given.
public struct Order: Sendable, Equatable {
    public let seq: UInt64
    public let at: Instant
    public let user: String?
    public let job: JobEmitted
    /// The JSON that `log` prints for this event, without a line end: the same bytes whenever the job is handed out.
    public let line: [UInt8]

    /// Of its commit in the log.
    public let position: UInt64

    /// `nil` for an event that orders nothing.
    public init?(_ event: Event, at position: UInt64 = 0) {
        guard case .jobEmitted(let job) = event.payload else { return nil }
        seq = event.seq
        at = event.at
        self.position = position
        user = event.user
        self.job = job
        var buffer = ByteBuffer(capacity: 1024)
        event.writeJSON(into: &buffer)
        line = Array(buffer.bytes)
    }

    public var place: JobPlace { JobPlace(position: position, seq: seq) }

    /// The same order for some of its channels alone; the others are somebody else's.
    func limited(to channels: [Channel]) -> Order {
        guard channels != job.channels else { return self }
        var job = job
        job.channels = channels
        return Order(Event(seq: seq, at: at, user: user, payload: .jobEmitted(job)), at: position) ?? self
    }

    /// The job's id, which is its idempotency key at every provider.
    public var id: String { job.job.text }

    /// After this instant it is never sent (`too_late`).
    public var notAfter: Instant? { job.notAfter }
}
