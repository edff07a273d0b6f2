public import CivilTime
public import Notices

/// What the API asks of the worker. The composition fills it in; nothing here knows how it is done.
///
/// Replies may come later and from any thread, each exactly once. Nothing may be waited for before returning.
public struct Service: Sendable {
    /// What is wrong with a zone's name; `nil` for one that the tz database has (`G6`).
    public var zoneProblem: @Sendable (String) -> String?
    /// Records facts, and answers when they are durable (`G3`), one answer a fact and in their order. The answer is put
    /// into words where the reply is called: not on a queue that must not wait.
    public var append: @Sendable (AppendOrder, @escaping @Sendable (AppendAnswer) -> Void) -> Void
    public var runNow: @Sendable (RunNowRequest, @escaping @Sendable (RunAnswer) -> Void) -> Void
    /// A question may take long, so whoever works on the answer asks now and then whether the asker still waits for it.
    /// Who has gone need not be replied to.
    public var ask: @Sendable (Question, Asker, @escaping @Sendable (Answer) -> Void) -> Void
    /// Asked on the server's own thread and answered even when everything is busy: it must not wait for the worker.
    public var health: @Sendable () -> Health

    public init(
        zoneProblem: @escaping @Sendable (String) -> String?,
        append: @escaping @Sendable (AppendOrder, @escaping @Sendable (AppendAnswer) -> Void) -> Void,
        runNow: @escaping @Sendable (RunNowRequest, @escaping @Sendable (RunAnswer) -> Void) -> Void,
        ask: @escaping @Sendable (Question, Asker, @escaping @Sendable (Answer) -> Void) -> Void,
        health: @escaping @Sendable () -> Health
    ) {
        self.zoneProblem = zoneProblem
        self.append = append
        self.runNow = runNow
        self.ask = ask
        self.health = health
    }
}

/// Why the worker did not do what it was asked.
public enum Inability: Error, Sendable, Equatable {
    /// Its queue is full: try again.
    case busy
    /// As many questions wait as may: try again.
    case manyQuestions
    /// Nobody waits for the answer any more.
    case abandoned
    /// It has not yet read its log: try again.
    case replaying
    case stopping
    /// It can do nothing any more, or not this (`G4`).
    case failed(String)
}

// MARK: Appending

public struct AppendOrder: Sendable {
    /// At least one.
    public var facts: [Fact]
    /// About what they take to keep, for queues that are bounded.
    public var bytes: Int
    /// When one is refused, none is recorded.
    public var isAllOrNothing: Bool
}

public enum FactAnswer: Sendable, Equatable {
    case recorded(seq: UInt64, warnings: [String])
    case duplicate(of: UInt64)
    case refused(String)
    /// Nothing is wrong with it; another was refused, and it was all or nothing.
    case withheld
}

public typealias AppendAnswer = Result<[FactAnswer], Inability>

// MARK: Running now

public struct RunNowRequest: Sendable, Equatable {
    /// Empty for everyone.
    public var users: [String]
    public var kind: String?
    public var force: Bool
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

    public init(jobs: [[UInt8]], jobCount: Int, firstSeq: UInt64, lastSeq: UInt64) {
        self.jobs = jobs
        self.jobCount = jobCount
        self.firstSeq = firstSeq
        self.lastSeq = lastSeq
    }
}

// MARK: Asking about one person

public struct Question: Sendable, Equatable {
    public enum Subject: Sendable, Equatable {
        case state(at: Moment)
        case explain(kind: String?, notice: String?, at: Moment)
        case history(status: HistoryStatus?, days: Int?)
        /// What a change of preferences would do.
        case preview(PreviewedChange)
    }

    /// As of which place in the log, included.
    public enum Moment: Sendable, Equatable {
        case end
        case seq(UInt64)
        case instant(Instant)
    }

    public var subject: Subject
    public var user: String
    /// The readable form rather than JSON.
    public var wantsText: Bool
}

/// How a notice or job in a person's history ended up (SPEC §11).
public enum HistoryStatus: String, Sendable, CaseIterable {
    case delivered, failed, queued, blocked
}

public enum Answer: Sendable {
    /// Rendered as the question wanted it.
    case found([UInt8])
    /// The log holds nothing about this person or notice.
    case unknown(String)
    case refused(String)
    case unable(Inability)
}

// MARK: Health

public struct Health: Sendable, Equatable {
    public var version: String
    public var lastSeq: UInt64
    /// Recorded time: that of the last event; `nil` while it is not known.
    public var recordedAt: Instant?
    public var people: Int
    /// Jobs that are emitted and not yet delivered.
    public var waitingJobs: Int
    public var uptimeSeconds: Int
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
