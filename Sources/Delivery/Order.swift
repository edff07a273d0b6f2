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

    /// `nil` for an event that orders nothing.
    public init?(_ event: Event) {
        guard case .jobEmitted(let job) = event.payload else { return nil }
        seq = event.seq
        at = event.at
        user = event.user
        self.job = job
        var buffer = ByteBuffer(capacity: 1024)
        event.writeJSON(into: &buffer)
        line = Array(buffer.bytes)
    }

    /// The job's id, which is its idempotency key at every provider.
    public var id: String { job.job.text }

    /// After this instant it is never sent (`too_late`).
    public var notAfter: Instant? { job.notAfter }
}
