public import CivilTime
public import Notices

/// What is ordered of the worker: facts to record, people to decide about, jobs to send once more.
public struct OrderService: Sendable {
    /// What is wrong with a zone's name; `nil` for one that the tz database has (`G6`).
    public var zoneProblem: @Sendable (String) -> String?
    /// Records facts, and answers when they are durable (`G3`), one answer a fact and in their order. The answer is put
    /// into words where the reply is called: not on a queue that must not wait.
    public var append: @Sendable (AppendOrder, @escaping @Sendable (AppendAnswer) -> Void) -> Void
    /// Hears how many facts were refused before they came to anybody, by type.
    public var refused: @Sendable ([String: Int]) -> Void
    public var runNow: @Sendable (RunNowRequest, Asker, @escaping @Sendable (RunAnswer) -> Void) -> Void
    /// Has what failed sent once more (`N7`).
    public var retry: @Sendable (RetryRequest, Asker, @escaping @Sendable (RetryAnswer) -> Void) -> Void
    /// Has a sample sent to one person (`N8`).
    public var test: @Sendable (TestOrder, @escaping @Sendable (TestAnswer) -> Void) -> Void
    /// Whether an order has its facts as they were sent too, to be passed on as they are.
    public var keepsLines = false
    /// In which partition facts about somebody are, and, −1, those about everyone; `nil` where one log holds everybody. Numbers of
    /// events are a partition's own, so answers say whose they are.
    public var partition: @Sendable (_ user: String?) -> Int? = { _ in nil }

    /// Erases a person (`E1`). Answers when nothing of them can be read any more but in snapshots, which are being rewritten.
    public var erase: @Sendable (String, _ who: String, @escaping @Sendable (EraseAnswer) -> Void) -> Void

    public init(
        zoneProblem: @escaping @Sendable (String) -> String?,
        append: @escaping @Sendable (AppendOrder, @escaping @Sendable (AppendAnswer) -> Void) -> Void,
        refused: @escaping @Sendable ([String: Int]) -> Void,
        runNow: @escaping @Sendable (RunNowRequest, Asker, @escaping @Sendable (RunAnswer) -> Void) -> Void,
        retry: @escaping @Sendable (RetryRequest, Asker, @escaping @Sendable (RetryAnswer) -> Void) -> Void,
        test: @escaping @Sendable (TestOrder, @escaping @Sendable (TestAnswer) -> Void) -> Void,
        erase: @escaping @Sendable (String, _ who: String, @escaping @Sendable (EraseAnswer) -> Void) -> Void
    ) {
        self.zoneProblem = zoneProblem
        self.append = append
        self.refused = refused
        self.runNow = runNow
        self.retry = retry
        self.test = test
        self.erase = erase
    }
}

// MARK: Appending

public struct AppendOrder: Sendable {
    /// At least one.
    public var facts: [Fact]
    /// About what they take to keep, for queues that are bounded.
    public var bytes: Int
    /// When one is refused, none is recorded.
    public var isAllOrNothing: Bool
    /// Who tells them, for the worker's own log.
    public var who: String
    /// Each fact as a line of JSON, where that is wanted.
    public var lines: [[UInt8]] = []
    /// Whether another worker passed it on: it is not passed on once more.
    public var isPassedOn = false
}

/// What became of each fact, in their order; fails where nothing of it was taken, or nothing is known of any.
public typealias AppendAnswer = Result<[FactAnswer], Inability>
/// Facts of one request may lie in several logs, of which one does not answer.
public typealias FactAnswer = Result<FactReceipt, Inability>

// MARK: Running now

public struct RunNowRequest: Sendable, Equatable {
    /// Empty for everyone.
    public var users: [String]
    public var kind: String?
    public var force: Bool
    /// Whether it is only tried: nothing is recorded, nothing sent.
    public var isDry = false
    /// Whether another worker passed it on.
    public var isPassedOn = false
    /// Passed on for everyone: the partitions that are meant. One that has left meanwhile must not be left out in silence.
    public var partitions: [Int]?
}

public enum RunAnswer: Sendable {
    case done(RunReport)
    /// The order makes no sense here, such as a kind that the policy does not have.
    case refused(String)
    case unable(Inability)
}

/// What a "run now" has led to. A million jobs fit no answer: it lists some, and says where the log has them all.
public struct RunReport: Sendable {
    /// The first of them, as the log prints them.
    public var jobs: [[UInt8]]
    /// How many there are.
    public var jobCount: Int
    /// The numbers of all events that belong to it; where nothing was decided, the last is the one before the first.
    public var firstSeq: UInt64
    public var lastSeq: UInt64
    /// Whether it was only tried: nothing of it is in the log, and the numbers are none's.
    public var isDry = false
    /// The first decisions about notices that were not sent, as the log prints them, and how many there are.
    public var unsent: [[UInt8]] = []
    public var unsentCount = 0
    /// All of them by what was decided and why.
    public var withheld: [Withheld] = []
    /// The first erasures of people whom the policy keeps no longer, as the log prints them, and how many there are.
    public var erased: [[UInt8]] = []
    public var erasedCount = 0
    /// Of each partition that has events of it, where there are several; the numbers above are none's then.
    public var partitions: [Stretch] = []

