import CivilTime
import Dispatch
import Synchronization
import Worker

/// How many people are due and not decided about yet: asked of the worker now and then, and only while it is late.
///
/// Safe to share: the timer is made once and touched by whoever starts and stops the worker, what is found is behind a lock.
final class DueWatch: @unchecked Sendable {
    private let worker: LiveWorker
    private let clock: @Sendable () -> Instant
    private let found = Mutex(0)
    /// Whether a count goes on: another begins when it is done, however long it takes.
    private let isCounting = Mutex(false)
    private let queue = DispatchQueue(label: "belfry.due", qos: .utility)
    private let timer: any DispatchSourceTimer

    private static let interval = DispatchTimeInterval.seconds(5)
    /// A worker is some milliseconds late with everything.
    private static let usualMs: Int64 = 1_000

    init(_ worker: LiveWorker, clock: @escaping @Sendable () -> Instant) {
        self.worker = worker
        self.clock = clock
        timer = DispatchSource.makeTimerSource(queue: queue)
        // At once, though it is not armed: Dispatch traps when a source is given up that never was active.
        timer.activate()
    }

    var people: Int { found.withLock { $0 } }

    func start() {
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
    }

    func stop() { timer.cancel() }

    private func look() {
        let now = clock()
        guard worker.standing.lateness(at: now) > Self.usualMs else { return found.withLock { $0 = 0 } }
        let mayBegin = isCounting.withLock { isCounting in
            defer { isCounting = true }
            return !isCounting
        }
        if mayBegin { goOn(DueCount(by: now)) }
    }

    private func goOn(_ count: DueCount) {
        let intake = worker.count(count) { [weak self] result in
            switch result {
            case .success(let further) where !further.isDone: self?.goOn(further)
            case .success(let whole):
                self?.found.withLock { $0 = whole.people }
                self?.isCounting.withLock { $0 = false }
            case .failure: self?.isCounting.withLock { $0 = false }
            }
        }
        if intake != .taken { isCounting.withLock { $0 = false } }
    }
}
