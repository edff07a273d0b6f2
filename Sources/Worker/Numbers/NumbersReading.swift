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
            var (events, newcomers) = (0, 0)
            do {
                while let item = try body.next() {
                    switch item {
                    case .newPerson: newcomers += 1
                    case .event(let raw):
                        events += 1
                        begin(dayOf: raw.at)
                        // Whom the log meets with an event they use something from its day on, not from the day before.
                        while newcomers > 0 {
                            meet()
                            newcomers -= 1
                        }
                        guard Self.types.contains(raw.typeNumber), let payload = try raw.decoded() else { continue }
                        take(payload, seq: raw.seq, about: raw.person, at: raw.at)
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
