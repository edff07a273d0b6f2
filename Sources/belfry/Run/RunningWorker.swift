import CivilTime
import Console
import Delivery
import Dispatch
import Foundation
import Journal
import Notices
import Synchronization
import Worker

/// The worker with all that surrounds it: API, sinks, policy, snapshots, signals. Composition only.
///
/// Safe to share: what changes is behind a lock, the rest is put together once.
final class RunningWorker: @unchecked Sendable {
    /// Why it stops, if not because it was told to.
    private struct Ending: Sendable {
        var isBegun = false
        var failure: Failure?
    }

    /// How long the parts have to stop. The doors and the courier stop at the same time, with half a second and a second
    /// on top to let go; then the log is closed. Whatever they come to, the whole ends within five seconds.
    private static let serverPatience = Duration.seconds(1)
    private static let courierPatience = 1.0
    private static let partsTime = DispatchTimeInterval.milliseconds(2500)
    private static let stopTime = DispatchTimeInterval.milliseconds(4300)

    private let options: RunOptions
    private let world: World
    private let log: RunLog
    private let supervisor = Supervisor(ProcessInfo.processInfo.environment)
    private let zones: ZoneDatabase
    private let worker: LiveWorker
    private let courier: Courier
    private let hub: EventHub
    private let senders: SendersKeeper?
    private let analyst: AnalystDesk?
    private let policy: PolicyKeeper
    private let snapshots: SnapshotKeeper
    private let patrol: PatrolThread
    private let whenDamaged: @Sendable (JournalError) -> Void
    private let site: SiteWatch
    private let due: DueWatch
    private let whatIfs: WhatIfRuns
    private let numbers: NumbersKeeper
    private let machine: MachineWatch
    private let doors: WorkerDoors
    private let keeper: Doorkeeper
    private let tokens: TokensKeeper?
    private let box = WorkerBox()
    private let growth = GrowthBell()
    private var pulse: (any DispatchSourceTimer)?
    private let rereading = DispatchQueue(label: "belfry.policy")
    private let startedAt: Instant
    /// How much of the log did not have to be read, in bytes.
    private let snapshotPosition: UInt64
    private let ending = Mutex(Ending())
    private let stopping = DispatchSemaphore(value: 0)

    init(_ options: RunOptions, _ world: World, _ log: RunLog) throws(Failure) {
        self.options = options
        self.world = world
        self.log = log
        startedAt = world.clock()
        for warning in options.warnings { log.warning(warning) }
        zones = try world.zones()
        // First of all: a log takes long to read, and a port that is taken is to be told at once.
        keeper = Doorkeeper(
            own: options.listen?.bearer, hosts: options.hosts, origins: options.origins, clock: world.clock,
            note: { log.info($0, ("by", $1)) })
        let keeper = keeper
        tokens = try options.tokens.map { path throws(Failure) in try TokensKeeper(path, keeper, world, log) }
        doors = try WorkerDoors(options.limits, keeper, clock: world.clock, log)
        if let (address, _) = options.listen {
            log.info("listening", ("address", try doors.openTCP(address)))
        }
        let policy = try PolicyKeeper(options.policyName, world, zones, log)
        let opening = try Self.open(options.directory, world, zones, log)
        keeper.open(persons: try PersonTokenFile.desk(options.directory, opening.core.identity, world))
        let sinks = try Self.sinks(options, world)
        if ErasureMark(in: options.directory, on: world.disk).isThere {
            for case let spool as SpoolSink in sinks { spool.keep(only: { opening.core.person($0) != nil }) }
        }
        let senders = try options.senders.map { path throws(Failure) in
            try SendersKeeper(path, in: options.directory, world.clock, log)
        }
        self.senders = senders
        let analyst = senders.map { keeper in AnalystDesk({ keeper.office.analyser }, clock: world.clock) }
        self.analyst = analyst
        let jobs = JobReader(options.directory, on: world.disk)
        let box = box
        courier = Courier(
            sinks: sinks,
            mail: senders.map {
                Courier.Mail(office: $0.office, book: box.book, registrations: { try jobs.registrations(at: $0) })
            }, clock: world.clock, read: { try jobs.jobs(at: $0) }, record: box.record,
            log: { level, message, fields in log.say(level.forLog, message, fields) })
        courier.handOver(
            opening.outstanding.map { JobPlace(position: $0.position, seq: $0.seq, channels: $0.channels) })
        snapshots = SnapshotKeeper(
            options.directory, from: opening.snapshotPosition, SnapshotKeeper.Settings(keyOptions: world.keyOptions),
            log)
        snapshotPosition = opening.snapshotPosition
        let place = opening.site
        site = SiteWatch(place, clock: world.clock, log)
        do throws(JournalError) {
            try opening.noteStart(
                version: Belfry.version, policy: policy.name(inForce: opening.policy), at: world.clock())
        } catch {
            throw Failure(error)
        }
        self.policy = policy
        policy.adopt(into: opening)
        let courier = courier
        opening.core.isRightCode = senders?.isRightCode
        worker = LiveWorker(
            opening.core,
            LiveWorker.Surroundings(
                clock: world.clock,
                handOver: { places in
                    log.debug(
                        "handed over", ("jobs", "\(places.count)"), ("first_seq", "\(places.first?.seq ?? 0)"))
                    courier.handOver(
                        places.map { JobPlace(position: $0.position, seq: $0.seq, channels: $0.channels) })
                },
                analyse: { [box] wanted in
                    for one in wanted {
                        analyst?.ask(about: one.conversation, of: one.user) { box.tell($0, about: one.user) }
                    }
                },
                failed: { [box] in box.failed($0) },
                clockWasSet: {
                    log.warning("the clock was set")
                    courier.clockChanged()
                },
                sendCodes: { senders?.send($0) }, grew: { [growth] in growth.ring() }))
        let worker = worker
        hub = EventHub(EventSources(worker, options.directory, world.disk))
        growth.hang(hub)
        due = DueWatch(worker, clock: world.clock)
        whatIfs = WhatIfRuns(options.directory, WhatIfRuns.Settings(keyOptions: world.keyOptions))
        numbers = NumbersKeeper(
            options.directory, on: world.disk, .standard(zones), log, durable: { worker.standing.durable })
        machine = MachineWatch(options.directory, clock: world.clock)
        patrol = PatrolThread(
            LogPatrol(options.directory, on: world.disk, clock: world.clock, durable: { worker.standing.durable }),
            pace: PatrolPace(), clock: world.clock, log)
        // A log that was taken away fails in many ways, and that it was is what to say of it.
        whenDamaged = { worker.giveUp(place.displacement() ?? $0) }
        box.begin(worker) { [weak self] in self?.fail(Failure(place.displacement() ?? $0)) }
    }

