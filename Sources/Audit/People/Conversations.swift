internal import CivilTime

/// Messages exchanged in each conversation since its last derived completion (S3).
struct Conversations {
    struct Exchange {
        var messages = 0
        var last: Instant
    }

    private var exchanges: [String: Exchange] = [:]

    /// The event that last said that a conversation was read or opened (P2).
    private(set) var reads: [String: UInt64] = [:]

    mutating func read(_ conversation: String, seq: UInt64) { reads[conversation] = seq }

    subscript(_ conversation: String) -> Exchange? { exchanges[conversation] }

    mutating func exchanged(in conversation: String, at instant: Instant) {
        exchanges[conversation, default: Exchange(last: instant)].messages += 1
        exchanges[conversation]?.last = instant
    }

    mutating func completed(_ conversation: String) { exchanges[conversation] = nil }
}
