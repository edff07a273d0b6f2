/// Who of the living a partition belongs to: the one with the highest score for it (rendezvous hashing).
///
/// Every worker comes to the same answer from the same names, without a leader. Where one comes or goes, only partitions that
/// it gains or had change hands. The scores are part of the format: workers of two versions must agree.
public enum Rendezvous {
    public static func owner(of partition: Int, among workers: some Sequence<WorkerID>) -> WorkerID? {
        workers.max { (score($0, partition), $0) < (score($1, partition), $1) }
    }

    private static func score(_ worker: WorkerID, _ partition: Int) -> UInt64 {
        let place = UInt64(bitPattern: Int64(partition)) &* 0x9E37_79B9_7F4A_7C15
        return ((worker.words.0 ^ place).mixed ^ worker.words.1).mixed
    }
}
