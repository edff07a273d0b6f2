public import Journal

/// Where a person's story is found in what is durable: enough to read it without the index of everybody.
public struct PersonPlace: Sendable {
    public var user: String
    public var number: UInt32
    public var lastCommit: UInt64
    public var generalCommits: [UInt64]
    public var head: LogHead

    /// - Parameter known: which of those that have borne the id; `nil` for whoever bears it now.
    init?(of user: String, numbered known: UInt32? = nil, in journal: Journal) {
        guard let number = known ?? journal.people.number(of: user), let last = journal.people.lastCommit(of: number)
        else {
            return nil
        }
        self.user = user
        self.number = number
        lastCommit = last
        generalCommits = journal.generalCommits
        head = journal.head
    }
}
