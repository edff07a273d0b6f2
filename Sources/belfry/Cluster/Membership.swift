import Console
import Dispatch
import Foundation
import Journal
import Notices
import Shared
import Worker

/// A worker's place in a cluster: its lease, the partitions it owns, and the moves that follow from who else lives (`M2`, `M4`).
///
/// On a thread of its own, which waits for the database where it must. `Shared/DESIGN.md` says in which order things are done.
///
/// Safe to share: what others touch is behind a lock, the rest is the thread's own.
final class Membership: @unchecked Sendable {
    private struct Held {
        var holding: Holding
        var log: RunningLog
    }

    private let shared: any SharedLog
    let cache: ClusterCache
    private let cluster: ClusterID
    private let url: String
    private let terms: LeaseTerms
    let town: Town
    let crier: Crier
    let neighbours: Neighbours
    let log: RunLog
    let surroundings: Surroundings
    private let readiness: Readiness
    let figures = ClusterFigures()
    let troubles: TroubledCopies
    var erasures: OthersErasures? { surroundings.erasures }
    // The thread's own.
    private var life: WorkerLife?
    private var held: [Int: Held] = [:]
    /// What to say when it can decide again; `nil` where it can.
    private var cutOff: String?
    private var refusals = Refusals()
    private var graves = Graves()
    var everyone: EveryonesCopy
    private var keyPages: KeyPageWatch
    private let departures: Departures
    private var namesakes = NamesakeWatch()
    private var othersLosses = OthersLosses()

    let orders = MembershipOrders()
    private let ended = DispatchSemaphore(value: 0)

    init(
        _ shared: any SharedLog, _ cache: ClusterCache, of cluster: ClusterID, at url: String, _ terms: LeaseTerms,
        _ town: Town, _ crier: Crier, _ neighbours: Neighbours, _ log: RunLog, _ surroundings: Surroundings
    ) {
        (self.shared, self.cache, self.cluster, self.url, self.terms) = (shared, cache, cluster, url, terms)
        (self.town, self.crier, self.neighbours, self.log) = (town, crier, neighbours, log)
        self.surroundings = surroundings
        readiness = Readiness(neighbours)
        troubles = TroubledCopies(lifetime: terms.lifetime)
        departures = Departures(surroundings.deliveries, log)
        everyone = EveryonesCopy(cache, crier)
        keyPages = KeyPageWatch(isSealed: cache.keys != nil)
    }

    func start() {
        Thread.detachNewThread { [self] in
            Thread.current.name = "belfry.membership"
            run()
            ended.signal()
        }
    }

    /// Gives every partition away and ends; `false` where that is not over in time.
    func stop(by deadline: DispatchTime) -> Bool {
        orders.stop()
        neighbours.wantEveryone()
        return ended.wait(timeout: deadline) == .success
    }

    private var isStopping: Bool { orders.isStopping }

    // MARK: The thread

    private func run() {
        while !isStopping {
            do throws(Problem) {
                let session = try connect()
                defer { session.close() }
                if let cutOff { log.info(cutOff) }
                cutOff = nil
                figures.tried(failure: nil)
                let began = ContinuousClock.now
                while !isStopping, life?.lease.isOver == false, session.line.failure == nil {
                    let hasMoved = try step(session)
                    if !hasMoved { _ = neighbours.everyoneWanted.wait(timeout: .now() + terms.interval.dispatched) }
                }
                if isStopping { return giveAllAway(session) }
                switch session.line.failure {
                case nil, .unknown?, .unreachable?: dropAll("the database was not heard of in time, or took no more")
                // Taken up again at once, the same would be refused again: a disk that is full stays so.
                case let failure?:
                    pause(
                        "the database takes nothing", "\(failure)", until: "the database is tried again",
                        seconds: refusals.next(after: .now - began))
                }
            } catch {
                switch error {
                case .fatal(let failure):
                    dropAll(failure.message)
                    return surroundings.failed(failure)
                case .passing(let words):
                    pause("the database is not reached", words, until: "the database answers again")
                case .ofCopy(_, let words):
                    pause("the log of everyone cannot be kept here", words, until: "the log of everyone is kept again")
                }
            }
            if life?.lease.isOver == true { endLife() }
        }
        dropAll("the worker is stopping")
        endLife()
    }

