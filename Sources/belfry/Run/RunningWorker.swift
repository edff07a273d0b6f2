import CivilTime
import Console
import Delivery
import Dispatch
import Foundation
import Journal
import Notices
import Sealing
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

    /// How long the parts have to stop. The doors and the courier stop at the same time, the courier with 0.7 s on top for
    /// texts that are given up and a second to let go; then the log is closed. Whatever they come to, the whole ends within
    /// five seconds.
    private static let serverPatience = Duration.seconds(1)
    private static let courierPatience = 2.0
    private static let partsTime = DispatchTimeInterval.milliseconds(3800)
    /// What an erasure has left to do is done as long as there is time for it; else the next start does it.
    private static let erasingTime = DispatchTimeInterval.milliseconds(4000)
    private static let stopTime = DispatchTimeInterval.milliseconds(4300)

    private let options: RunOptions
    private let world: World
    private let log: RunLog
    private let supervisor = Supervisor(ProcessInfo.processInfo.environment)
    private let zones: ZoneDatabase
    private let town: Town
    /// In a cluster: which logs are here, and who has the others.
    private let membership: Membership?
    private let neighbours: Neighbours?
    /// Where its people's keys lie, where its logs have seals.
    private let clusterKeys: ClusterKeys?
    private let oldKeys: OldKeySweep?
    private let courier: Courier
    /// A partition of a cluster brings its own as it is opened.
    private let left: JobsLeft?
    private let senders: SendersKeeper?
    private let analyst: AnalystDesk?
    private let policy: PolicyKeeper
    private let whatIfs: WhatIfRuns
    private let memories: Eraser.Memories
    private let machine: MachineWatch
    private let doors: WorkerDoors
    private let reported: ReportTeller
    private let keeper: Doorkeeper
    private let tokens: TokensKeeper?
    private let box = WorkerBox()
    private var pulse: (any DispatchSourceTimer)?
    private let rereading = DispatchQueue(label: "belfry.policy")
    private let startedAt = ContinuousClock.now
    private let ending = Mutex(Ending())
    private let stopping = DispatchSemaphore(value: 0)

    init(_ options: RunOptions, _ world: World, _ log: RunLog) throws(Failure) {
        self.options = options
        self.log = log
        for warning in options.warnings { log.warning(warning) }
        zones = try world.zones()
        // First of all: a log takes long to read, and a port that is taken is to be told at once.
        keeper = Doorkeeper(
            own: options.listen?.bearer, hosts: options.hosts, origins: options.origins, clock: world.clock,
            note: { log.info($0, ("by", $1)) })
        let keeper = keeper
        tokens = try options.tokens.map { path throws(Failure) in try TokensKeeper(path, keeper, world, log) }
        doors = try WorkerDoors(options.limits, keeper, clock: world.clock, log)
        var address: String?
        if let (wanted, _) = options.listen {
            let opened = try doors.openTCP(wanted)
            log.info("listening", ("address", opened))
            address = opened
        }
        if let wanted = options.publicListen { try doors.expectFree(wanted) }
        let policy = try PolicyKeeper(options.policyName, world, zones, log)
        self.policy = policy
        let joining = try options.cluster.map { (cluster) throws(Failure) in try Joining(cluster, options, world) }
        let world = joining?.world ?? world
        self.world = world
        reported = ReportTeller(clock: world.clock, log: log)
        let openings = try joining == nil ? Openings(options, world, zones, log) : nil
        guard let directory = joining?.directory ?? openings?.directory,
            let identity = joining?.identity ?? openings?.everyone.core.identity
        else { preconditionFailure("a log lies on the disk or in a database") }
        let persons = try PersonTokenFile.desk(directory, identity, world, later: PersonTokenFile.inAWhile())
        if let openings, try PersonTokenFile.settle(persons, openings.ofPeople) {
            log.warning(PersonTokenFile.everybodysRevoked)
        }
        keeper.open(persons: persons)
        let sinks = try Self.sinks(options, world)
        let senders = try options.senders.map { path throws(Failure) in
            try SendersKeeper(path, in: directory.path, besides: Array(zip(options.sinks, sinks)), world.clock, log)
        }
        self.senders = senders
        if options.namesSinks, senders?.office.leavesNothing == true {
            log.warning("--jobs is given nothing: the senders' document names a sink for all that is left")
        }
        let spools: @Sendable () -> [SpoolSink] = {
            sinks.compactMap { $0 as? SpoolSink } + (senders?.office.spools ?? [])
        }
        if let count = try openings?.clear(spools()), count > 0 {
            log.info("jobs of which something was erased are taken out of the spool", ("jobs", "\(count)"))
        }
        try openings?.begin(policy, world)
        let analyst = senders.map { keeper in
            AnalystDesk({ keeper.office.lendAnalyser() }, clock: world.clock) { log.say($0.forLog, $1, $2) }
        }
        self.analyst = analyst
        whatIfs = WhatIfRuns(
            directory.path, WhatIfRuns.Settings(keyOptions: world.keyOptions, database: options.cluster?.word))
        let box = box
        courier = Courier(
            sinks: sinks,
            mail: senders.map {
                Courier.Mail(
                    office: $0.office, texts: $0.texts, book: box.book,
                    registration: { try box.registration($0, at: $1) })
            }, clock: world.clock, read: { try box.jobs(at: $0) }, record: box.record,
            mayHandOut: { box.mayHandOut(from: $0) },
            log: { level, message, fields in log.say(level.forLog, message, TownPlace.readable(fields)) })
        let courier = courier
        let codes = senders.map { CodePost($0.office, courier, clock: world.clock, log) }
        let memories = Eraser.Memories(courier: courier, analyst: analyst, codes: codes, whatIfs: whatIfs)
        self.memories = memories
        let oldKeys = joining?.oldKeySweep(log)
        self.oldKeys = oldKeys
        let retention = RetentionDesk(
            persons: persons, memories: memories, spools: spools,
            oldKeys: oldKeys, tellOthers: joining?.tellingOfLeavers(log), log: log)
        let snapshots = SnapshotTally()
        let around: @Sendable (LogName) -> RunningLog.Neighbours = { name in
            RunningLog.Neighbours(
                handOver: { places in
                    log.debug(
                        "handed over", ("jobs", "\(places.count)"), ("first_seq", "\(places.first?.seq ?? 0)"))
                    courier.handOver(name.told(places))
                },
                analyse: { wanted in
                    for one in wanted {
                        analyst?.ask(about: one.conversation, of: one.user) { box.tell($0, about: one.user) }
                    }
                },
                sendCodes: { codes?.send($0) { box.mayHandOut(from: TownPlace.outer(0, in: name.number)) } },
                clockWasSet: {
                    // Each log sees it; it is said once.
                    guard name.isFirst else { return }
                    log.warning("the clock was set")
                    courier.clockChanged()
                }, willErase: { retention.willErase($0, from: name) },
                erased: { retention.erased($0, from: name, through: box.durableInstant(of: name)) },
                ended: { retention.letGo(of: name) }, textsErased: { retention.erased($0, from: name) },
                failed: { box.failed(Failure($0)) }, snapshots: snapshots)
        }
        let fail: @Sendable (Failure) -> Void = { box.failed($0) }
        if let joining {
            let opener = PartitionOpener(
                joining.cache, world, zones, log, policy, senders: senders?.asked, oldKeys: oldKeys, around: around,
                takeUp: { name, places in
                    let left = courier.returned(
                        name.told(places), in: TownPlace.places(in: name.number ?? LogName.everyonesNumber))
                    return { courier.takeUp(left) }
                }, failed: fail)
            let url = joining.options.advertised ?? "http://\(address ?? "")"
            let surroundings = OthersErasures.Surroundings(
                persons: persons, memories: memories, spools: spools)
            let joined = joining.join(
                at: url, opener, zones, log, surroundings, Departures.Deliveries(courier), failed: fail)
            (town, membership, neighbours) = (joined.town, joined.membership, joining.neighbours)
            left = nil
            clusterKeys = joining.keys
        } else if let openings {
            town = try openings.town(world, zones, log, senders: senders?.asked, around, failed: fail)
            let places = openings.all.flatMap { $0.name.told($0.opening.outstanding) }
            left = JobsLeft(courier.returned(places, in: TownPlace.all))
            (membership, neighbours, clusterKeys) = (nil, nil, nil)
        } else {
            preconditionFailure("a log lies on the disk or in a database")
        }
        machine = MachineWatch(
            directory.path, logs: { [town] in town.allLogs.map(\.directory) }, snapshots, clock: world.clock)
        box.begin(town, membership) { [weak self] in self?.fail($0) }
    }

    // MARK: Running

    func runUntilStopped(_ signals: StopSignals) throws(Failure) {
        signals.listen { [weak self] in self?.hear($0) }
        try doors.open(makeService(), in: options.directory)
        try openPublicDoor()
        for log in town.allLogs { log.start() }
        membership?.start()
        left?.go(to: courier, whenCaughtUp: town.allLogs)
        courier.start()
        tokens?.watch()
        machine.start()
        startPulse()
        supervisor.tell("READY=1", mayWait: true)
        log.info(
            "running", ("pid", "\(getpid())"), ("data", options.directory),
            ("people", "\(town.people)"), ("last_seq", "\(town.events)"),
            ("snapshot", "\(town.logs.reduce(0) { $0 + $1.snapshotPosition })"), ("jobs", options.shownSinks))
        stopping.wait()
        try stop()
    }

    private func openPublicDoor() throws(Failure) {
        guard let wanted = options.publicListen, let senders else { return }
        let town = town
        let jobs = ReportedJobs(town: town, neighbours: neighbours)
        let people = PeopleByPhone(town: town, neighbours: neighbours)
        let service = PublicReports(
            town: town, neighbours: neighbours, office: senders.office,
            desk: ReportDesk(
                senders.office, read: { try jobs.commit(at: $0) }, readElsewhere: { jobs.elsewhere($0, $1) },
                find: { people.find($0, $1) }, clock: world.clock), world: world, log: log, teller: reported,
            label: { [policy] in policy.label(ofKind: $0) })
        log.info("listening for providers", ("address", try doors.openPublic(wanted, service.doors)))
    }

    /// Starts what answers: to be made once.
    private func makeService() -> Service {
        WorkerService(
            town: town, neighbours: neighbours, membership: membership, othersNow: neighbours.map { OthersNow($0) },
            courier: courier, policy: policy, analyst: analyst,
            sendsTexts: { [senders] in senders?.office.codes != nil }, world: world, zones: zones, keeper: keeper,
            startedAt: startedAt, runs: whatIfs, machine: machine, requests: doors.requests,
            streams: doors.openStreams,
            eraser: Eraser(
                town: town, memories: memories, keeper: keeper, log: log,
                cluster: neighbours.flatMap { neighbours in
                    clusterKeys.map { Eraser.Elsewhere(neighbours: neighbours, keys: $0, oldKeys: oldKeys) }
                },
                elsewhere: { [options, senders, isCluster = neighbours != nil] in
                    Eraser.elsewhere(
                        sinks: [options.shownSinks] + (senders?.office.shownSinks ?? []), hasSenders: senders != nil,
                        isCluster: isCluster)
                }),
            reported: reported, files: [policy.reading] + [senders?.reading, tokens?.reading].compactMap(\.self),
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
            self.takeMasterKey()
            self.rereadPolicy()
            if self.senders?.reread() == true { self.courier.sendersChanged() }
        }
    }

    /// The newest of those that are given is used from now on.
    private func takeMasterKey() {
        guard let keys = world.disk.keys as? LogKeys, keys.isGiven else { return }
        do throws(KeyRingError) {
            var isNew = false
            for log in town.allLogs where try keys.rotateMaster(in: log.directory) {
                // Concealed under a key that is gone; beside keys that are files they are not.
                if membership != nil { log.rewriteSnapshots() }
                isNew = true
            }
            log.info(isNew ? "the newest master key is used" : "the master key has not changed")
        } catch {
            log.error("the master key stays as it was: \(error)")
        }
    }

    private func rereadPolicy() {
        supervisor.tellReloading()
        policy.reread(town, neighbours, on: world.disk) { [supervisor] in supervisor.tell("READY=1", mayWait: false) }
    }

    /// A sign of life from every worker's own queue, so that one that is stuck is noticed.
    private func startPulse() {
        guard let microseconds = supervisor.watchdogMicroseconds, microseconds > 0 else { return }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "belfry.pulse", qos: .userInitiated))
        timer.schedule(deadline: .now(), repeating: .microseconds(Int(microseconds / 2)))
        timer.setEventHandler { [supervisor, town] in
            town.whenEveryQueueHasTurned { supervisor.tell("WATCHDOG=1", mayWait: false) }
        }
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
        if membership == nil { for log in town.allLogs { log.stop() } }
        tokens?.stop()
        whatIfs.stop()
        machine.stop()
        pulse?.cancel()
        let parts = DispatchGroup()
        doors.stop(within: Self.serverPatience, parts)
        parts.enter()
        courier.stop(within: Self.courierPatience) { parts.leave() }
        _ = parts.wait(timeout: start + Self.partsTime)
        reported.finish()
        if membership == nil { for log in town.allLogs { log.endErasing(by: start + Self.erasingTime) } }
        if membership == nil { for log in town.allLogs { log.hub.stop() } }
        let closed: Result<Void, JournalError>? =
            if let membership { membership.stop(by: start + Self.stopTime) ? .success(()) : nil } else {
                close(by: start + Self.stopTime)
            }
        box.end()
        if let failure = ending.withLock({ $0.failure }) { throw failure }
        switch closed {
        case .success?: log.info("stopped", ("last_seq", "\(town.events)"))
        case .failure(let error)?: throw Failure(error)
        case nil: leave()
        }
    }

    /// Answers all that is still to be answered and closes the logs; `nil` where that is not over in time.
    private func close(by deadline: DispatchTime) -> Result<Void, JournalError>? {
        let workers = town.allLogs.map(\.worker)
        let done = DispatchSemaphore(value: 0)
        let closings = Gathering<JournalError?>(workers.count, whole: nil) { _ in done.signal() }
        for worker in workers {
            Task {
                let result = await worker.close()
                closings.add { failure in if case .failure(let error) = result { failure = error } }
            }
        }
        guard done.wait(timeout: deadline) == .success else { return nil }
        return closings.whole.map { .failure($0) } ?? .success(())
    }

    /// Goes without closing the log: a "run now" for a million, an index of gigabytes or a disk that hangs would keep whoever
    /// stops it waiting. Nobody is owed an answer any more, all that was answered is durable, and a log may be left at any
    /// point; what was being written at this moment is set aside by the next start.
    private func leave() -> Never {
        log.warning(
            "stopped before the log was closed; what was acknowledged is in it",
            ("last_seq", "\(town.events)"))
        log.finish()
        // No destructor is to meet the threads that still work.
        _exit(ExitCode.done.rawValue)
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
                        + "`(umask 077; echo \"whsec_$(openssl rand -base64 32)\" > secret)` makes one")
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
