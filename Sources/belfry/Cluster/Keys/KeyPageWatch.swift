import Shared

/// Whether the database still has all pages of people's keys.
///
/// A worker's copy of a page would hide that it is gone: this one would go on, and whoever has the partition next could open
/// nobody's key.
struct KeyPageWatch {
    private let isSealed: Bool
    private var lookedAt: ContinuousClock.Instant?

    private static let pause = Duration.seconds(60)

    init(isSealed: Bool) { self.isSealed = isSealed }

    /// All partitions', now and then.
    mutating func look(_ connection: any SharedLogConnection) throws(SharedLogError) {
        if let lookedAt, ContinuousClock.now - lookedAt < Self.pause { return }
        lookedAt = .now
        try expect(nil, connection)
    }

    /// One partition's, before it is opened.
    func expect(_ partition: Int?, _ connection: any SharedLogConnection) throws(SharedLogError) {
        guard isSealed else { return }
        if let lost = SharedLogError(missing: try connection.missingKeyPages(of: partition)) { throw lost }
    }
}
