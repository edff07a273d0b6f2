/// Who of the living a partition belongs to: the one with the highest score for it (rendezvous hashing).
///
/// Every worker comes to the same answer from the same names, without a leader. Where one comes or goes, only partitions that
/// it gains or had change hands. The scores are part of the format: workers of two versions must agree.
public enum Rendezvous {
    public static func owner(of partition: Int, among workers: some Sequence<WorkerID>) -> WorkerID? {
        workers.max { (score($0, partition), $0) < (score($1, partition), $1) }
    }

    /// Of names for a worker that comes, the one with which all get the most even shares. Of few partitions one that is drawn
    /// blindly may get none, and its machine would do nothing.
    public static func fairest(
        of names: [WorkerID], beside others: [WorkerID], partitions: some Collection<Int>
    ) -> WorkerID? {
        func spread(with name: WorkerID) -> Int {
            var shares = Dictionary(uniqueKeysWithValues: (others + [name]).map { ($0, 0) })
            for partition in partitions {
                if let owner = owner(of: partition, among: shares.keys) { shares[owner, default: 0] += 1 }
            }
            return (shares.values.max() ?? 0) - (shares.values.min() ?? 0)
        }
        return names.map { (name: $0, spread: spread(with: $0)) }.min { $0.spread < $1.spread }?.name
    }

    private static func score(_ worker: WorkerID, _ partition: Int) -> UInt64 {
        let place = UInt64(bitPattern: Int64(partition)) &* 0x9E37_79B9_7F4A_7C15
        return ((worker.words.0 ^ place).mixed ^ worker.words.1).mixed
    }
}
