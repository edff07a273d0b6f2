package import CivilTime
package import Notices

/// What the API asks of the worker. The composition fills it in; nothing here knows how it is done.
///
/// Replies may come later and from any thread, each exactly once. Nothing may be waited for before returning.
package struct Service: Sendable {
    /// What is wrong with a zone's name; `nil` for one that the tz database has (`G6`).
    package var zoneProblem: @Sendable (String) -> String?
    /// Records facts, and answers when they are durable (`G3`), one answer a fact and in their order. The answer is put
    /// into words where the reply is called: not on a queue that must not wait.
    package var append: @Sendable (AppendOrder, @escaping @Sendable (AppendAnswer) -> Void) -> Void
    package var runNow: @Sendable (RunNowRequest, @escaping @Sendable (RunAnswer) -> Void) -> Void
    package var ask: @Sendable (Question, @escaping @Sendable (Answer) -> Void) -> Void
    /// Asked on the server's own thread and answered even when everything is busy: it must not wait for the worker.
    package var health: @Sendable () -> Health

    package init(
        zoneProblem: @escaping @Sendable (String) -> String?,
        append: @escaping @Sendable (AppendOrder, @escaping @Sendable (AppendAnswer) -> Void) -> Void,
        runNow: @escaping @Sendable (RunNowRequest, @escaping @Sendable (RunAnswer) -> Void) -> Void,
        ask: @escaping @Sendable (Question, @escaping @Sendable (Answer) -> Void) -> Void,
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
package enum Inability: Error, Sendable, Equatable {
    /// Its queue is full: try again.
    case busy
    /// It has not yet read its log: try again.
    case replaying
    case stopping
    /// It can do nothing any more, or not this (`G4`).
    case failed(String)
}

// MARK: Appending

package struct AppendOrder: Sendable {
    /// At least one.
    package var facts: [Fact]
    /// About what they take to keep, for queues that are bounded.
    package var bytes: Int
    /// When one is refused, none is recorded.
    package var isAllOrNothing: Bool
}

package enum FactAnswer: Sendable, Equatable {
    case recorded(seq: UInt64, warnings: [String])
    case duplicate(of: UInt64)
    case refused(String)
    /// Nothing is wrong with it; another was refused, and it was all or nothing.
    case withheld
}

package typealias AppendAnswer = Result<[FactAnswer], Inability>

// MARK: Running now

package struct RunNowRequest: Sendable, Equatable {
    /// Empty for everyone.
    package var users: [String]
    package var kind: String?
    package var force: Bool
}

package enum RunAnswer: Sendable {
    case done(RunReport)
    /// The order makes no sense here, such as a kind that the policy does not have.
    case refused(String)
    case unable(Inability)
}

/// What a "run now" has led to. A million jobs fit no answer: it lists some, and says where the log has them all.
package struct RunReport: Sendable {
    /// The first of them, as the log prints them.
    package var jobs: [[UInt8]]
    /// How many there are.
    package var jobCount: Int
    /// The numbers of all events that belong to it; where nothing was decided, the last is the one before the first.
    package var firstSeq: UInt64
    package var lastSeq: UInt64

    package init(jobs: [[UInt8]], jobCount: Int, firstSeq: UInt64, lastSeq: UInt64) {
        self.jobs = jobs
        self.jobCount = jobCount
        self.firstSeq = firstSeq
        self.lastSeq = lastSeq
    }
}

// MARK: Asking about one person

package struct Question: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        case state(at: Moment)
        case explain(kind: String?, notice: String?, at: Moment)
        case history(status: HistoryStatus?, days: Int?)
    }

    /// As of which place in the log, included.
    package enum Moment: Sendable, Equatable {
        case end
        case seq(UInt64)
        case instant(Instant)
    }

    package var subject: Subject
    package var user: String
    /// The readable form rather than JSON.
    package var wantsText: Bool
}

/// How a notice or job in a person's history ended up (SPEC §11).
package enum HistoryStatus: String, Sendable, CaseIterable {
    case delivered, failed, queued, blocked
}

package enum Answer: Sendable {
    /// Rendered as the question wanted it.
    case found([UInt8])
    /// The log holds nothing about this person or notice.
    case unknown(String)
    case refused(String)
    case unable(Inability)
}

// MARK: Health

package struct Health: Sendable, Equatable {
    package var version: String
    package var lastSeq: UInt64
    /// Recorded time: that of the last event; `nil` while it is not known.
    package var recordedAt: Instant?
    package var people: Int
    /// Jobs that are emitted and not yet delivered.
    package var waitingJobs: Int
    package var uptimeSeconds: Int
    /// Why the worker is not ready; `nil` when it is.
    package var whyNotReady: String?

    package init(
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
