internal import Shared

/// Snapshots in the simulated database, a row a part.
extension SimulatedSession {
    private typealias Row = SimulatedSharedLog.SnapshotRow

    func putSnapshotPart(
        _ part: Int, of snapshot: SharedSnapshot, in partition: Int, bytes: [UInt8]
    ) throws(SharedLogError) -> Bool {
        try send { state throws(SharedLogError) in
            guard state.tables.partitions[partition]?.epoch == snapshot.epoch else { return Effect(answer: false) }
            return Effect(answer: true, locks: [partition]) {
                $0.snapshots[Row(partition: partition, snapshot: snapshot, part: part)] = bytes
            }
        }
    }

    func snapshots(_ sort: SnapshotSort, of partition: Int) throws(SharedLogError) -> [SharedSnapshot] {
        try send(changes: false) { state throws(SharedLogError) in
            let rows = state.tables.snapshots.keys.filter { $0.partition == partition && $0.snapshot.sort == sort }
            let whole = Dictionary(grouping: rows, by: \.snapshot).filter { $0.key.parts == $0.value.count }
            return Effect(
                answer: whole.keys.sorted { ($0.position, $0.epoch) > ($1.position, $1.epoch) })
        }
    }

    func snapshotPart(
        _ part: Int, of snapshot: SharedSnapshot, in partition: Int
    ) throws(SharedLogError) -> [UInt8]? {
        try send(changes: false) { state throws(SharedLogError) in
            Effect(answer: state.tables.snapshots[Row(partition: partition, snapshot: snapshot, part: part)])
        }
    }

    func pruneSnapshots(
        _ sort: SnapshotSort, of partition: Int, epoch: Int64, keeping: [SharedSnapshot]
    ) throws(SharedLogError) -> Int? {
        try send { state throws(SharedLogError) in
            guard state.tables.partitions[partition]?.epoch == epoch else { return Effect(answer: nil) }
            let old = state.tables.snapshots.keys.filter { row in
                row.partition == partition && row.snapshot.sort == sort
                    && !keeping.contains { ($0.position, $0.epoch) == (row.snapshot.position, row.snapshot.epoch) }
            }.prefix(SharedSnapshot.partsPruned)
            return Effect(answer: old.count, locks: [partition]) { tables in
                for row in old { tables.snapshots[row] = nil }
            }
        }
    }
}
