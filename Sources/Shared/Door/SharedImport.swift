internal import Hashing

/// The mark of a cluster that is made of a history and does not hold all of it yet.
///
/// Whoever decided on a part of it would not know what came later: that somebody opted out, or left. So it is nobody's to go on with,
/// whether the import still runs or was cut off. The mark lies among what workers miss (`M5`), as a place that no log ever reaches:
/// workers that do not know of imports stop there too.
extension SharedLogConnection {
    /// Says so to all, durably: to be called before anything of the history is there.
    public func beginImport() throws(SharedLogError) { try tellMissing(.ofImport) }

    /// To be called when all of the history is durable.
    public func endImport() throws(SharedLogError) { _ = try missNothing(at: MissingHead.ofImport.url) }

    /// That no import runs or was cut off. Returns what workers have told that they miss.
    @discardableResult
    public func expectImported() throws(SharedLogError) -> [MissingHead] {
        let missing = try missing()
        if missing.contains(where: \.isOfImport) { throw .halfImported(database: cluster.database) }
        return missing
    }
}

extension MissingHead {
    /// In place of a worker's address, which is a URL.
    fileprivate static let ofImport = MissingHead(
        AcknowledgedHead(partition: Partition.everyone, position: UInt64(Int64.max), hash: .zero),
        of: "belfry cluster import")

    /// Whether it is the mark of an import, and no worker's word.
    public var isOfImport: Bool { url == Self.ofImport.url }
}
