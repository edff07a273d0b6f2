import CivilTime
import Console
import Foundation
import Journal
import Synchronization
import Worker

/// Follows the durable log behind the worker and keeps its figures, on a thread of its own that gives way to everybody: the
/// worker's turns pay nothing for them.
///
/// Safe to share: the figures are behind a lock, everything else is the thread's own.
final class NumbersKeeper: @unchecked Sendable {
    private let directory: String
    private let disk: any Disk
    private let beginning: Beginning
    private let durable: @Sendable () -> LogHead
    private let log: RunLog
    private let condition = NSCondition()
    // Under the condition's lock.
    /// `nil` while a piece is being read into them.
    private var numbers: Numbers?
    private var counted: UInt64 = 0
    private var noticesWaiting: WaitingNotices?
    /// Why the log cannot be counted at present.
    private var problem: JournalError?
    /// How many wait for the figures: between two pieces they go first.
    private var waiting = 0
    private var isStopped = false
    // The thread's own.
    private var keptAt: UInt64 = 0

    /// As much is read in one go as keeps nobody waiting who wants figures.
    private static let piece = Duration.milliseconds(10)
    /// So much of the log is quickly read again.
    private static let keptEvery: UInt64 = 64 << 20
    private static let pause = 1.0
    private static let pauseAfterProblem = 60.0

    init(
        _ directory: String, on disk: any Disk, _ beginning: Beginning, _ log: RunLog,
        durable: @escaping @Sendable () -> LogHead
    ) {
        (self.directory, self.disk, self.beginning) = (directory, disk, beginning)
        (self.log, self.durable) = (log, durable)
    }

    func start() {
        Thread.detachNewThread { [self] in
            #if os(Linux)
                // Of this thread alone.
                setpriority(__priority_which_t(0), 0, 10)
            #endif
            while goOn() {}
        }
    }

    func stop() {
        condition.withLock {
            isStopped = true
            condition.broadcast()
        }
    }

    // MARK: Asking

    /// Why there are no figures.
    enum Shortfall: Error {
        case stopping
        case failed(String)
        /// How far the log has been counted, from 0 to 1.
        case counting(Double)
    }

    /// The figures of everything that was durable when they were asked for. Only for threads that can wait.
    func figures(within seconds: Double = 5) throws(Shortfall) -> Figures {
        let wanted = durable().position
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        waiting += 1
        defer {
            waiting -= 1
            condition.broadcast()
            condition.unlock()
        }
        condition.broadcast()
        while !isStopped, (numbers?.head.position ?? 0) < wanted {
            if let problem { throw .failed("the figures cannot be counted: \(problem)") }
            guard condition.wait(until: deadline) else {
                throw .counting(Double(counted) / Double(max(1, wanted)))
            }
        }
        if isStopped { throw .stopping }
        return numbers?.counted ?? Figures()
    }

    /// The notices that wait, as of what was counted last; `nil` until the log has been counted. Asked without waiting.
    var waitingNotices: WaitingNotices? { condition.withLock { noticesWaiting } }

    // MARK: The thread

    /// Reads a piece, or waits for more. `false` when it is over.
    private func goOn() -> Bool {
        let limit = durable().position
        do throws(JournalError) {
            if try readPiece(through: limit) { return !condition.withLock { isStopped } }
            if limit == 0 { condition.withLock { noticesWaiting = WaitingNotices() } }
            return wait()
        } catch {
            log.error("the figures could not be counted; tried again in a minute: \(error)")
            return wait(after: error)
        }
    }

    /// Whether anything was read.
    private func readPiece(through limit: UInt64) throws(JournalError) -> Bool {
        let head = condition.withLock { numbers?.head.position ?? 0 }
        guard head < limit else { return false }
        let reader = try LogReader(directory, on: disk)
        guard let identity = reader.identity else { return false }
        if condition.withLock({ numbers == nil }) {
            let kept = try Numbers(keptBeside: reader, beginning)
            keptAt = kept?.head.position ?? 0
            condition.withLock { numbers = kept ?? Numbers(of: identity, beginning) }
        }
        var isDone = false
        while !isDone, !condition.withLock({ isStopped }) { isDone = try fold(reader, through: limit) }
        keepIfLong()
        return true
    }

    private func fold(_ reader: LogReader, through limit: UInt64) throws(JournalError) -> Bool {
        condition.lock()
        var own = numbers
        numbers = nil
        condition.unlock()
        let start = ContinuousClock.now
        let result: Result<Bool, JournalError>
        do throws(JournalError) {
            result = .success(
                try own?.read(reader, through: limit, until: { ContinuousClock.now - start > Self.piece }) ?? true)
        } catch { result = .failure(error) }
        condition.withLock {
            numbers = own
            counted = own?.head.position ?? 0
            if case .success(let isDone) = result {
                problem = nil
                if isDone { noticesWaiting = own?.waiting }
            }
            condition.broadcast()
        }
        return try result.get()
    }

    /// Keeps them when much was read since: the next start goes on from there.
    private func keepIfLong() {
        guard let numbers = condition.withLock({ numbers }), numbers.head.position >= keptAt + Self.keptEvery else {
            return
        }
        do throws(JournalError) {
            // While somebody takes snapshots none are kept: then with the next piece.
            let size = try numbers.keep(in: directory, on: disk, beginning, draftSuffix: ".worker")
            if size > 0 { keptAt = numbers.head.position }
        } catch {
            keptAt = numbers.head.position
            log.warning("the figures could not be kept: \(error)")
        }
    }

    /// Until somebody wants figures, or for a while. `false` when it is over.
    private func wait() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if !isStopped, waiting == 0 { _ = condition.wait(until: Date(timeIntervalSinceNow: Self.pause)) }
        return !isStopped
    }

    /// However many want figures meanwhile: they are told why there are none. `false` when it is over.
    private func wait(after error: JournalError) -> Bool {
        let deadline = Date(timeIntervalSinceNow: Self.pauseAfterProblem)
        condition.lock()
        defer { condition.unlock() }
        problem = error
        condition.broadcast()
        while !isStopped, condition.wait(until: deadline) {}
        return !isStopped
    }
}
