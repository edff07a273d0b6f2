public import Notices

/// Everyone in the log: their ids, numbered from 0 in order of first appearance, and where each one's last commit begins.
///
/// About 22 bytes a person besides the id itself: 14 for the roster, 8 for the last commit.
public struct People: Sendable {
    public private(set) var roster: Roster
    /// Position of the last commit about each person, + 1; 0 for none yet.
    private(set) var lastCommits: [UInt64] = []
    private var lastAsked: UInt32 = 0

    init(_ identity: LogIdentity) { roster = Roster(hashedBy: KeyHash(identity)) }

    /// `nil` when the two do not fit together; the caller then reads the log instead.
    init?(_ roster: Roster, lastCommits: [UInt64]) {
        guard roster.count == lastCommits.count else { return nil }
        self.roster = roster
        self.lastCommits = lastCommits
    }

    public var count: Int { lastCommits.count }

    public func id(_ number: UInt32) -> String? { number < count ? roster[Int(number)] : nil }

    public func number(of id: String) -> UInt32? { roster.number(of: id) }

    func number(of id: UnsafeRawBufferPointer) -> UInt32? { roster.number(of: id) }

    /// The person's number, newly given when the log has not met them.
    mutating func numberOrAdd(_ id: UnsafeRawBufferPointer) -> (number: UInt32, isNew: Bool) {
        // A crowd that is due at once comes in the order of its numbers, up or down.
        for step in -1...1 {
            let guess = UInt32(truncatingIfNeeded: Int(lastAsked) + step)
            guard roster.holds(id, at: guess) else { continue }
            lastAsked = guess
            return (guess, false)
        }
        let answer = roster.numberOrAdd(id)
        if answer.isNew { lastCommits.append(0) }
        lastAsked = answer.number
        return answer
    }

    public func lastCommit(of number: UInt32) -> UInt64? {
        guard number < count, lastCommits[Int(number)] != 0 else { return nil }
        return lastCommits[Int(number)] - 1
    }

    mutating func setLastCommit(of number: UInt32, _ position: UInt64) {
        lastCommits[Int(number)] = position + 1
    }
}

extension KeyHash {
    /// A log's own: what is hashed by it can be kept beside the log.
    public init(_ identity: LogIdentity) { self.init(words: identity.words) }
}