    // MARK: Running

    func runUntilStopped(_ signals: StopSignals) throws(Failure) {
        signals.listen { [weak self] in self?.hear($0) }
        try doors.open(service, in: options.directory)
        try openPublicDoor()
        let worker = worker
        Task { await worker.start() }
        courier.start()
        snapshots.start { worker.standing.durable.position }
        goOnErasing()
        tokens?.watch()
        site.start(recorded: { worker.standing.durable }, displaced: { worker.giveUp($0) })
        patrol.start(found: whenDamaged)
        due.start()
        numbers.start()
        machine.start()
        startPulse()
        supervisor.tell("READY=1", mayWait: true)
        log.info(
            "running", ("pid", "\(getpid())"), ("data", options.directory),
            ("people", "\(worker.standing.people)"), ("last_seq", "\(worker.standing.durable.lastSeq)"),
            ("snapshot", "\(snapshotPosition)"), ("jobs", options.shownSinks))
        stopping.wait()
        try stop()
    }

    /// What an erasure that was cut off has left is done again.
    private func goOnErasing() {
        let mark = ErasureMark(in: options.directory, on: world.disk)
        snapshots.whenRewritten { [log] in
            do throws(DiskError) { try mark.remove() } catch { log.warning("\(error)") }
        }
        if mark.isThere { snapshots.rewrite() }
    }

    private func openPublicDoor() throws(Failure) {
        guard let wanted = options.publicListen, let senders else { return }
        let jobs = JobReader(options.directory, on: world.disk)
        let service = PublicReports(
            worker: worker, office: senders.office,
            desk: ReportDesk(senders.office, read: { try jobs.jobs(at: $0) }, clock: world.clock), log: log)
        log.info("listening for providers", ("address", try doors.openPublic(wanted, service.doors)))
    }

    private var service: Service {
        WorkerService(
            worker: worker, courier: courier, hub: hub, policy: policy,
            logCheck: { [patrol] in patrol.standing }, analyst: analyst, directory: options.directory, world: world,
            zones: zones, keeper: keeper, startedAt: startedAt, due: due, runs: whatIfs, numbers: numbers,
            machine: machine, requests: doors.requests,
            eraser: Eraser(
                worker: worker, courier: courier, analyst: analyst, keeper: keeper, snapshots: snapshots,
                directory: options.directory, disk: world.disk, log: log,
                elsewhere: Eraser.elsewhere(sinks: [options.shownSinks], hasSenders: senders != nil)),
            isStopping: { [weak self] in self?.ending.withLock { $0.isBegun } ?? true }
        ).doors
    }

    // MARK: Signals

    private func hear(_ signal: Int32) {
        guard signal == SIGHUP else { return begin(ending: nil, StopSignals.name(of: signal)) }
        // Elsewhere: a policy that is a pipe, or on a disk that hangs, must not keep the next signal waiting. One after the
        // other: what was read last is what is wanted.
        rereading.async {
            self.tokens?.reread()
            self.rereadPolicy()
            if self.senders?.reread() == true { self.courier.sendersChanged() }
        }
    }

