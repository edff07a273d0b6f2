public import Journal
public import Notices

/// A fact about nobody in particular that was sent under an id.
public struct GeneralFact: Sendable {
    public let id: String
    /// Its number in the log.
    public let seq: UInt64
    public let payload: Payload
}

extension WorkerOpening {
    /// The last of those whose ids begin so; `nil` where the log has none. To be asked before anything is recorded.
    public func lastFact(withIDFrom prefix: String) throws(JournalError) -> GeneralFact? {
        let log = try LogReader(core.journal.directory, on: core.journal.disk)
        for position in core.journal.generalCommits.reversed() {
            let found = try log.withCommit(at: position) { (frame) throws(JournalError) -> GeneralFact? in
                var body = CommitBody(frame)
                var last: GeneralFact?
                do {
                    while let item = try body.next() {
                        guard case .event(let event) = item, event.person == nil, let id = try event.idText(),
                            id.hasPrefix(prefix), let payload = try event.decoded()
                        else { continue }
                        last = GeneralFact(id: id, seq: event.seq, payload: payload)
                    }
                } catch {
                    throw JournalError.damaged(Damage(log.directory, "position \(position): \(error)"))
                }
                return last
            }
            if let found { return found }
        }
        return nil
    }
}
