import Shared

/// Another worker that says it is reached where this one is: what is passed on to either comes to one of them, and the other's people
/// cannot be reached.
///
/// Whoever starts again at once has the worker that it was before beside it, until that one's lease is over.
struct NamesakeWatch {
    private var since: [WorkerID: BootInstant] = [:]
    private var isTold = false

    /// Whether it is to be said now: once each time, of one that goes on renewing its lease.
    mutating func look(
        _ view: ClusterView, as me: WorkerID, at url: String, lease: Duration, now: BootInstant
    ) -> Bool {
        let namesakes = view.living.filter { $0.id != me && $0.url == url }.map(\.id)
        since = since.filter { namesakes.contains($0.key) }
        for namesake in namesakes where since[namesake] == nil { since[namesake] = now }
        if since.isEmpty { isTold = false }
        guard !isTold, since.values.contains(where: { $0 + lease < now }) else { return false }
        isTold = true
        return true
    }
}