    private func pause(_ what: String, _ words: String, until over: String, seconds: Int = 1) {
        figures.tried(failure: "\(what), so nothing is decided: \(words)")
        dropAll(words)
        if cutOff != over { log.warning("\(what), so nothing is decided; it is tried again", ("why", words)) }
        cutOff = over
        _ = neighbours.everyoneWanted.wait(timeout: .now() + .seconds(seconds))
    }

    private typealias Problem = MembershipProblem

    private func connect() throws(Problem) -> Session {
        var open: [any SharedLogConnection] = []
        do {
            let life =
                try self.life ?? WorkerLife(of: WorkerLife.name(shared, cluster), terms, shared, of: cluster, town)
            self.life = life
            figures.begin(life.lease)
            if !life.isKnown { cache.keys?.begin(as: life.lease.worker) }
            let terms = ConnectionTerms(worker: life.lease.worker, cluster: cluster)
            for _ in 0..<2 { open.append(try shared.connect(terms)) }
            if try cache.findLosses(
                open[0], as: url, unreadable: { leaveAlone($0, because: $1, isUnread: true) },
                readable: troubles.wasRead)
            {
                log.warning(
                    "what this worker had told that the database has lost is missed no more; the others may go on")
            }
            try othersLosses.judge(at: .current) { () throws(Problem) in
                try ClusterCache.findLossesOfOthers(open[0])
            }
            // Before any other tells this one of an erasure, and before it has a log that erases.
            erasures?.begin(with: try? cache.keys?.erasures())
            if life.isKnown {
                self.life?.assignment.databaseReturned(at: .current)
            } else {
                // Whoever has not what is about everyone decides nothing: no partition is given to it before.
                try everyone.refresh(open[0], own: nil)
                try register(life, open)
            }
            return Session(connection: open[0], appender: open[1], line: AppendLine(open[1]))
        } catch {
            for connection in open { connection.close() }
            return try Problem.judged { throw error }
        }
    }

    private func register(_ life: WorkerLife, _ open: [any SharedLogConnection]) throws {
        do {
            try life.lease.extend { () throws(SharedLogError) in
                try open[0].register(life.lease.worker, at: url, for: terms.lifetime)
                return true
            }
        } catch {
            // Whether it is known under this id nobody can say: it begins with another. What waits for a standby that is away waits for as
            // long, and each try would leave the server one connection less.
            if case SharedLogError.unknown = error {
                let own = [open[1].backend] + [cache.keys?.backend].compactMap { $0 }
                _ = try? open[1].terminateLeftovers(by: life.lease.worker, sparing: own)
            }
            endLife()
            throw error
        }
        self.life?.isKnown = true
        life.heartbeat.start { [log, figures] beat in
            if let words = figures.note(beat) { log.warning(words) }
            if case .failed(let error) = beat { log.warning("the lease was not renewed", ("why", "\(error)")) }
        }
    }

    /// Under another name, which it draws knowing all who have come by now.
    private func beginAnew(_ session: Session) throws(SharedLogError) {
        guard let old = life?.lease.worker else { return }
        endLife()
        log.info("another name is drawn, because with this one hardly a partition comes here", ("name", "\(old)"))
        try session.connection.leave(old)
    }

    private func endLife() {
        life?.end()
        life = nil
    }

    // MARK: A step

