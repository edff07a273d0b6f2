/// A partition that its worker may append to.
public struct Holding: Sendable, Equatable {
    public var partition: Int
    public var epoch: Int64
    public var tail: LogTail

    public init(partition: Int, epoch: Int64, tail: LogTail) {
        self.partition = partition
        self.epoch = epoch
        self.tail = tail
    }
}

extension SharedLogConnection {
    /// Takes a partition, also one's own after an unknown outcome, and then reads where its log ends.
    ///
    /// The order matters. The new epoch waits for statements of the old owner that are under way, and shuts out those that
    /// come later; what is read after it is therefore all there will ever be of the old owner. A statement that hangs with
    /// the row in its hands is ended with its connection: it has not been answered, so nobody was told of it.
    ///
    /// - Parameter sparing: this worker's own connections that are in use.
    /// - Returns: `nil` where the partition is not to be had, or not now.
    public func take(
        _ partition: PartitionState, for worker: WorkerID, sparing: [Int32]
    ) throws(SharedLogError) -> Holding? {
        var acquisition = try acquire(partition.number, for: worker, seen: partition.epoch)
        if acquisition == .busy {
            _ = try terminateLeftovers(by: worker, sparing: sparing)
            acquisition = try acquire(partition.number, for: worker, seen: partition.epoch)
        }
        guard case .acquired(let epoch) = acquisition else { return nil }
        return Holding(partition: partition.number, epoch: epoch, tail: try tail(of: partition.number))
    }
}
