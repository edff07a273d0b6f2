import CivilTime
import Delivery
import Dispatch
import Foundation
import Journal
import Notices
import Synchronization
import Worker

/// The logs of a directory, opened for their workers: locked, recovered and folded.
///
/// It stays on the thread that starts the worker; partitions are opened on all cores.
final class Openings {
    struct Opened {
        let name: LogName
        let opening: WorkerOpening
    }

    let directory: DataDirectory
    /// What is about everyone first.
    let all: [Opened]
    /// The facts about everyone that every partition is given before anything else.
    private var copies: [Copies.Told] = []
    private var missing: [ArraySlice<Copies.Told>] = []

    init(_ options: RunOptions, _ world: World, _ zones: ZoneDatabase, _ log: RunLog) throws(Failure) {
        let directory = try DataDirectory.open(options.directory, partitions: options.partitions, on: world.disk)
        guard !directory.isCopy else {
            throw Failure(
                .wrongUsage,
                "\(directory.path) is a copy of a cluster's logs; a worker joins that cluster with --postgres")
        }
        self.directory = try directory.everybodysLogs(on: world.disk)
        try directory.expectNoneGone(on: world.disk)
        // First of all, because whoever has this one has them all.
        let first = directory.allNames[0]
        var opened = [Opened(name: first, opening: try Self.open(directory.log(first), world, zones, log))]
        let rest = Array(directory.allNames.dropFirst())
        let found = Found(rest.count)
        let world = SharedWorld(world)
        DispatchQueue.concurrentPerform(iterations: rest.count) { place in
            found.put(
                Result { () throws(Failure) in try Self.open(directory.log(rest[place]), world.world, zones, log) },
                at: place)
        }
        for (name, result) in zip(rest, found.takeAll()) {
            guard let result else { preconditionFailure("a partition was not opened") }
            opened.append(Opened(name: name, opening: try result.get()))
        }
        all = opened
        guard directory.partitions != nil else { return }
        let told: Copies
        do throws(JournalError) { told = try Copies(in: directory.everyone, on: world.world.disk) } catch {
            throw Failure(error)
        }
        for opened in people { try told.expectSource(of: opened.opening, opened.name) }
    }

    /// Those of people.
    private var people: ArraySlice<Opened> { directory.partitions == nil ? all[...] : all.dropFirst() }
    var everyone: WorkerOpening { all[0].opening }

    /// Notes that a worker begins, has the policy adopted, and gives each partition what it lacks of the facts about everyone,
    /// before it takes anything else (`M6`).
    func begin(_ policy: PolicyKeeper, _ world: World) throws(Failure) {
        let name = policy.name(inForce: everyone.policy)
        do throws(JournalError) {
            for opened in all {
                try opened.opening.noteStart(version: Belfry.version, policy: name, at: world.clock())
            }
            policy.adopt(into: everyone, atOnce: directory.partitions != nil)
            guard directory.partitions != nil else { return }
            let told = try Copies(in: directory.everyone, on: world.disk)
            copies = told.all
            for opened in people { missing.append(try told.missing(in: opened.opening)) }
        } catch {
            throw Failure(error)
        }
    }

    /// Those of people, as whoever settles their tokens asks for them.
    var ofPeople: [(name: LogName, opening: WorkerOpening)] { people.map { ($0.name, $0.opening) } }

