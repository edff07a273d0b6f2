public import Notices

/// Everyone in the log: their ids, numbered from 0 in order of first appearance, and where each one's last commit begins.
///
/// About 22 bytes a person besides the id itself: 14 for the roster, 8 for the last commit.
public struct People: Sendable {
    public let names: LogNames
    /// Position of the last commit about each person, + 1; 0 for none yet.
    private(set) var lastCommits: [UInt64] = []
    private var lastAsked: UInt32 = 0

    init(_ identity: LogIdentity) { names = LogNames(Roster(hashedBy: KeyHash(identity))) }

    /// `nil` when the two do not fit together; the caller then reads the log instead.
    init?(_ roster: Roster, lastCommits: [UInt64]) {
        guard roster.count == lastCommits.count else { return nil }
        names = LogNames(roster)
        self.lastCommits = lastCommits
    }

    public var count: Int { lastCommits.count }

    public func id(_ number: UInt32) -> String? { number < count ? names[number] : nil }

    public func number(of id: String) -> UInt32? { names.number(of: id) }

    func number(of id: UnsafeRawBufferPointer) -> UInt32? { names.number(of: id) }

    /// The person's number, newly given when the log has not met them.
    mutating func numberOrAdd(_ id: UnsafeRawBufferPointer) -> (number: UInt32, isNew: Bool) {
        let answer = names.numberOrAdd(id, after: lastAsked)
        if answer.isNew { lastCommits.append(0) }
        lastAsked = answer.number
        return answer
    }

    /// The next person whom the log meets.
    /// - Parameter before: how many it had met before those that are here.
    mutating func meet(_ person: RawPerson, after before: UInt32 = 0) throws(WireError) -> (number: UInt32, isNew: Bool)
    {
        let number = UInt32(count)
        return try person.withID(as: before + number) { id in
            guard Erased.holds(String(decoding: id, as: UTF8.self)) else { return numberOrAdd(id) }
            passOver()
            return (number, true)
        }
    }

    /// The next person whom the log meets, whose id nobody asks for: it is not even opened.
    mutating func passOver() {
        names.addErased()
        lastCommits.append(0)
    }

    /// Forgets somebody's id (`E1`).
    func erase(_ number: UInt32) { names.erase(number) }

    func isErased(_ number: UInt32) -> Bool { names.isErased(number) }

    /// Those whom the log has erased.
    public var erased: [UInt32] { names.erased }

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
