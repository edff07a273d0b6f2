import Dispatch
import Foundation
import Synchronization

/// Has a snapshot taken when the log has grown, by a process beside the worker: the worker does not stop for it, and what
/// it takes of memory is given back.
///
/// Safe to share: everything is touched on `queue` alone.
final class SnapshotKeeper: @unchecked Sendable {
    struct Settings: Sendable {
        /// Bytes of log that are quickly read at a start.
        var growthBytes: UInt64 = 64 << 20
        var interval = DispatchTimeInterval.seconds(10)
        /// From the beginning of one that an erasure wants to that of the next: retention erases in many commits, one after the other. With
        /// as long as the largest take, what was erased is gone within a minute.
        var betweenErasures = Duration.seconds(30)
        /// After one that an erasure wants and that failed: as long at first, then twice as long each time, up to the longest. A disk that
        /// is full is not filled again and again.
        var afterFailure = Duration.seconds(10)
        var afterFailureMax = Duration.seconds(600)
        /// Where others may have to begin with it on short notice; `nil` for a log of one machine.
        var rest: Rest?
        /// This very program.
        var program = OwnProgram.url
        /// What names the master key.
        var keyOptions: [String] = []
        /// Told of each that was taken, and of each that could not be. Must not wait.
        var ended: @Sendable (SnapshotTally.Result) -> Void = { _ in }

        /// A log that grows slowly has one taken, too: of so many bytes, after so long.
        struct Rest: Sendable {
            var bytes: UInt64 = 4 << 20
            var age = Duration.seconds(600)
        }
    }

    /// What was erased and can still be read in what lies there.
    struct Pending: Sendable {
        var since: ContinuousClock.Instant
        /// Why the last try failed, if it did.
        var problem: String?
    }

    private let directory: String
    private let settings: Settings
    private let log: RunLog
    private let queue = DispatchQueue(label: "belfry.snapshots", qos: .utility)
    private let timer: any DispatchSourceTimer
    /// Where the log was when the last one was taken.
    private var position: UInt64
    private var takenAt = ContinuousClock.now
    private var taking: Process?
    private var isStopped = false
    /// Not even what an erasure has left to do is begun any more.
    private var isOver = false
    /// Signalled when nothing is being taken any more; somebody waits for it.
    private var ended: DispatchSemaphore?
    /// Whether what lies there must go: somebody was erased who is in it.
    private var mustRewrite = false
    private var isRewriting = false
    /// Before this none is begun that an erasure wants.
    private var rewritesAt = ContinuousClock.now
    private var failuresInARow = 0
    private var waitsToRewrite = false
    private let pending = Mutex<Pending?>(nil)
    /// Called when it is gone.
    private var rewritten: @Sendable () -> Void = {}

    init(_ directory: String, from position: UInt64, _ settings: Settings, _ log: RunLog) {
        self.settings = settings
        self.directory = directory
        self.position = position
        self.log = log
        timer = DispatchSource.makeTimerSource(queue: queue)
        // At once, though it is not armed: Dispatch traps when a source is given up that never was active, as it is when
        // the worker finds its port taken.
        timer.activate()
    }

    /// - Parameter durable: how far the log has come. Must not wait.
    func start(durable: @escaping @Sendable () -> UInt64) {
        timer.setEventHandler { [weak self] in self?.look(durable()) }
        timer.schedule(deadline: .now() + settings.interval, repeating: settings.interval)
    }

    /// - Parameter done: called each time that what had to go is gone.
    func whenRewritten(_ done: @escaping @Sendable () -> Void) { queue.async { self.rewritten = done } }

    /// Somebody was erased: a new one is taken, and again until it is there. At once, or for all who are erased in a while together.
    func rewrite() {
        queue.async {
            self.pending.withLock { $0 = $0 ?? Pending(since: .now) }
            self.mustRewrite = true
            self.look(self.position)
        }
    }

    /// Somebody who was erased and is still to be read there, where it is so; asked without waiting.
    var erasurePending: Pending? { pending.withLock { $0 } }

