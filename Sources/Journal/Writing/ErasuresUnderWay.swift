internal import Notices

/// Keys that are to be destroyed once the log says durably that what they open is erased: people's (`E1`), and of weeks.
struct ErasuresUnderWay {
    /// In the log's order.
    private var commits: [(people: [UInt32], texts: TextWeek?, durableAt: UInt64)] = []

    var people: Int { commits.reduce(0) { $0 + $1.people.count } }

    mutating func append(_ people: [UInt32], texts: TextWeek?, durableAt: UInt64) {
        commits.append((people, texts, durableAt))
    }

    /// Up to where what was asked for may be answered: whoever is told that somebody is erased is told so when the key is gone.
    func answerable(_ durable: UInt64) -> UInt64 { min(durable, commits.first.map { $0.durableAt - 1 } ?? .max) }

    func isDue(at durable: UInt64) -> Bool { commits.first.map { $0.durableAt <= durable } ?? false }

    /// Destroys keys of those whose erasure is durable, of all commits together: what lies on one page of keys is written anew once. As
    /// many as can be at once; the others are due still. What cannot be destroyed now is at the next start.
    mutating func destroyKeys(_ seals: (any LogSeals)?, durable: UInt64) throws(JournalError) {
        let due = commits.prefix { $0.durableAt <= durable }
        guard let first = due.first else { return }
        let people = due.flatMap(\.people)
        let rest = people.isEmpty ? [] : try seals?.destroy(people) ?? []
        if let week = due.compactMap(\.texts).max() { try seals?.destroyKeys(before: week) }
        let left = rest.isEmpty ? [] : [(rest, TextWeek?.none, first.durableAt)]
        commits.replaceSubrange(..<due.count, with: left)
    }
}
