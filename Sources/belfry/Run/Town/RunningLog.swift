import CivilTime
import Dispatch
import Journal
import Notices
import Worker

/// One log that this process writes: its worker, and what looks after it.
final class RunningLog: Sendable {
    let name: LogName
    let directory: String
    let worker: LiveWorker
    let hub: EventHub
    let jobs: JobReader
    let due: DueWatch
    let numbers: NumbersKeeper
    let patrol: PatrolThread
    let unknownZones: UnknownZones
    /// Whether people can be erased from it.
    let isSealed: Bool
    /// Whether it may decide at this moment, and its jobs may be handed out.
    let mayDecide: @Sendable () -> Bool
    private let snapshots: SnapshotKeeper
    private let watch: SiteWatch
    private let ended: @Sendable () -> Void
    private let site: LogSite
    private let disk: any Disk
    private let log: RunLog
    /// How much of the log did not have to be read, in bytes.
    let snapshotPosition: UInt64
    /// How many events were folded when it was opened.
    let eventsFolded: Int

    /// What a log does to the process that it is written by.
    struct Neighbours: Sendable {
        var handOver: @Sendable ([EventPlace]) -> Void
        var analyse: @Sendable ([AnalysisWanted]) -> Void
        var sendCodes: @Sendable ([CodeOrder]) -> Void
        var clockWasSet: @Sendable () -> Void
        /// Ends the tokens of people whom retention is about to erase; says what was wrong where it could not.
        var willErase: @Sendable ([String]) -> String? = { _ in nil }
        /// People whom retention has erased.
        var erased: @Sendable ([ErasedPerson]) -> Void = { _ in }
        /// The log is closed here, and tells of nobody any more.
        var ended: @Sendable () -> Void = {}
        /// Texts that retention has erased.
        var textsErased: @Sendable (ErasedTexts) -> Void = { _ in }
        /// The log takes nothing more: the process is to end.
        var failed: @Sendable (JournalError) -> Void
        /// Whether it may decide at this moment.
        var mayDecide: @Sendable () -> Bool = { true }
        /// Counts its snapshots.
        var snapshots = SnapshotTally()
        /// Where batches have to be besides the disk.
        var elsewhere: (any BatchTaker)?
    }

    init(
        _ name: LogName, _ directory: String, _ opening: WorkerOpening, _ world: World, _ zones: ZoneDatabase,
        _ log: RunLog, _ neighbours: Neighbours
    ) {
        self.name = name
        self.directory = directory
        self.log = log
        disk = world.disk
        let (site, growth) = (opening.site, GrowthBell())
        opening.core.willErase = { users throws(JournalError) in
            if let problem = neighbours.willErase(users) { throw .lost(problem) }
        }
        var settings = SnapshotKeeper.Settings(keyOptions: world.keyOptions)
        if neighbours.elsewhere != nil { settings.rest = SnapshotKeeper.Settings.Rest() }
        settings.ended = { [tally = neighbours.snapshots] in tally.count($0, name) }
        neighbours.snapshots.begin(name)
        let snapshots = SnapshotKeeper(directory, from: opening.snapshotPosition, settings, log)
        self.snapshots = snapshots
        opening.whenErasedAnew { snapshots.rewrite() }
        // Safe to give to the worker's queue: whoever opened the log touches its core no more.
        nonisolated(unsafe) let core = opening.core
        self.site = site
        worker = LiveWorker(
            core,
            LiveWorker.Surroundings(
                clock: world.clock, handOver: neighbours.handOver, analyse: neighbours.analyse,
                // A log that was taken away fails in many ways, and that it was is what to say of it.
                failed: { neighbours.failed(site.displacement() ?? $0) },
                unread: { log.warning("a job that failed could not be read; trying again: \($0)") },
                clockWasSet: neighbours.clockWasSet,
                sendCodes: neighbours.sendCodes,
                erased: { people in
                    neighbours.erased(people)
                    snapshots.rewrite()
                },
                textsErased: { texts in
                    growth.forget(before: texts.seq)
                    neighbours.textsErased(texts)
                    snapshots.rewrite()
                }, grew: { growth.ring() }, mayDecide: neighbours.mayDecide,
                elsewhere: neighbours.elsewhere))
        let worker = worker
        (mayDecide, ended) = (neighbours.mayDecide, neighbours.ended)
        (snapshotPosition, eventsFolded) = (opening.snapshotPosition, opening.eventsFolded)
        isSealed = opening.isSealed
        unknownZones = UnknownZones(opening.unknownZones)
        if let words = unknownZones.words { log.warning(words) }
        watch = SiteWatch(site, of: name, clock: world.clock, log)
        hub = EventHub(
            EventSources(worker, directory, world.disk) {
                log.warning("whoever follows the events has to come again: the log could not be read: \($0)")
            })
        growth.hang(hub)
        jobs = JobReader(directory, on: world.disk)
        due = DueWatch(worker, clock: world.clock)
        numbers = NumbersKeeper(
            directory, on: world.disk, .standard(zones), log, durable: { worker.standing.durable })
        patrol = PatrolThread(
            LogPatrol(directory, on: world.disk, clock: world.clock, durable: { worker.standing.durable }),
            pace: PatrolPace(), clock: world.clock, log)
    }

    func start() {
        let (worker, site) = (worker, site)
        Task { await worker.start() }
        snapshots.start { worker.standing.durable.position }
        goOnErasing()
        watch.start(recorded: { worker.standing.durable }, displaced: { worker.giveUp($0) })
        patrol.start(found: { worker.giveUp(site.displacement() ?? $0) })
        due.start()
        numbers.start()
    }

    /// Told once everybody has been woken who was due when it started. What the log held to be handed out waits for that: whose time has
    /// ended meanwhile is told nothing more (`E1`). Where the worker ends before, it is the next start's.
    func whenCaughtUp(_ done: @escaping @Sendable () -> Void) {
        _ = worker.catchUp { result in
            if case .success = result { done() }
        }
    }

    // MARK: Erasing

    var erasurePending: SnapshotKeeper.Pending? { snapshots.erasurePending }

    /// Somebody was erased who is in the snapshots.
    func rewriteSnapshots() { snapshots.rewrite() }

    /// What an erasure that was cut off has left is done again. Every start asks the log, on a thread that nobody waits for.
    private func goOnErasing() {
        snapshots.whenRewritten { [hub] in hub.indexWasRewritten() }
        // Without seals nobody is erased.
        guard isSealed else { return }
        DispatchQueue.global(qos: .utility).async { [directory, disk, log, snapshots] in
            do throws(JournalError) {
                if try !LogReader(directory, on: disk).snapshotsBeforeErasure().isEmpty { snapshots.rewrite() }
            } catch {
                log.warning("whether the snapshots tell of somebody who was erased could not be seen: \(error)")
            }
        }
    }

    /// Waits for what an erasure has left to do, once `stop` was called; what is not done by then the log tells the next start.
    func endErasing(by deadline: DispatchTime) { snapshots.finish(by: deadline) }

    /// Ends all of it, and waits until the log is closed: answers what was taken, unless the worker has given up.
    func end() {
        stop()
        endErasing(by: .now())
        hub.stop()
        let (worker, done) = (worker, DispatchSemaphore(value: 0))
        Task {
            _ = await worker.close()
            done.signal()
        }
        done.wait()
        ended()
    }

    /// All but the worker, which has still to answer.
    func stop() {
        snapshots.stop()
        patrol.stop()
        watch.stop()
        due.stop()
        numbers.stop()
    }
}