    /// Looks who owns what, and does what follows. `true` where something was moved, so that there may be more at once.
    private func step(_ session: Session) throws(Problem) -> Bool {
        guard let lease = life?.lease else { return false }
        return try Problem.judged {
            let view = try lease.look { () throws(SharedLogError) in
                neighbours.looks.begin()
                return try session.connection.view()
            } drop: { view in
                neighbours.see(view, as: lease.worker)
                dropLost(view, lease.worker)
            }
            figures.see(view)
            surroundings.revocations.see(Set(neighbours.others).subtracting([url]), lease, at: .current)
            if namesakes.look(view, as: lease.worker, at: url, lease: terms.lifetime, now: .current) {
                log.error(
                    "another worker says that it is reached at this address too; give each its own --advertise",
                    ("url", url))
            }
            try ClusterCache.findLossesOfOthers(session.connection)
            let isLeaving = try leaveIfWanted(view, lease.worker, session)
            guard lease.mayDecide else { return false }
            if !orders.isDraining, life?.assignment.isLeftShort(in: view) == true {
                try beginAnew(session)
                return true
            }
            // Who is dealt what, and under which epoch, is another matter by now.
            if try takeBack(view, session) || isLeaving { return true }
            var hasMoved = false
            let spared = troubles.leftAlone(at: .current)
            let moves = readiness.moves(in: view) {
                life?.assignment.moves(in: $0, at: .current, sparing: spared) ?? []
            }
            departures.keep(allBut: Set(moves.compactMap(\.partitionThatLeaves)))
            for move in moves {
                switch move {
                case .take(let partition): hasMoved = try take(partition, session) || hasMoved
                case .handOver(let partition, let epoch, let target):
                    guard departures.mayGo(partition, at: .current, { [neighbours] in neighbours.wantEveryone() })
                    else { continue }
                    try handOver(partition, epoch: epoch, to: target, session)
                    hasMoved = true
                }
            }
            try refreshEveryone(session)
            graves.look(session.connection)
            try keyPages.look(session.connection)
            let counts = try? cache.keys?.erasures()
            if let counts { erasures?.see(counts, owned: view.owned, at: .current) }
            erasures?.see(epochs: view.epochs)
            let epochs = held.mapValues(\.holding.epoch)
            surroundings.statesForOthers.look(epochs, erased: counts ?? [:], as: lease.worker)
            return hasMoved
        }
    }

    /// What this worker owns no more, or cannot go on with.
    private func dropLost(_ view: ClusterView, _ me: WorkerID) {
        let failed = orders.takeFailed()
        for (partition, own) in held {
            let now = view.partitions.first { $0.number == partition }
            if now?.owner != me || now?.epoch != own.holding.epoch {
                drop(partition, "another worker has it now")
            } else if failed[partition] == own.holding.epoch {
                drop(partition, "an append was not answered")
            }
        }
    }

    /// What the database says is this worker's and is not in its hands: dropped after an unknown outcome, or handed over to it.
    private func takeBack(_ view: ClusterView, _ session: Session) throws -> Bool {
        var hasMoved = false
        let leftAlone = troubles.leftAlone(at: .current)
        for partition in view.partitions where partition.owner == life?.lease.worker && held[partition.number] == nil {
            if leftAlone.contains(partition.number) {
                _ = try session.connection.concede(partition.number, epoch: partition.epoch)
                hasMoved = true
            } else {
                hasMoved = try take(partition, session) || hasMoved
            }
        }
        return hasMoved
    }

