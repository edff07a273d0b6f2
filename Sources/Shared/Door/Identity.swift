internal import Hashing

/// The random name of something, as a UUID: 16 bytes that nobody else draws.
///
/// - Parameter Bearer: what is named, so that a worker's name is never taken for a cluster's.
public struct Identity<Bearer>: Sendable, Hashable {
    /// Both halves in the order of the text.
    public let words: (UInt64, UInt64)

    public init(words: (UInt64, UInt64)) { self.words = words }

    /// Drawn anew (a UUID of version 4).
    public static func random() -> Identity {
        let (first, second) = randomIdentity()
        return Identity(
            words: (first & ~0xF000 | 0x4000, second & ~(0xC000 << 48) | 0x8000 << 48))
    }

    /// - Precondition: there are 16 bytes.
    public init(bytes: some Collection<UInt8>) {
        precondition(bytes.count == 16, "a UUID has 16 bytes")
        func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        words = (word(bytes.prefix(8)), word(bytes.dropFirst(8)))
    }

    /// Of what `text` gives; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            let bytes = Hexadecimal.bytes(groups.joined().lowercased())
        else { return nil }
        self.init(bytes: bytes)
    }

    public var bytes: [UInt8] {
        [words.0, words.1].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }

    public static func == (left: Identity, right: Identity) -> Bool { left.words == right.words }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}

extension Identity: Comparable {
    public static func < (left: Identity, right: Identity) -> Bool { left.words < right.words }
}

extension Identity: CustomStringConvertible {
    public var description: String { Hexadecimal.uuid(bytes) }
}

/// One process that may own partitions. It draws a new id at every start, so that nothing of an earlier life is taken for its own.
public typealias WorkerID = Identity<WorkerState>

/// Which cluster's log a database holds: drawn by `create`, and kept beside every worker's cache of it.
public typealias ClusterID = Identity<Cluster>