    /// Takes out of the spools what is of people who were erased, or has texts that were, and says how much that was.
    ///
    /// An erasure may have been recorded while no worker was there, or one with other sinks, or one that was killed before it had
    /// cleared them. The log alone knows for sure, so it is asked at every start.
    func clear(_ spools: [SpoolSink]) throws(Failure) -> Int {
        guard !spools.isEmpty else { return 0 }
        let hasErased = all.contains { $0.opening.erasedPeople > 0 }
        // Of a spool that nobody empties every file would be read before the worker is ready.
        if !hasErased { guard try saysThatTextsAreErased() else { return 0 } }
        var oldest: Instant?
        for spool in spools {
            _ = spool.keep { _, decided in
                oldest = [oldest, decided].compactMap { $0 }.min()
                return true
            }
        }
        var textsErased: [LogName: Instant] = [:]
        do throws(JournalError) {
            // What was erased of a job was erased behind it.
            if let oldest {
                for opened in people {
                    textsErased[opened.name] = try opened.opening.core.textsErasedBefore(saidSince: oldest)
                }
            }
        } catch {
            throw Failure(error)
        }
        guard hasErased || !textsErased.isEmpty else { return 0 }
        return spools.reduce(0) { count, spool in
            count
                + spool.keep { user, decided in
                    let name = LogName(of: user, among: directory.partitions)
                    if let decided, let before = textsErased[name], decided < before { return false }
                    guard hasErased else { return true }
                    guard let person = all.first(where: { $0.name == name })?.opening.core.person(user) else {
                        return false
                    }
                    // What was decided before they came was told to whoever had the id before them (`E4`).
                    return decided.map { $0 >= person.enrolledAt } ?? true
                }
        }
    }

    private func saysThatTextsAreErased() throws(Failure) -> Bool {
        do throws(JournalError) {
            for opened in people where try opened.opening.core.textsErasedBefore(saidSince: .distantPast) != nil {
                return true
            }
            return false
        } catch {
            throw Failure(error)
        }
    }

    /// The logs with their workers, which are still to be started.
    ///
    /// - Parameter failed: is told what keeps partitions from going on under one policy.
    func town(
        _ world: World, _ zones: ZoneDatabase, _ log: RunLog, senders: SendersAsked?,
        _ neighbours: (LogName) -> RunningLog.Neighbours, failed: @escaping @Sendable (Failure) -> Void
    ) throws(Failure) -> Town {
        for (opened, missing) in zip(people, missing) {
            Copies.give(Array(missing), to: opened.opening, opened.name, failed: failed)
        }
        let logs = all.map { opened in
            senders?.begin(asking: opened.opening.core)
            return RunningLog(
                opened.name, directory.log(opened.name), opened.opening, world, zones, log, neighbours(opened.name))
        }
        guard directory.partitions != nil else { return Town(logs[0], directory) }
        let crier = Crier(failed: failed)
        crier.record(through: logs[0].worker)
        crier.hear(copies)
        for log in logs.dropFirst() { crier.add(log.name.number ?? 0, log.worker, through: copies.last?.seq ?? 0) }
        return Town(directory, logs, crier)
    }

    private static func open(
        _ directory: String, _ world: World, _ zones: ZoneDatabase, _ log: RunLog
    ) throws(Failure) -> WorkerOpening {
        do throws(JournalError) {
            var journal = JournalOptions()
            journal.lockPatience = .short(first: { holder in
                log.info("another has the log; waiting for it to stop", ("holder", holder))
            })
            let opening = try WorkerOpening(
                directory, on: world.disk, holder: LogHolder.worker, options: journal,
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
}

/// Safe to share: openings are put by one thread each, and taken when all have ended.
private final class Found: @unchecked Sendable {
    private let lock = Mutex(())
    private var results: [Result<WorkerOpening, Failure>?]

    init(_ count: Int) { results = (0..<count).map { _ in nil } }

    func put(_ result: Result<WorkerOpening, Failure>, at place: Int) { lock.withLock { _ in results[place] = result } }
    func takeAll() -> [Result<WorkerOpening, Failure>?] { lock.withLock { _ in results } }
}

/// Safe to share: opening logs asks the disk, the clock and the zones, each of which may be shared; nothing is printed.
private struct SharedWorld: @unchecked Sendable {
    let world: World

    init(_ world: World) { self.world = world }
}

extension LogName {
    /// Whether it speaks for all where each sees the same.
    var isFirst: Bool { self != .everyone && (number ?? 0) == 0 }

    /// With the places by which delivery finds them again.
    func told(_ places: [EventPlace]) -> [JobPlace] {
        places.map {
            JobPlace(
                position: TownPlace.outer($0.position, in: number), seq: TownPlace.outer($0.seq, in: number),
                channels: $0.channels, insteadOf: $0.insteadOf)
        }
    }
}
