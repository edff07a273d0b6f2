public import CivilTime
public import Journal
public import Notices
public import Worker

/// A live worker on a simulated disk under a virtual clock. It can be late, lose its power at any operation of the disk,
/// and start again; whoever asks it hears what was acknowledged.
public final class SimulatedMachine {
    public private(set) var disk: SimulatedDisk
    /// `nil` while the worker is down.
    public private(set) var core: WorkerCore?
    public var clock: Instant
    /// The jobs that were handed over, in order; after a crash some come again.
    public private(set) var handedOver: [EventPlace] = []
    public private(set) var crashes = 0
    private let plan: Plan
    private let limits: WorkerCore.Limits
    /// A batch that is with the disk, and not yet written.
    private var writing: Batch?

    public static let directory = "/log"

    public init(
        _ plan: Plan, at clock: Instant, limits: WorkerCore.Limits = WorkerCore.Limits(), seed: UInt64,
        keeper: (@Sendable () -> any KeyKeeper)? = nil
    ) {
        self.plan = plan
        self.clock = clock
        self.limits = limits
        disk = SimulatedDisk(seed: seed, keeper: keeper)
    }

    // MARK: Starting and dying

    /// Opens the log and folds it. Returns whether there was power enough.
    @discardableResult
    public func start() -> Bool {
        precondition(core == nil, "started twice")
        do {
            let journal = try Journal(Self.directory, on: disk, holder: "a simulated machine")
            core = WorkerCore(journal, try folded(), limits: limits)
            return true
        } catch {
            precondition(!disk.isPowered, "\(error)")
            return false
        }
    }

    /// The power goes now, and is back.
    public func crash(_ fate: Fate, seed: UInt64) {
        core = nil
        writing = nil
        crashes += 1
        disk = disk.recovered(fate, seed: seed)
    }

    public func stop() throws(JournalError) {
        settle()
        try core?.close()
        core = nil
    }

    // MARK: Working

    /// Turns until nothing is left to do at this instant, or the power is gone.
    public func settle() {
        var turns = 0
        while let core, core.failure == nil {
            turns += 1
            precondition(turns < 100_000, "the worker does not come to rest at \(clock): \(core)")
            if !step(core.turn(at: clock)), writing == nil { return }
            finishWriting()
        }
    }

    /// One turn, the disk left to its own pace.
    public func turn() {
        if let core { _ = step(core.turn(at: clock)) }
    }

    /// Writes what is with the disk.
    public func finishWriting() {
        guard let core, let batch = writing else { return }
        writing = nil
        let result: Result<Void, DiskError>
        do throws(DiskError) { result = .success(try core.writer.write(batch)) } catch { result = .failure(error) }
        _ = step(core.finished(batch, result))
    }

    private func step(_ turn: WorkerCore.Turn) -> Bool {
        if let batch = turn.writes { writing = batch }
        handedOver += turn.jobs
        for answer in turn.answers { answer() }
        return turn.again
    }

    // MARK: What is in the log

    public func commits() throws(JournalError) -> [[Event]] {
        let events = EventReader(try LogReader(Self.directory, on: disk), checksHashes: true)
        var commits: [[Event]] = []
        while let commit = try events.nextCommit() { commits.append(commit) }
        return commits
    }

    /// The fold of the whole log, wakes worked out.
    public func folded() throws(JournalError) -> Register {
        var register = Register(plan)
        for event in try commits().joined() { register.fold(event) }
        for person in register.people { person.nextWake = person.earliestWake(register.plan) }
        return register
    }
}
