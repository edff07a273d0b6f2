public import Journal
public import Notices

/// Reads jobs back from the log by their places, beside whoever writes it.
public final class JobReader: Sendable {
    private let log: LogAtHand

    public init(_ directory: String, on disk: any Disk) { log = LogAtHand(directory, on: disk) }

    /// The jobs of the commit at a position, which is durable.
    public func jobs(at position: UInt64) throws(JournalError) -> [Event] {
        try events(at: position) { raw, log throws in
            raw.typeNumber == JobEmitted.type.number ? try log.event(raw) : nil
        }
    }

    /// The registration of a device in the commit at a position, which is durable. Of a commit that registers many, the
    /// others are left as they are.
    public func registration(_ seq: UInt64, at position: UInt64) throws(JournalError) -> DeviceRegistered? {
        let events = try events(at: position) { raw, _ throws in
            guard raw.seq == seq, let payload = try raw.decoded() else { return nil }
            return Event(seq: raw.seq, at: raw.at, user: nil, payload: payload)
        }
        guard case .deviceRegistered(let device)? = events.first?.payload else { return nil }
        return device
    }

    private typealias Reading = (RawEvent, LogReader) throws -> Event?

    private func events(at position: UInt64, _ reading: Reading) throws(JournalError) -> [Event] {
        try log.read { (log) throws(JournalError) in try Self.events(at: position, in: log, reading) }
    }

    private static func events(
        at position: UInt64, in log: LogReader, _ reading: Reading
    ) throws(JournalError) -> [Event] {
        try log.withCommit(at: position) { (frame) throws(JournalError) in
            var body = CommitBody(frame)
            var events: [Event] = []
            do {
                while let item = try body.next() {
                    if case .event(let raw) = item, let event = try reading(raw, log) { events.append(event) }
                }
            } catch let error as JournalError {
                // A key that cannot be read is no damage to the log.
                throw error
            } catch {
                throw .damaged(Damage(log.directory, "position \(position): \(error)"))
            }
            return events
        }
    }
}
