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

    /// How long the parts have to stop: together less than five seconds.
    private static let serverPatience = Duration.seconds(1)
    private static let courierPatience = 2.0

    private let options: RunOptions
    private let world: World
    private let log: RunLog
    private let supervisor = Supervisor(ProcessInfo.processInfo.environment)
    private let zones: ZoneDatabase
    private let worker: LiveWorker
    private let courier: Courier
    private let policy: PolicyKeeper
    private let snapshots: SnapshotKeeper
    private var servers: [HTTPServer] = []
    private var signals: [any DispatchSourceSignal] = []
    private var pulse: (any DispatchSourceTimer)?
    private let startedAt: Instant
    private let ending = Mutex(Ending())
    private let stopping = DispatchSemaphore(value: 0)

    init(_ options: RunOptions, _ world: World, _ log: RunLog) throws(Failure) {
        self.options = options
        self.world = world
        self.log = log
        startedAt = world.clock()
        zones = try world.zones()
        let policy = try PolicyKeeper(options.policyName, world, zones)
        let opening = try Self.open(options.directory, world, zones, log)
        let sinks = try Self.sinks(options, world)
        let box = WorkerBox()
        let jobs = JobReader(options.directory, on: world.disk)
        courier = Courier(
            sinks: sinks, clock: world.clock, read: { try jobs.jobs(at: $0) }, record: box.record,
            log: { level, message, fields in log.say(level.forLog, message, fields) })
        courier.handOver(opening.outstanding.map { JobPlace(position: $0.position, seq: $0.seq) })
        snapshots = SnapshotKeeper(options.directory, from: opening.snapshotPosition, log)
        do throws(JournalError) {
            try opening.noteStart(
                version: Belfry.version, policy: policy.name(inForce: opening.policy), at: world.clock())
        } catch {
            throw Failure(error)
        }
        self.policy = policy
        policy.adopt(into: opening)
        let courier = courier
        worker = LiveWorker(
            opening.core,
            LiveWorker.Surroundings(
                clock: world.clock,
                handOver: { courier.handOver($0.map { JobPlace(position: $0.position, seq: $0.seq) }) },
                failed: { box.failed($0) },
                clockWasSet: {
                    log.warning("the clock was set")
                    courier.clockChanged()
                }))
        box.begin(worker) { [weak self] in self?.fail(Failure($0)) }
    }

    // MARK: Running

    func runUntilStopped() throws(Failure) {
        try serve()
        listenToSignals()
        let worker = worker
        Task { await worker.start() }
        courier.start()
        snapshots.start { worker.standing.durable.position }
        startPulse()
        supervisor.tell("READY=1")
        log.info(
            "running", ("pid", "\(getpid())"), ("data", options.directory),
            ("people", "\(worker.standing.people)"), ("last_seq", "\(worker.standing.durable.lastSeq)"),
            ("jobs", options.jobsWords))
        stopping.wait()
        try stop()
    }

    private func serve() throws(Failure) {
        let service = WorkerService(
            worker: worker, courier: courier, directory: options.directory, world: world, zones: zones,
            startedAt: startedAt, isStopping: { [weak self] in self?.ending.withLock { $0.isBegun } ?? true })
        let handler = Router(service.doors).handler
        do throws(ListeningProblem) {
            let socket = try ListeningSocket.unix(DiskPath.join(options.directory, LogFile.socket))
            try open(socket, handler)
            guard let (address, bearer) = options.listen else { return }
            let door = try ListeningSocket.tcp(address)
            try open(door, bearer.guarding(handler))
            log.info("listening", ("address", door.address))
        } catch {
            throw Failure(.environment, "\(error)")
        }
    }

    private func open(_ socket: ListeningSocket, _ handler: HTTPHandler) throws(ListeningProblem) {
        do throws(HTTPServer.Problem) {
            servers.append(
                try HTTPServer(
                    on: socket, limits: HTTPLimits(), clock: { SuspendingClock.now }, handler: handler))
        } catch {
            socket.close()
            fail(Failure(.environment, "\(error)"))
        }
    }

    // MARK: Signals

    private func listenToSignals() {
        on(SIGTERM) { $0.begin(ending: nil, "SIGTERM") }
        on(SIGINT) { $0.begin(ending: nil, "SIGINT") }
        on(SIGHUP) { $0.rereadPolicy() }
    }

    private func on(_ number: Int32, _ act: @escaping @Sendable (RunningWorker) -> Void) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [weak self] in self.map(act) }
        source.activate()
        signals.append(source)
    }

    private func rereadPolicy() {
        supervisor.tell("RELOADING=1")
        policy.reread(worker, log) { [supervisor] in supervisor.tell("READY=1") }
    }

    /// A sign of life from the worker's own queue, so that one that is stuck is noticed.
    private func startPulse() {
        guard let microseconds = supervisor.watchdogMicroseconds, microseconds > 0 else { return }
        let timer = DispatchSource.makeTimerSource(queue: worker.queue)
        timer.schedule(deadline: .now(), repeating: .microseconds(Int(microseconds / 2)))
        timer.setEventHandler { [supervisor] in supervisor.tell("WATCHDOG=1") }
        timer.activate()
        pulse = timer
    }

    // MARK: Stopping

    private func fail(_ failure: Failure) {
        log.error(failure.message)
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
        supervisor.tell("STOPPING=1")
        stopping.signal()
    }

    private func stop() throws(Failure) {
        snapshots.stop()
        for server in servers { server.stop(within: Self.serverPatience) }
        let done = DispatchSemaphore(value: 0)
        courier.stop(within: Self.courierPatience) { done.signal() }
        done.wait()
        let worker = worker
        let closed = Mutex<Result<Void, JournalError>?>(nil)
        Task {
            let result = await worker.close()
            closed.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        if let failure = ending.withLock({ $0.failure }) { throw failure }
        if case .failure(let error)? = closed.withLock({ $0 }) { throw Failure(error) }
        log.info("stopped", ("last_seq", "\(worker.standing.durable.lastSeq)"))
    }

    // MARK: Opening

    private static func open(
        _ directory: String, _ world: World, _ zones: ZoneDatabase, _ log: RunLog
    ) throws(Failure) -> WorkerOpening {
        do throws(JournalError) {
            let opening = try WorkerOpening(
                directory, on: world.disk, holder: "process \(getpid()) (belfry run)", .standard(zones))
            if case .torn(let file, _, let bytes) = opening.recoveredTail {
                log.warning(
                    "an unfinished write was set aside; nothing acknowledged was in it", ("file", "\(file)*.torn"),
                    ("bytes", "\(bytes)"))
            }
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
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}

/// The worker, for those that are made before it.
private final class WorkerBox: Sendable {
    private let worker = Mutex<LiveWorker?>(nil)
    private let failure = Mutex<(@Sendable (JournalError) -> Void)?>(nil)

    func begin(_ worker: LiveWorker, whenFailed: @escaping @Sendable (JournalError) -> Void) {
        self.worker.withLock { $0 = worker }
        failure.withLock { $0 = whenFailed }
    }

    func failed(_ error: JournalError) { failure.withLock { $0 }?(error) }

    /// What became of jobs, as facts of Belfry's own.
    var record: Courier.Record {
        { [self] facts, done in
            let intake = worker.withLock { $0 }?.submit(facts, bytes: 256 * facts.count, isOwn: true) { result in
                if case .success = result { done(true) } else { done(false) }
            }
            if intake != .taken { done(false) }
        }
    }
}
