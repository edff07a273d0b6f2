public import CivilTime

public struct Health: Sendable, Equatable {
    /// How a sink or sender stands.
    public struct Carrier: Sendable, Equatable {
        public var name: String
        public var waiting: Int
        /// Whether it is tried with one job at a time.
        public var isBroken: Bool
        public var problem: String?

        public init(name: String, waiting: Int, isBroken: Bool, problem: String?) {
            (self.name, self.waiting, self.isBroken, self.problem) = (name, waiting, isBroken, problem)
        }
    }

    public var version: String
    public var lastSeq: UInt64
    /// Recorded time: that of the last event; `nil` while it is not known.
    public var recordedAt: Instant?
    public var people: Int
    /// Jobs that are emitted and not yet delivered.
    public var waitingJobs: Int
    public var uptimeSeconds: Int
    /// The sinks and senders.
    public var carriers: [Carrier] = []
    /// Why the worker is not ready; `nil` when it is.
    public var whyNotReady: String?

    public init(
        version: String, lastSeq: UInt64, recordedAt: Instant?, people: Int, waitingJobs: Int, uptimeSeconds: Int,
        whyNotReady: String?
    ) {
        self.version = version
        self.lastSeq = lastSeq
        self.recordedAt = recordedAt
        self.people = people
        self.waitingJobs = waitingJobs
        self.uptimeSeconds = uptimeSeconds
        self.whyNotReady = whyNotReady
    }
}
