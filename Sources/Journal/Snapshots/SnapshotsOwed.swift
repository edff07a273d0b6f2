internal import Notices

/// Snapshots that still tell of somebody, or of what somebody was told, though the log has erased it since (`E1`).
///
/// The log alone says which they are. A mark beside it could be taken away by one erasure under the next, and an older copy comes without.
extension LogReader {
    /// Whether the log says behind a place, as far as it is known to be durable, that somebody is erased or what people were told.
    public func hasErasure(behind head: LogHead) throws(JournalError) -> Bool {
        // What was taken of another history may hold anybody.
        try lastErasure(behind: isOnChain(head) ? head : .start) != nil
    }

    /// The snapshots beside the log that are to be written anew or removed because of an erasure, and drafts of them that somebody who was
    /// killed has left. It counts where each was taken, whatever its version: a file that is passed over is on the disk all the same. One
    /// of which nobody can say where it was taken is owed as well.
    public func snapshotsBeforeErasure() throws(JournalError) -> [String] {
        guard let identity else { return [] }
        var (owed, placed): ([String], [(name: String, head: LogHead)]) = ([], [])
        for name in try onDisk({ () throws(DiskError) in try disk.list(directory) })
        where LogFile.snapshots.contains(name) || LogFile.isDraftBesideWriter(name) {
            let place = LogEvidence.place(of: name, in: directory, on: disk)
            if let place, place.identity == identity, try isOnChain(place.head) {
                placed.append((name, place.head))
            } else {
                owed.append(name)
            }
        }
        // One look for all of them: each may be far behind.
        guard let first = placed.map(\.head).min(by: { $0.position < $1.position }),
            let last = try lastErasure(behind: first)
        else { return owed }
        return owed + placed.filter { $0.head.position < last }.map(\.name)
    }

    /// Where the commit ends that says so last.
    private func lastErasure(behind head: LogHead) throws(JournalError) -> UInt64? {
        let limit = min(durablePosition ?? .max, endPosition)
        guard head.position < limit else { return nil }
        let scanner = scanner(from: head, checksHashes: false)
        var last: UInt64?
        while scanner.head.position < limit, let frame = try scanner.next() {
            var body = CommitBody(frame)
            var (events, isErasure) = (0, false)
            do throws(WireError) {
                while let item = try body.next() {
                    guard case .event(let event) = item else { continue }
                    let type = event.typeNumber
                    if type == PersonErased.type.number || type == TextsErased.type.number { isErasure = true }
                    events += 1
                }
            } catch {
                throw scanner.damage("\(error)")
            }
            try scanner.took(events: events)
            if isErasure { last = scanner.head.position }
        }
        return last
    }
}
