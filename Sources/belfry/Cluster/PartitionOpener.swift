import CivilTime
import Delivery
import Dispatch
import Foundation
import Journal
import Notices
import Shared
import Worker

/// Opens a partition that was taken, and begins to work on it.
///
/// Safe to share: the membership's thread alone opens, and what it uses may be used by any thread.
final class PartitionOpener: @unchecked Sendable {
    private let cache: ClusterCache
    private let world: World
    private let zones: ZoneDatabase
    private let log: RunLog
    private let policy: PolicyKeeper
    private let senders: SendersAsked?
    private let oldKeys: OldKeySweep?
    private let around: @Sendable (LogName) -> RunningLog.Neighbours
    private let takeUp: TakeUp
    private let failed: @Sendable (Failure) -> Void

    /// Looks what of a log's jobs without an outcome does not wait here; returns what takes that up.
    typealias TakeUp = @Sendable (LogName, [EventPlace]) -> @Sendable () -> Void

    /// - Parameter failed: a partition cannot go on under the policy of everyone; the process is to end.
    init(
        _ cache: ClusterCache, _ world: World, _ zones: ZoneDatabase, _ log: RunLog, _ policy: PolicyKeeper,
        senders: SendersAsked?, oldKeys: OldKeySweep?,
        around: @escaping @Sendable (LogName) -> RunningLog.Neighbours,
        takeUp: @escaping TakeUp, failed: @escaping @Sendable (Failure) -> Void
    ) {
        (self.cache, self.world, self.zones, self.log, self.policy) = (cache, world, zones, log, policy)
        (self.senders, self.oldKeys, self.around, self.takeUp) = (senders, oldKeys, around, takeUp)
        self.failed = failed
    }

    func open(
        _ holding: Holding, _ lease: Membership.LeaseOfPartition, _ town: Town, _ crier: Crier
    ) throws(MembershipProblem) -> RunningLog {
        let name = ClusterCache.name(holding.partition)
        let opening: WorkerOpening
        var through: UInt64 = 0
        let isAdopted = DispatchSemaphore(value: 0)
        do throws(JournalError) { opening = try open(holding.partition) } catch {
            throw MembershipProblem(error, of: holding.partition)
        }
        do throws(JournalError) {
            if cache.keys?.wasOpened(holding.partition) == true { oldKeys?.soon() }
            try opening.noteTaking(
                of: holding.partition, epoch: holding.epoch, by: "\(lease.worker)", at: world.clock())
            try opening.noteStart(
                version: Belfry.version, policy: policy.name(inForce: opening.policy), at: world.clock())
            if name == .everyone {
                policy.adopt(into: opening, atOnce: false, isTakenOver: true) { isAdopted.signal() }
            } else {
                through = try copy(into: opening, name)
            }
        } catch .lost(let words) {
            throw .passing(words)
        } catch {
            throw .fatal(Failure(error))
        }
        senders?.begin(asking: opening.core)
        var neighbours = around(name)
        neighbours.mayDecide = lease.mayDecide
        neighbours.elsewhere = lease.batches
        neighbours.failed = { [keys = cache.keys] error in
            lease.failed(keys?.judged(error, of: holding.partition) ?? error)
        }
        let running = RunningLog(name, cache.path(holding.partition), opening, world, zones, log, neighbours)
        // Before any of it may be handed out.
        let takeUp = takeUp(name, opening.outstanding)
        town.add(running)
        if name == .everyone {
            crier.record(through: running.worker)
        } else {
            crier.add(holding.partition, running.worker, through: through)
        }
        running.start()
        running.whenCaughtUp(takeUp)
        // Where the log of everyone is new, its first policy is adopted before any partition decides.
        if name == .everyone, opening.policy == nil, isAdopted.wait(timeout: .now() + Self.policyPatience) == .timedOut
        {
            log.warning("the first policy is not in the log of everyone yet; until it is, `standard` is in force")
        }
        return running
    }

    private static let policyPatience = DispatchTimeInterval.seconds(2)

    private func open(_ partition: Int) throws(JournalError) -> WorkerOpening {
        var journal = JournalOptions()
        journal.identity = try cache.identity(partition)
        journal.lockPatience = .short()
        let opening = try WorkerOpening(
            cache.path(partition), on: world.disk, holder: LogHolder.worker, options: journal,
            .told(zones, to: log))
        for note in OpeningNote.notes(on: opening, world.disk) { log.say(.warning, note.words, note.fields) }
        return opening
    }

    /// What is about everyone comes before anything else. Returns up to where there is none.
    private func copy(into opening: WorkerOpening, _ name: LogName) throws(JournalError) -> UInt64 {
        let told: Copies
        do throws(JournalError) {
            told = try Copies(in: cache.path(Partition.everyone), on: world.disk)
        } catch .noLog {
            return 0
        }
        Copies.give(Array(try told.missing(in: opening)), to: opening, name, failed: failed)
        return told.all.last?.seq ?? 0
    }
}

extension Membership {
    /// What a partition's worker needs to know of its lease.
    struct LeaseOfPartition: Sendable {
        var worker: WorkerID
        var mayDecide: @Sendable () -> Bool
        var batches: SharedBatches
        /// Its log takes nothing more.
        var failed: @Sendable (JournalError) -> Void
    }
}
