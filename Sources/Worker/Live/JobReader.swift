public import Journal
public import Notices
internal import Synchronization

/// Reads jobs back from the log by their places, beside whoever writes it.
public final class JobReader: Sendable {
    private let directory: String
    private let disk: any Disk
    private let log = Mutex<LogReader?>(nil)

    public init(_ directory: String, on disk: any Disk) {
        self.directory = directory
        self.disk = disk
    }

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
        if let known = log.withLock({ $0 }), let events = try? Self.events(at: position, in: known, reading) {
            return events
        }
        // The log has grown since it was listed.
        let fresh = try LogReader(directory, on: disk)
        log.withLock { $0 = fresh }
        return try Self.events(at: position, in: fresh, reading)
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
            } catch {
                throw .damaged(Damage(log.directory, "position \(position): \(error)"))
            }
            return events
        }
    }
}
