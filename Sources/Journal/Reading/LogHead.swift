package import Hashing
package import CivilTime

/// Where the chain of commits stands: what the next one must continue.
package struct LogHead: Sendable, Equatable {
    /// Where the next commit begins.
    package var position: UInt64
    package var lastSeq: UInt64
    package var at: Instant
    package var hash: Digest

    package static let start = LogHead(
        position: 0, lastSeq: 0, at: Instant(milliseconds: .min), hash: .zero)

    package init(position: UInt64, lastSeq: UInt64, at: Instant, hash: Digest) {
        self.position = position
        self.lastSeq = lastSeq
        self.at = at
        self.hash = hash
    }
}
