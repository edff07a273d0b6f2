public import CivilTime
public import Journal
internal import Synchronization

/// Checks the log that lies behind a worker: once a start, and then every night.
///
/// A worker begins with a snapshot and reads only what follows it, so that damage in front of it would not be met for
/// months. The patrol knows neither thread nor pause: it is asked for one small piece of work after the other, and says
/// how much that was (`PatrolPace`).
public final class LogPatrol {
    public enum Step: Sendable, Equatable {
        /// Nothing to do before this instant.
        case idle(until: Instant)
        /// So many bytes were read, and there are more.
        case worked(bytes: Int)
        /// The log is whole up to where it was durable when the check began.
        case finished(Report)
    }

    public struct Report: Sendable, Equatable {
        public let bytes: UInt64
        public let commits: Int
    }

    /// How far it is, to be asked from any thread.
    public struct Standing: Sendable, Equatable {
        /// While a check is under way: how much of the log it has read, and of how much.
        public var underway: (position: UInt64, total: UInt64)?
        /// When the last check was done that found the log whole, and up to where.
        public var whole: (at: Instant, position: UInt64)?
        /// Why the last check was given up, if it was.
        public var problem: String?

        public init() {}

        public static func == (left: Standing, right: Standing) -> Bool {
            left.underway?.position == right.underway?.position && left.underway?.total == right.underway?.total
                && left.whole?.at == right.whole?.at && left.whole?.position == right.whole?.position
                && left.problem == right.problem
        }
    }

    /// What one step reads at most.
    public static let pieceBytes = 256 << 10

    private let directory: String
    private let disk: any Disk
    private let clock: @Sendable () -> Instant
    private let durable: @Sendable () -> LogHead
    private var times: CheckTimes
    private var check: LogCheck?
    private let seen = Mutex(Standing())

    /// - Parameter durable: where the log is known to be durable at this moment.
    public init(
        _ directory: String, on disk: any Disk, clock: @escaping @Sendable () -> Instant,
        durable: @escaping @Sendable () -> LogHead
    ) {
        self.directory = directory
        self.disk = disk
        self.clock = clock
        self.durable = durable
        times = CheckTimes(first: clock())
    }

    public var standing: Standing { seen.withLock { $0 } }

    /// The next piece of work. After an error the check is given up, and begins anew when its time has come again.
    public func step() throws(JournalError) -> Step {
        let now = clock()
        guard check != nil || times.isDue(at: now) else { return .idle(until: times.due) }
        do throws(JournalError) { return try work(at: now) } catch {
            check = nil
            times.failed(at: now)
            seen.withLock { ($0.underway, $0.problem) = (nil, "\(error)") }
            throw error
        }
    }

    private func work(at now: Instant) throws(JournalError) -> Step {
        let check: LogCheck
        if let underway = self.check { check = underway } else { check = try begin(at: now) }
        let start = check.position
        let step = try check.step(bytes: Self.pieceBytes)
        guard step == .done else {
            seen.withLock { $0.underway = (check.position, check.total) }
            return .worked(bytes: Int(check.position - start))
        }
        self.check = nil
        seen.withLock {
            ($0.underway, $0.problem) = (nil, nil)
            $0.whole = (now, check.position)
        }
        return .finished(Report(bytes: check.position, commits: check.commits))
    }

    private func begin(at now: Instant) throws(JournalError) -> LogCheck {
        times.began(at: now)
        let fresh = try LogCheck(directory, on: disk, through: durable())
        check = fresh
        seen.withLock { $0.underway = (0, fresh.total) }
        return fresh
    }
}

/// When the log is checked: at the start, and then at 3 o'clock UTC every night, which needs no machine's zone.
struct CheckTimes: Equatable {
    private(set) var due: Instant

    private static let day: Int64 = 86_400_000
    private static let hour: Int64 = 3_600_000
    /// A night that is nearer than this to the check before is left out.
    private static let leastPause = 6 * hour

    init(first: Instant) { due = first }

    /// A clock that was set far back must not put the next check off for as long.
    func isDue(at now: Instant) -> Bool { now >= due || due.milliseconds(since: now) > Self.day + Self.leastPause }

    mutating func began(at now: Instant) {
        let earliest = now.milliseconds + Self.leastPause
        let night = (earliest - 3 * Self.hour).dividedRoundingUp(by: Self.day) * Self.day + 3 * Self.hour
        due = Instant(milliseconds: night)
    }

    /// What kept it from being done, such as a limit on open files, may be over in an hour.
    mutating func failed(at now: Instant) { due = now.advanced(byMilliseconds: Self.hour) }
}

extension Int64 {
    fileprivate func dividedRoundingUp(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest > 0 ? quotient + 1 : quotient
    }
}

/// How fast the patrol may go: so that neither the disk nor a processor is taken from those who wait for an answer.
public struct PatrolPace: Sendable {
    public var bytesPerSecond = 16 << 20
    /// What a step takes of time is a tenth of the whole at most, also where the disk is slow or everybody is busy.
    public var pausesPerWork = 9

    public init() {}

    /// How long to wait after a step.
    public func pause(afterReading bytes: Int, in elapsed: Duration) -> Duration {
        max(.seconds(1) * bytes / bytesPerSecond - elapsed, elapsed * pausesPerWork)
    }
}