    /// One that is being taken is given up: that costs nothing. It hears the signal whatever this process ignores and blocks
    /// (`StandardStreams`). One that an erasure wants goes on until `finish`.
    func stop() {
        queue.sync {
            isStopped = true
            timer.cancel()
            if !isRewriting { taking?.terminate() }
        }
    }

    /// Waits for the one that an erasure wants, where one does, and then gives up what is still being taken.
    func finish(by deadline: DispatchTime) {
        let done = DispatchSemaphore(value: 0)
        let mustWait = queue.sync {
            look(position)
            guard taking != nil, isRewriting || mustRewrite else { return false }
            ended = done
            return true
        }
        if mustWait { _ = done.wait(timeout: deadline) }
        queue.sync {
            isOver = true
            taking?.terminate()
        }
    }

    /// The process that is taking one.
    var process: pid_t? { queue.sync { taking?.processIdentifier } }

    private func look(_ durable: UInt64) {
        guard !isOver, taking == nil, mustRewrite && mayRewrite() || !isStopped && isDue(durable) else { return }
        isRewriting = mustRewrite
        mustRewrite = false
        let process = Process()
        process.executableURL = settings.program
        process.arguments = ["snapshot", "--data", directory, "--json"] + settings.keyOptions
        process.standardInput = FileHandle.nullDevice
        let (told, words) = (Pipe(), ChildWords())
        process.standardOutput = FileHandle.nullDevice
        process.standardError = told
        process.terminationHandler = { [self] process in
            let (status, text) = (process.terminationStatus, words.text)
            queue.async { self.hasEnded(status, text, at: durable) }
        }
        do {
            try process.run()
            words.begin(told)
            taking = process
            if isRewriting { rewritesAt = .now + settings.betweenErasures }
            // Below the worker, which people wait for.
            setpriority(__priority_which_t(0), id_t(process.processIdentifier), 10)
        } catch {
            settings.ended(.failed)
            let problem = (error as NSError).localizedDescription
            log.warning("no snapshot could be taken: \(problem)")
            position = durable
            if isRewriting { putOff(problem) }
            isRewriting = false
            ended?.signal()
        }
    }

    /// Looks again by itself where it is too soon.
    private func mayRewrite() -> Bool {
        let rest = rewritesAt - .now
        guard !isStopped, rest > .zero else { return true }
        if !waitsToRewrite {
            waitsToRewrite = true
            queue.asyncAfter(deadline: .now() + .milliseconds(Int(rest / .milliseconds(1)) + 1)) {
                self.waitsToRewrite = false
                self.look(self.position)
            }
        }
        return false
    }

    /// What an erasure wants has failed, and is tried again in a while.
    private func putOff(_ problem: String) {
        mustRewrite = true
        pending.withLock { $0?.problem = problem }
        rewritesAt = .now + min(settings.afterFailure * (1 << min(failuresInARow, 16)), settings.afterFailureMax)
        failuresInARow += 1
    }

    private func isDue(_ durable: UInt64) -> Bool {
        if durable >= position + settings.growthBytes { return true }
        guard let rest = settings.rest else { return false }
        return durable >= position + rest.bytes && ContinuousClock.now - takenAt >= rest.age
    }

    private func hasEnded(_ status: Int32, _ words: String, at durable: UInt64) {
        taking = nil
        let wasRewriting = isRewriting
        if isRewriting {
            // Asked for once more meanwhile, the one that was taken may be of before.
            if status == 0, !mustRewrite {
                pending.withLock { $0 = nil }
                rewritten()
            }
            if status == 0 { failuresInARow = 0 } else { putOff(words) }
            isRewriting = false
        }
        // What failed is tried again when its time has come.
        if mustRewrite, status == 0 || !wasRewriting { queue.async { self.look(durable) } } else { ended?.signal() }
        // Also where it failed: it is tried again when the log has grown once more.
        (position, takenAt) = (max(position, durable), .now)
        if status == 0 {
            settings.ended(.taken)
            log.info("a snapshot was taken", ("position", "\(durable)"))
        } else if !isStopped {
            settings.ended(.failed)
            log.warning("no snapshot was taken", ("why", words), ("exit", "\(status)"))
        }
    }
}
