public import Hashing

/// What the database has where a log was acknowledged.
public enum HeadPresence: Sendable, Equatable {
    case present
    /// Its log ends before: it has lost what it had acknowledged (a restored backup, a wrong primary). Nothing goes on.
    case missing(end: UInt64)
    /// It has something else there: another log.
    case different
}

extension AcknowledgedHead {
    /// What the database has at the head, as the row tells that begins in front of it and reaches there at least.
    ///
    /// A row holds many frames. A copy whose write was cut ends between two of them, and has lost nothing.
    ///
    /// - Parameters:
    ///   - until: where the row ends.
    ///   - hash: of its last frame.
    ///   - next: what begins at the head's position in the row; empty where the row ends there.
    public func presence(inRowUntil until: UInt64, _ hash: Digest, next: some Collection<UInt8>) -> HeadPresence {
        let isThere = until == position ? hash == self.hash : isContinued(by: Array(next.prefix(Self.headerBytes)))
        return isThere ? .present : .different
    }

    /// So many bytes of what comes next tell.
    static let headerBytes = 72

    /// Whether a frame begins at the head that carries its hash: bytes 0–3, 16–23 and 40–71 of a commit
    /// (`Sources/Journal/FORMAT.md`).
    private func isContinued(by header: [UInt8]) -> Bool {
        guard header.count == Self.headerBytes, header.starts(with: [0xFF, 0x42, 0x4C, 0x4D]) else { return false }
        let place = header[16..<24].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return place == position && header[40..<72].elementsEqual(hash.bytes)
    }
}