    private func take(_ partition: PartitionState, _ session: Session) throws -> Bool {
        guard let lease = life?.lease else { return false }
        let coming: ClusterFigures.Coming =
            partition.owner != lease.worker ? .orphaned : life?.had.contains(partition.number) == true ? .again : .given
        // After an unknown outcome the partition is still in its hands.
        drop(partition.number, "it is taken anew")
        guard
            let holding = try session.connection.take(
                partition, for: lease.worker,
                sparing: [session.connection.backend, session.appender.backend]
                    + [cache.keys?.backend].compactMap { $0 })
        else { return false }
        let began = ContinuousClock.now
        surroundings.preparation.makeWay(for: holding.partition)
        // One that was given was left with all answered. What is nobody's may have been conceded by one that could not open it.
        cache.keys?.hold(holding.partition, epoch: holding.epoch, isInDoubt: coming != .given)
        defer {
            if held[holding.partition] == nil {
                surroundings.preparation.letGo(of: holding.partition)
                forgetKeys(of: holding.partition)
            }
        }
        try keyPages.expect(holding.partition, session.connection)
        let running: RunningLog
        do {
            // Another has it by now, which the next look shows.
            guard try cache.complete(holding, from: session.connection) else { return true }
            surroundings.fetched.fetch(holding.partition, as: .owner, from: session.connection)
            if holding.partition != Partition.everyone { try refreshEveryone(session) }
            running = try surroundings.open(
                holding,
                LeaseOfPartition(
                    worker: lease.worker, mayDecide: { lease.mayDecide },
                    batches: SharedBatches(holding, session.line),
                    failed: { [weak self] in self?.hear($0, of: holding) }))
        } catch Problem.ofCopy(holding.partition, let words) {
            _ = try session.connection.concede(holding.partition, epoch: holding.epoch)
            leaveAlone(holding.partition, because: words)
            life?.had.remove(holding.partition)
            return true
        }
        troubles.mended(holding.partition)
        held[holding.partition] = Held(holding: holding, log: running)
        life?.had.insert(holding.partition)
        figures.note(came: coming)
        tellTaken(holding, running, since: began)
        return true
    }

    private func refreshEveryone(_ session: Session) throws {
        do {
            try everyone.refresh(
                session.connection, own: held[Partition.everyone]?.log.worker.standing.durable.position)
        } catch Problem.ofCopy(let partition, let words) {
            // Without it nothing can be decided here (`M6`), so the others have all partitions until it is back.
            giveAllAway(session)
            throw Problem.ofCopy(partition, words)
        }
    }

    // MARK: Letting go

    private func drop(_ partition: Int, _ reason: String) {
        guard let own = held.removeValue(forKey: partition) else { return }
        departures.lost(partition)
        forget(own.log)
        own.log.worker.giveUp(.lost("partition \(partition): \(reason)"))
        own.log.end()
        forgetKeys(of: partition)
        erasures?.wasLost(partition, epoch: own.holding.epoch)
        figures.note(went: .lost)
        log.warning("a partition was let go of", ("partition", "\(partition)"), ("why", reason))
    }

    private func dropAll(_ reason: String) { for partition in held.keys { drop(partition, reason) } }

    private func handOver(_ partition: Int, epoch: Int64, to target: WorkerID, _ session: Session) throws {
        if let own = held.removeValue(forKey: partition) {
            forget(own.log)
            own.log.end()
            departures.went(partition)
            forgetKeys(of: partition)
        }
        let isGiven = try session.connection.handOver(partition, epoch: epoch, to: target)
        log.info("a partition was handed over", ("partition", "\(partition)"), ("to", isGiven ? "\(target)" : "nobody"))
        life?.had.remove(partition)
        figures.note(went: .given)
        if isGiven { neighbours.gave(partition, to: target) }
        if !isGiven { _ = try session.connection.concede(partition, epoch: epoch) }
    }

    /// One that stops gives its partitions away at once (`M4`).
    private func giveAllAway(_ session: Session) {
        guard let me = life?.lease.worker else { return }
        let others = ((try? session.connection.view())?.staying ?? []).map(\.id).filter { $0 != me }
        for (partition, own) in held.sorted(by: { $0.key < $1.key }) {
            departures.lost(partition)
            if let target = Rendezvous.owner(of: partition, among: others) {
                try? handOver(partition, epoch: own.holding.epoch, to: target, session)
            } else {
                held[partition] = nil
                forget(own.log)
                own.log.end()
                forgetKeys(of: partition)
                _ = try? session.connection.concede(partition, epoch: own.holding.epoch)
            }
        }
        endLife()
        try? session.connection.leave(me)
    }
}