    private func rereadPolicy() {
        supervisor.tellReloading()
        policy.reread(worker) { [supervisor] in supervisor.tell("READY=1", mayWait: false) }
    }

    /// A sign of life from the worker's own queue, so that one that is stuck is noticed.
    private func startPulse() {
        guard let microseconds = supervisor.watchdogMicroseconds, microseconds > 0 else { return }
        let timer = DispatchSource.makeTimerSource(queue: worker.queue)
        timer.schedule(deadline: .now(), repeating: .microseconds(Int(microseconds / 2)))
        timer.setEventHandler { [supervisor] in supervisor.tell("WATCHDOG=1", mayWait: false) }
        timer.activate()
        pulse = timer
    }

    // MARK: Stopping

    private func fail(_ failure: Failure) {
        log.error(failure.sentence)
        begin(ending: failure, "a failure")
    }

    private func begin(ending failure: Failure?, _ reason: String) {
        let isFirst = ending.withLock { ending in
            defer {
                ending.isBegun = true
                ending.failure = ending.failure ?? failure
            }
            return !ending.isBegun
        }
        guard isFirst else { return }
        log.info("stopping", ("because", reason))
        stopping.signal()
    }

    private func stop() throws(Failure) {
        let start = DispatchTime.now()
        supervisor.tell("STOPPING=1", mayWait: false)
        snapshots.stop()
        patrol.stop()
        site.stop()
        tokens?.stop()
        due.stop()
        whatIfs.stop()
        numbers.stop()
        machine.stop()
        pulse?.cancel()
        let parts = DispatchGroup()
        doors.stop(within: Self.serverPatience, parts)
        parts.enter()
        courier.stop(within: Self.courierPatience) { parts.leave() }
        _ = parts.wait(timeout: start + Self.partsTime)
        hub.stop()
        let closed = close(by: start + Self.stopTime)
        box.end()
        if let failure = ending.withLock({ $0.failure }) { throw failure }
        switch closed {
        case .success?: log.info("stopped", ("last_seq", "\(worker.standing.durable.lastSeq)"))
        case .failure(let error)?: throw Failure(error)
        case nil: leave()
        }
    }

    /// Answers all that is still to be answered and closes the log; `nil` where that is not over in time.
    private func close(by deadline: DispatchTime) -> Result<Void, JournalError>? {
        let worker = worker
        let closed = Mutex<Result<Void, JournalError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            let result = await worker.close()
            closed.withLock { $0 = result }
            done.signal()
        }
        _ = done.wait(timeout: deadline)
        return closed.withLock { $0 }
    }

    /// Goes without closing the log: a "run now" for a million, an index of gigabytes or a disk that hangs would keep whoever
    /// stops it waiting. Nobody is owed an answer any more, all that was answered is durable, and a log may be left at any
    /// point; what was being written at this moment is set aside by the next start.
    private func leave() -> Never {
        log.warning(
            "stopped before the log was closed; what was acknowledged is in it",
            ("last_seq", "\(worker.standing.durable.lastSeq)"))
        log.finish()
        // No destructor is to meet the threads that still work.
        _exit(ExitCode.done.rawValue)
    }

    // MARK: Opening

    private static func open(
        _ directory: String, _ world: World, _ zones: ZoneDatabase, _ log: RunLog
    ) throws(Failure) -> WorkerOpening {
        do throws(JournalError) {
            var journal = JournalOptions()
            journal.lockPatience = .short(first: { holder in
                log.info("another has the log; waiting for it to stop", ("holder", holder))
            })
            let opening = try WorkerOpening(
                directory, on: world.disk, holder: "process \(getpid()) (belfry run)", options: journal,
                .told(zones, to: log))
            if let status = try? world.disk.status(of: directory), status.isWritableByOthers {
                log.warning(
                    "\(directory) may be written by every user of this machine; `chmod o-w` keeps the log yours")
            }
            for note in OpeningNote.notes(on: opening, world.disk) { log.say(.warning, note.words, note.fields) }
            return opening
        } catch {
            throw Failure(error)
        }
    }

    private static func sinks(_ options: RunOptions, _ world: World) throws(Failure) -> [any Sink] {
        var sinks: [any Sink] = []
        for spec in options.sinks {
            do throws(SinkOpenError) {
                sinks.append(try spec.open(secrets: options.secrets, clock: world.clock))
            } catch {
                guard case .noSecret = error else { throw Failure(.environment, "\(error)") }
                throw Failure(
                    .wrongUsage,
                    "\(error); give one with --webhook-secret-file. "
                        + "`echo \"whsec_$(openssl rand -base64 32)\" > secret` makes one")
            }
        }
        return sinks
    }
}

extension Courier.LogLevel {
    fileprivate var forLog: RunLog.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
