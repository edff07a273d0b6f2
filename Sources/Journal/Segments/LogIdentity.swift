/// Which log a file belongs to: random, made with the log, and the seed of its hash tables.
public struct LogIdentity: Sendable, Equatable {
    public let words: (UInt64, UInt64)

    public init(words: (UInt64, UInt64)) { self.words = words }

    /// Of a log that has nothing in it yet.
    static let none = LogIdentity(words: (0, 0))

    public static func == (left: LogIdentity, right: LogIdentity) -> Bool { left.words == right.words }
}
