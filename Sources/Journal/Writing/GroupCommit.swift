package import CivilTime
internal import Dispatch
internal import Queueing
internal import Synchronization

/// Takes appends from many callers at once and makes them durable together.
///
/// Two serial queues: one owns the journal and builds commits, one writes. While a batch is being synced, what comes
/// in collects, and becomes one commit at one instant when the sync is done. Every caller is answered only when its own
/// commit is durable. The queue is bounded: beyond `bytesMax` a caller is told to come again.
///
/// Safe to share: the journal and the waiting list are touched on `owner` alone, the inbox under its lock.
package final class GroupCommit: @unchecked Sendable {
    package typealias Reply = @Sendable (Result<[Appended], JournalError>) -> Void

    /// Whether a submission was taken. Only one that was gets a reply.
    package enum Intake: Sendable {
        case taken
        /// Too much is waiting: try again later, or wait with `waitForRoom`.
        case busy
        case closed
    }

    private struct Submission {
        var entries: [Entry]
        var bytes: Int
        var reply: Reply
    }

    private struct Inbox {
        var submissions = WaitingLine<Submission>()
        var entries = 0
        /// The bytes of what was taken in and is not yet answered.
        var unanswered = 0
        var isScheduled = false
        var isClosed = false
        /// Callers to wake when something has been answered.
        var waitingForRoom: [DispatchSemaphore] = []
    }

    private struct Waiting {
        var durableAt: UInt64
        var bytes: Int
        var outcomes: [Appended]
        var reply: Reply
    }

    /// With a sync under way, this many entries are worth building a commit of without waiting for it to end.
    private static let eagerEntries = 512
    /// Where a commit ends although more has come in; far below what a frame may hold.
    private static let commitBytes = 128 << 10

    private let owner = DispatchQueue(label: "belfry.journal")
    private let writing = DispatchQueue(label: "belfry.journal.disk")
    private let journal: Journal
    private let clock: @Sendable () -> Instant
    private let bytesMax: Int
    private let inbox = Mutex(Inbox())
    private var waiting = WaitingLine<Waiting>()
    private var isWriting = false
    private var whenIdle: [@Sendable () -> Void] = []

    /// - Parameter journal: given up by the caller; only the group commit uses it from here on.
    package init(_ journal: sending Journal, bytesMax: Int = 64 << 20, clock: @escaping @Sendable () -> Instant) {
        self.journal = journal
        self.bytesMax = bytesMax
        self.clock = clock
    }

    /// Appends as one, and answers on the journal's queue when it is durable. Answers come in the order of the calls.
    ///
    /// - Parameter bytes: about how large the entries are; what the bound of the queue counts.
    package func submit(_ entries: [Entry], bytes: Int, reply: @escaping Reply) -> Intake {
        let outcome = inbox.withLock { inbox -> (intake: Intake, mustSchedule: Bool) in
            guard !inbox.isClosed else { return (.closed, false) }
            guard inbox.unanswered + bytes <= bytesMax || inbox.unanswered == 0 else { return (.busy, false) }
            inbox.submissions.append(Submission(entries: entries, bytes: bytes, reply: reply))
            inbox.entries += entries.count
            inbox.unanswered += bytes
            defer { inbox.isScheduled = true }
            return (.taken, !inbox.isScheduled)
        }
        if outcome.mustSchedule { owner.async { self.collect() } }
        return outcome.intake
    }

    /// Appends and waits until it is durable. A full queue is waited for.
    package func append(_ entries: [Entry], bytes: Int) throws(JournalError) -> [Appended] {
        let done = DispatchSemaphore(value: 0)
        let answer = Mutex<Result<[Appended], JournalError>?>(nil)
        let reply: Reply = { result in
            answer.withLock { $0 = result }
            done.signal()
        }
        var intake = submit(entries, bytes: bytes, reply: reply)
        while intake == .busy {
            waitForRoom()
            intake = submit(entries, bytes: bytes, reply: reply)
        }
        guard intake == .taken else { throw .closed }
        done.wait()
        guard let result = answer.withLock({ $0 }) else { preconditionFailure("answered without an answer") }
        return try result.get()
    }

    /// Returns when something that was taken has been answered since, or nothing is waiting at all.
    package func waitForRoom() {
        let room = DispatchSemaphore(value: 0)
        let mustWait = inbox.withLock { inbox in
            if inbox.unanswered > 0 { inbox.waitingForRoom.append(room) }
            return inbox.unanswered > 0
        }
        if mustWait { room.wait() }
    }

    package func waitUntilIdle() {
        let done = DispatchSemaphore(value: 0)
        owner.async {
            self.whenIdle.append { done.signal() }
            self.goOn()
        }
        done.wait()
    }

    /// Takes nothing more, makes all durable that was taken, and closes the log.
    package func close() throws(JournalError) {
        inbox.withLock { $0.isClosed = true }
        waitUntilIdle()
        let result = owner.sync { () -> Result<Void, JournalError> in
            do throws(JournalError) { return .success(try journal.close()) } catch { return .failure(error) }
        }
        try result.get()
    }

    // MARK: On the owner's queue

    private func collect() {
        dispatchPrecondition(condition: .onQueue(owner))
        inbox.withLock { $0.isScheduled = false }
        goOn()
    }

    private func goOn() {
        while let submissions = dueSubmissions() { buildCommit(submissions) }
        startWriting()
        if !isWriting, let failure = journal.failure { abandonWaiting(failure) }
        if !isWriting, waiting.isEmpty, inbox.withLock({ $0.submissions.isEmpty }) {
            let callbacks = whenIdle
            whenIdle = []
            for callback in callbacks { callback() }
        }
    }

    /// What the next commit is made of, or `nil` when it is better to let more come in.
    private func dueSubmissions() -> [Submission]? {
        inbox.withLock { inbox in
            guard !inbox.submissions.isEmpty, !isWriting || inbox.entries >= Self.eagerEntries else { return nil }
            var bytes = 0
            var due: [Submission] = []
            while let next = inbox.submissions.first, bytes == 0 || bytes + next.bytes <= Self.commitBytes {
                _ = inbox.submissions.popFirst()
                bytes += next.bytes
                inbox.entries -= next.entries.count
                due.append(next)
            }
            return due
        }
    }

    /// One commit at one instant.
    private func buildCommit(_ submissions: [Submission]) {
        do throws(JournalError) {
            var outcomes = try journal.append(submissions.flatMap(\.entries), at: clock())[...]
            for submission in submissions {
                waiting.append(
                    Waiting(
                        durableAt: journal.head.position, bytes: submission.bytes,
                        outcomes: Array(outcomes.prefix(submission.entries.count)), reply: submission.reply))
                outcomes = outcomes.dropFirst(submission.entries.count)
            }
            // Duplicates alone make no commit and may have nothing to wait for.
            answerDurable()
        } catch {
            for submission in submissions { answer(submission.bytes, submission.reply, .failure(error)) }
        }
    }

    private func startWriting() {
        guard !isWriting, let batch = journal.takeBatch() else { return }
        isWriting = true
        let writer = journal.writer
        writing.async {
            let result: Result<Void, DiskError>
            do throws(DiskError) { result = .success(try writer.write(batch)) } catch { result = .failure(error) }
            self.owner.async { self.finished(batch, result) }
        }
    }

    private func finished(_ batch: Batch, _ result: Result<Void, DiskError>) {
        isWriting = false
        journal.finished(batch, result)
        answerDurable()
        goOn()
    }

    private func answerDurable() {
        let durable = journal.durableHead.position
        while let next = waiting.first, next.durableAt <= durable {
            _ = waiting.popFirst()
            answer(next.bytes, next.reply, .success(next.outcomes))
        }
    }

    /// Nothing more will be written, so what has not become durable never will.
    private func abandonWaiting(_ failure: JournalError) {
        while let next = waiting.popFirst() { answer(next.bytes, next.reply, .failure(failure)) }
    }

    private func answer(_ bytes: Int, _ reply: Reply, _ result: Result<[Appended], JournalError>) {
        let waiters = inbox.withLock { inbox in
            inbox.unanswered -= bytes
            defer { inbox.waitingForRoom = [] }
            return inbox.waitingForRoom
        }
        reply(result)
        for waiter in waiters { waiter.signal() }
    }
}
