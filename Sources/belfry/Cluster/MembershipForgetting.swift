import Shared

extension Membership {
    // MARK: What is not this worker's any more

    func forget(_ log: RunningLog) {
        _ = town.remove(log.name)
        surroundings.preparation.letGo(of: log.name.number ?? Partition.everyone)
        if log.name == .everyone {
            crier.record(through: nil)
            everyone.forget()
        } else {
            crier.remove(log.name.number ?? 0)
        }
    }

    /// Whoever has the partition next may destroy some of them.
    func forgetKeys(of partition: Int) {
        cache.keys?.letGo(of: partition)
        cache.forgetKeys(of: partition)
    }
}
