import Reports
import Shared
import Synchronization

/// What a worker's part in its cluster comes to, for `/metrics`: counted by the membership, asked from any thread.
final class ClusterFigures: Sendable {
    /// How a partition came to this worker.
    enum Coming: String, CaseIterable {
        /// Its owner gave it.
        case given
        /// It had no owner, or one that did not live any more.
        case orphaned
        /// It was this worker's, and an append was not answered.
        case again
    }

    /// How one went.
    enum Going: String, CaseIterable {
        case given
        /// It was dropped: another has it, or the database was not heard of.
        case lost
    }

    struct Standing: Sendable {
        /// All logs, that of everyone among them, as they were last seen.
        var partitions = 0
        var ownerless = 0
        var workers = 0
        /// When that was; `nil` before the first look.
        var seenAt: ContinuousClock.Instant?
        var came: [Coming: Int] = [:]
        var went: [Going: Int] = [:]
        fileprivate var lease: Lease?
        /// Why nothing could be decided when it was tried last.
        fileprivate var failure: String?
        /// Whether the lease was not renewed for this worker's own sake.
        fileprivate var standsStill = false

        /// Since the newest renewal that was confirmed.
        var leaseAge: Duration? { lease?.age }
        var viewAge: Duration? { seenAt.map { ContinuousClock.now - $0 } }
        /// Whether what was seen is so recent that it may still be so.
        var isFresh: Bool {
            guard let viewAge, let lease else { return false }
            return viewAge < lease.terms.lifetime
        }
    }

    private let state = Mutex(Standing())

    var standing: Standing { state.withLock { $0 } }

    /// Without a lease that it can trust a worker decides nothing (`M4`), and requests are to go elsewhere.
    var whyNotReady: String? {
        let (lease, why, standsStill) = state.withLock { ($0.lease, $0.failure, $0.standsStill) }
        if lease?.mayDecide == true { return nil }
        if standsStill { return Self.stillness }
        return why ?? "the database is not reached, so nothing is decided"
    }

    /// - Parameter failure: why nothing can be decided; `nil` where it can.
    func tried(failure: String?) { state.withLock { $0.failure = failure } }

    /// A beat of the lease. Returns what there is to say of it.
    func note(_ beat: Heartbeat.Beat) -> String? {
        let standsStill = beat == .queueStandsStill
        let isNews = state.withLock { state in
            defer { state.standsStill = standsStill }
            return state.standsStill != standsStill
        }
        guard isNews else { return nil }
        return standsStill ? Self.stillness : "this worker's own queue turns again"
    }

    private static let stillness =
        "this worker's own queue stands still, so its lease is not renewed: see its processor, its disk and how long the database takes"

    func begin(_ lease: Lease) { state.withLock { $0.lease = lease } }

    func see(_ view: ClusterView) {
        state.withLock { state in
            state.partitions = view.partitions.count
            state.ownerless = view.partitions.count { view.url(ofOwnerOf: $0.number) == nil }
            state.workers = view.living.count
            state.seenAt = .now
        }
    }

    func note(came how: Coming) { state.withLock { $0.came[how, default: 0] += 1 } }
    func note(went how: Going) { state.withLock { $0.went[how, default: 0] += 1 } }
}

extension MetricsPage {
    /// - Parameters:
    ///   - owned: the logs that are decided here.
    ///   - behind: how many facts about everyone a partition here lacks.
    ///   - unusable: how many copies here could not be used when it was tried last.
    mutating func write(_ figures: ClusterFigures?, owned: Int, behind: Int, unusable: Int) {
        let standing = figures?.standing
        family("belfry_cluster_partitions", .gauge, "Logs of the cluster, that of everyone among them")
        if let standing { sample(standing.partitions) }
        family("belfry_cluster_owned", .gauge, "Logs that this worker owns")
        if standing != nil { sample(owned) }
        family("belfry_cluster_ownerless", .gauge, "Logs that no living worker owned, when this one looked last")
        // Whoever does not see the database any more knows nothing of it.
        if let standing, standing.isFresh { sample(standing.ownerless) }
        family("belfry_cluster_workers", .gauge, "Workers that lived, when this one looked last")
        if let standing { sample(standing.workers) }
        family("belfry_cluster_view_age_seconds", .gauge, "Since this worker looked last who owns what")
        if let age = standing?.viewAge { sample(age / .seconds(1)) }
        family("belfry_cluster_lease_age_seconds", .gauge, "Since the newest renewal of the lease that was confirmed")
        if let age = standing?.leaseAge { sample(age / .seconds(1)) }
        family("belfry_cluster_taken", .counter, "Logs that came to this worker, by how")
        if let standing {
            for how in ClusterFigures.Coming.allCases { sample(standing.came[how] ?? 0, ["how": how.rawValue]) }
        }
        family("belfry_cluster_left", .counter, "Logs that this worker has no more, by how")
        if let standing {
            for how in ClusterFigures.Going.allCases { sample(standing.went[how] ?? 0, ["how": how.rawValue]) }
        }
        family(
            "belfry_cluster_everyone_behind", .gauge, "Facts about everyone that a partition of this worker still lacks"
        )
        if standing != nil { sample(behind) }
        family("belfry_cluster_copies_unusable", .gauge, "Logs whose copies here could not be used when tried last")
        if standing != nil { sample(unusable) }
    }
}
