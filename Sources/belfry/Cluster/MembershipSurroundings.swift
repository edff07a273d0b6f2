import Shared

extension Membership {
    /// What it does to its surroundings.
    struct Surroundings: Sendable {
        /// Opens a partition that was taken: its copy is as long as the log.
        var open: @Sendable (Holding, LeaseOfPartition) throws(MembershipProblem) -> RunningLog
        /// Fetches what is to come.
        var preparation: Preparation
        /// Folded states that lie in the database.
        var fetched: FetchedState
        var statesForOthers: StatesForOthers
        var deliveries: Departures.Deliveries
        var revocations: MissedRevocations
        /// `nil` where the logs have no seals.
        var erasures: OthersErasures?
        /// The process is to end.
        var failed: @Sendable (Failure) -> Void
    }

    /// The connections, for as long as all of them hold.
    struct Session {
        var connection: any SharedLogConnection
        var appender: any SharedLogConnection
        var line: AppendLine

        func close() { for one in [connection, appender] { one.close() } }
    }
}

extension Move {
    /// The partition that it gives to another worker.
    var partitionThatLeaves: Int? { if case .handOver(let partition, _, _) = self { partition } else { nil } }
}

extension ClusterView {
    /// Under which epoch each partition was taken last.
    var epochs: [Int: Int64] { Dictionary(uniqueKeysWithValues: partitions.map { ($0.number, $0.epoch) }) }

    /// The partitions whose owner lives.
    var owned: Set<Int> {
        let workers = Set(living.map(\.id))
        return Set(partitions.filter { $0.owner.map { workers.contains($0) } ?? false }.map(\.number))
    }
}
