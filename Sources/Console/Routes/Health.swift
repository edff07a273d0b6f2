public import CivilTime

public struct Health: Sendable, Equatable {
    /// How a sink or sender stands.
    public struct Carrier: Sendable, Equatable {
        public var name: String
        public var waiting: Int
        /// Whether it is tried with one job at a time.
        public var isBroken: Bool
        public var problem: String?
        /// Before this nothing is given to it; `nil` where it is given what comes.
        public var nextTryAt: Instant?

        public init(name: String, waiting: Int, isBroken: Bool, problem: String?, nextTryAt: Instant? = nil) {
            (self.name, self.waiting, self.isBroken, self.problem) = (name, waiting, isBroken, problem)
            self.nextTryAt = nextTryAt
        }
    }

    /// Something that is wrong and stays so until somebody, or time, mends it.
    public struct Trouble: Sendable, Equatable {
        public var what: String
        public var words: String

        public init(what: String, words: String) { (self.what, self.words) = (what, words) }
    }

    /// How the check of the log behind the worker stands.
    public struct LogCheck: Sendable, Equatable {
        /// How much of the log the check under way has read.
        public struct Progress: Sendable, Equatable {
            public var bytes: UInt64
            public var ofBytes: UInt64

            public init(bytes: UInt64, ofBytes: UInt64) { (self.bytes, self.ofBytes) = (bytes, ofBytes) }
        }

        public var underway: Progress?
        /// When the log was last found whole; `nil` where no check has come to its end since the start.
        public var wholeAt: Instant?

        public init(underway: Progress? = nil, wholeAt: Instant? = nil) {
            (self.underway, self.wholeAt) = (underway, wholeAt)
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
    public var logCheck = LogCheck()
    public var troubles: [Trouble] = []
    /// How many partitions people are dealt over; `nil` where one log holds everybody.
    public var partitions: Int?
    /// Why copies of a cluster's logs could not be used here when it was tried last, by partition; `nil` of a worker of no cluster.
    public var unusableCopies: [Int: String]?
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