    /// How many notices were not sent for one reason.
    public struct Withheld: Sendable, Equatable {
        /// What was decided, as the log calls it, such as `notice_held`.
        public var type: String
        public var reason: Reason
        /// Slots that were skipped are counted one by one.
        public var count: Int
        /// Of those that are held: when the first and the last of them are looked at again.
        public var until: ClosedRange<Instant>?

        public init(type: String, reason: Reason, count: Int, until: ClosedRange<Instant>? = nil) {
            (self.type, self.reason, self.count, self.until) = (type, reason, count, until)
        }
    }

    /// Some events of one partition.
    public struct Stretch: Sendable, Equatable {
        public var partition: Int
        public var firstSeq: UInt64
        public var lastSeq: UInt64

        public init(partition: Int, firstSeq: UInt64, lastSeq: UInt64) {
            (self.partition, self.firstSeq, self.lastSeq) = (partition, firstSeq, lastSeq)
        }
    }

    public init(jobs: [[UInt8]], jobCount: Int, firstSeq: UInt64, lastSeq: UInt64) {
        self.jobs = jobs
        self.jobCount = jobCount
        self.firstSeq = firstSeq
        self.lastSeq = lastSeq
    }
}

// MARK: Sending again, and samples

public struct RetryRequest: Sendable, Equatable {
    public var order: RetryOrder
    /// Whether another worker passed it on: it is about the people who are here.
    public var isPassedOn: Bool

    public init(_ order: RetryOrder, isPassedOn: Bool = false) { (self.order, self.isPassedOn) = (order, isPassedOn) }
}

/// What is to be sent once more.
public enum RetryOrder: Sendable, Equatable {
    case job(String)
    /// Everything of one person that failed.
    case user(String)
    /// Everything that failed since.
    case failedSince(Instant)
}

/// What became of the wish to send a job once more.
public struct RetriedJob: Sendable, Equatable {
    public enum Outcome: Sendable, Equatable {
        case asked(seq: UInt64)
        case refused(String)
    }

    public var job: String
    public var outcome: Outcome

    public init(job: String, outcome: Outcome) {
        self.job = job
        self.outcome = outcome
    }
}

/// What became of many such wishes: the first of them, and how many there are.
public struct RetryReport: Sendable, Equatable {
    public private(set) var jobs: [RetriedJob]
    public private(set) var retried: Int
    public private(set) var refused: Int

    /// - Parameter counts: how many there are, where that is more than are listed.
    public init(_ jobs: [RetriedJob], counts: (retried: Int, refused: Int) = (0, 0)) {
        self.jobs = jobs
        let asked = jobs.count { if case .asked = $0.outcome { true } else { false } }
        (retried, refused) = (max(asked, counts.retried), max(jobs.count - asked, counts.refused))
    }

    public var unlisted: Int { retried + refused - jobs.count }

    /// What another worker has done besides, listed as far as there is room.
    public mutating func add(_ other: RetryReport, listing countMax: Int) {
        jobs += other.jobs.prefix(max(0, countMax - jobs.count))
        retried += other.retried
        refused += other.refused
    }
}

public enum RetryAnswer: Sendable {
    case done(RetryReport)
    case unknown(String)
    case unable(Inability)
}

public struct TestOrder: Sendable, Equatable {
    public var user: String
    public var kind: String
    public var channel: Channel?
    /// What the fact is known by, where whoever asks may ask again.
    public var id: String?
    /// Asked for with the person's own token.
    public var isTheirOwn = false

    public init(user: String, kind: String, channel: Channel? = nil) {
        self.user = user
        self.kind = kind
        self.channel = channel
    }
}

public enum TestAnswer: Sendable {
    /// The fact's number and what followed it: a job, or a notice that was dropped, as the log prints them.
    ///
    /// - Parameter isNew: whether it was asked for only now, and not before with the same key.
    case done(seq: UInt64, decisions: [[UInt8]], isNew: Bool = true)
    case refused(String)
    /// They asked for too many.
    case tooMany(retryAfterSeconds: Int64)
    case unable(Inability)
}

// MARK: Erasing

/// What an erasure came to, for whoever has to answer for it.
public struct ErasureReport: Sendable, Equatable {
    /// The number of `person_erased`.
    public var seq: UInt64
    /// What was removed, and where.
    public var removed: [String]
    /// What lies where Belfry does not reach.
    public var elsewhere: [String]

    public init(seq: UInt64, removed: [String], elsewhere: [String]) {
        (self.seq, self.removed, self.elsewhere) = (seq, removed, elsewhere)
    }

    public var document: JSONValue {
        .object([
            .init("seq", .number("\(seq)")), .init("removed", .array(removed.map { .string($0) })),
            .init("elsewhere", .array(elsewhere.map { .string($0) })),
        ])
    }
}

public enum EraseAnswer: Sendable {
    case done(ErasureReport)
    case unknown(String)
    case refused(String)
    case unable(Inability)
}
