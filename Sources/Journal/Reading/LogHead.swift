public import Hashing
public import CivilTime

/// The end of the commit chain, which the next commit must continue.
public struct LogHead: Sendable, Equatable {
    /// Where the next commit begins.
    public var position: UInt64
    public var lastSeq: UInt64
    public var at: Instant
    public var hash: Digest

    public static let start = LogHead(
        position: 0, lastSeq: 0, at: Instant(milliseconds: .min), hash: .zero)

    public init(position: UInt64, lastSeq: UInt64, at: Instant, hash: Digest) {
        self.position = position
        self.lastSeq = lastSeq
        self.at = at
        self.hash = hash
    }
}
