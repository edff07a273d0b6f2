import Worker

/// A page of people out of several logs: partition by partition, and within each in the order in which its log met them.
struct PeoplePage {
    let query: PeopleQuery
    private(set) var found: [PersonSummary] = []
    /// Whether there may be more behind those found.
    private(set) var isThereMore = false

    /// What one log gives to a page.
    struct Leaf: Sendable {
        var partition: Int
        var found: [PersonSummary]
        var isThereMore: Bool
    }

    /// - Parameter search: looks through one log to its end, or until the page is full.
    init<Problem: Error>(
        _ query: PeopleQuery, _ directory: DataDirectory,
        _ search: (LogName, PeopleQuery) throws(Problem) -> PeopleSearch
    ) throws(Problem) {
        self.init(query, try Self.leaves(query, directory, directory.names, search), directory)
    }

    /// - Parameter leaves: of every log behind the first that is wanted; those of several workers, in any order.
    init(_ query: PeopleQuery, _ leaves: [Leaf], _ directory: DataDirectory) {
        self.query = query
        let last = directory.names.count - 1
        for leaf in leaves.sorted(by: { $0.partition < $1.partition }) {
            let room = query.limit - found.count
            found += leaf.found.prefix(room)
            guard found.count == query.limit else { continue }
            isThereMore = leaf.found.count > room || leaf.isThereMore || leaf.partition < last
            return
        }
    }

    /// The logs that a page can be made of: whoever it goes on behind is in the first.
    static func names(_ query: PeopleQuery, _ directory: DataDirectory) -> ArraySlice<LogName> {
        let first = query.after.flatMap { LogName(of: $0, among: directory.partitions).number } ?? 0
        return directory.names[first...]
    }

    /// What some of the logs give to it, until they alone fill it.
    static func leaves<Problem: Error>(
        _ query: PeopleQuery, _ directory: DataDirectory, _ own: [LogName],
        _ search: (LogName, PeopleQuery) throws(Problem) -> PeopleSearch
    ) throws(Problem) -> [Leaf] {
        let names = names(query, directory)
        var (leaves, left): ([Leaf], Int) = ([], query.limit)
        for name in names where own.contains(name) && left > 0 {
            var rest = query
            rest.limit = left
            if name != names.first { rest.after = nil }
            let searched = try search(name, rest)
            leaves.append(
                Leaf(partition: name.number ?? 0, found: searched.found, isThereMore: searched.isThereMore))
            left -= searched.found.count
        }
        return leaves
    }
}
