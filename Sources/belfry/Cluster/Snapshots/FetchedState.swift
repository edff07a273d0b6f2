import Journal
import Shared
import Worker

/// Fetches the state of a partition from beside its log in the database, where the copy here has none or an old one: then only what
/// came after it is folded. Whatever is wrong with it, the one before is taken, or none: that costs time and is never wrong.
///
/// The copy has the log's rows by then, which is how a state is known to be of this very log.
struct FetchedState {
    let cache: ClusterCache
    let beginning: Beginning
    let log: RunLog

    /// A state that is older than the database's by less is not worth fetching another: the log between is folded in no time.
    private static let farBytes: UInt64 = 4 << 20

    /// Who fetches: the owner of a partition may come upon somebody who still prepares for it.
    enum Fetcher: String {
        case owner, heir
    }

    func fetch(_ partition: Int, as who: Fetcher, from connection: any SharedLogConnection) {
        do {
            let listed = try connection.snapshots(.state, of: partition)
            guard !listed.isEmpty else { return }
            let copy = try LogReader(cache.path(partition), on: cache.disk)
            guard !copy.isEmpty else { return }
            let own = try CarriedState.head(beside: copy, beginning).map { $0.position + Self.farBytes } ?? 0
            for snapshot in listed where snapshot.position > own && snapshot.position <= copy.endPosition {
                if let problem = try take(snapshot, of: partition, as: who, copy, connection) {
                    log.warning(
                        "a snapshot in the database is not used", ("partition", "\(partition)"),
                        ("position", "\(snapshot.position)"), ("epoch", "\(snapshot.epoch)"), ("why", problem))
                } else {
                    return log.info(
                        "a snapshot was fetched from the database", ("partition", "\(partition)"),
                        ("position", "\(snapshot.position)"))
                }
            }
        } catch {
            log.warning(
                "snapshots in the database could not be looked at", ("partition", "\(partition)"), ("why", "\(error)"))
        }
    }

    /// - Returns: why it is not used; `nil` where it is.
    private func take(
        _ snapshot: SharedSnapshot, of partition: Int, as who: Fetcher, _ copy: LogReader,
        _ connection: any SharedLogConnection
    ) throws -> String? {
        guard let start = try connection.snapshotPart(0, of: snapshot, in: partition) else { return Self.gone }
        guard let head = try CarriedState.head(beginning: start, of: copy), head.position == snapshot.position else {
            return "it is of another log, of another version of Belfry, or damaged"
        }
        let name = LogFile.fetched(by: who.rawValue)
        let path = DiskPath.join(copy.directory, name)
        let file = try copy.disk.openDraft(path)
        var isKept = false
        defer { if !isKept { try? copy.disk.remove(path) } }
        do {
            defer { copy.disk.close(file) }
            try copy.disk.writeAll(file, start, at: 0)
            var size = start.count
            for part in 1..<max(1, snapshot.parts) {
                guard let bytes = try connection.snapshotPart(part, of: snapshot, in: partition) else {
                    return Self.gone
                }
                try copy.disk.writeAll(file, bytes, at: size)
                size += bytes.count
            }
            try copy.disk.syncData(file)
        }
        isKept = true
        return try CarriedState.install(name, beside: copy, beginning)
            ? nil : "it is damaged, or concealed under a key that is gone"
    }

    private static let gone = "it was removed meanwhile"
}
