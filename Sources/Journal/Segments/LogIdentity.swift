/// Which log a file belongs to: random, made with the log, and the seed of its hash tables.
package struct LogIdentity: Sendable, Equatable {
    package let words: (UInt64, UInt64)

    package init(words: (UInt64, UInt64)) { self.words = words }

    /// Of a log that has nothing in it yet.
    static let none = LogIdentity(words: (0, 0))

    package static func == (left: LogIdentity, right: LogIdentity) -> Bool { left.words == right.words }
}
