public import Journal
internal import Notices

extension Numbers {
    /// Reads on behind what was folded: whole commits, up to a place in the log, and as long as there is time.
    ///
    /// - Parameters:
    ///   - limit: commits that begin at or behind it are left for later.
    ///   - isTimeUp: asked after every commit.
    /// - Returns: whether everything up to the limit was read.
    @discardableResult
    public mutating func read(
        _ log: LogReader, through limit: UInt64 = .max, until isTimeUp: () -> Bool = { false }
    ) throws(JournalError) -> Bool {
        let scanner = log.scanner(from: head, checksHashes: true)
        while scanner.head.position < limit {
            guard let frame = try scanner.next() else { break }
            var body = CommitBody(frame)
            var events = 0
            do {
                while let item = try body.next() {
                    switch item {
                    case .newPerson: meet()
                    case .event(let raw):
                        events += 1
                        begin(dayOf: raw.at)
                        guard Self.types.contains(raw.typeNumber), let payload = try raw.decoded() else { continue }
                        take(payload, about: raw.person, at: raw.at)
                    }
                }
            } catch {
                throw scanner.damage("\(error)")
            }
            try scanner.took(events: events)
            head = scanner.head
            if isTimeUp() { return false }
        }
        return true
    }
}
