import Worker

/// A page of people out of several logs: partition by partition, and within each in the order in which its log met them.
struct PeoplePage {
    let query: PeopleQuery
    private(set) var found: [PersonSummary] = []
    /// Whether there may be more behind those found.
    private(set) var isThereMore = false

    /// - Parameter search: looks through one log to its end, or until the page is full.
    init<Problem: Error>(
        _ query: PeopleQuery, _ directory: DataDirectory,
        _ search: (LogName, PeopleQuery) throws(Problem) -> PeopleSearch
    ) throws(Problem) {
        self.query = query
        let first = query.after.flatMap { LogName(of: $0, among: directory.partitions).number } ?? 0
        let names = directory.names[first...]
        for (place, name) in names.enumerated() {
            var rest = query
            rest.limit = query.limit - found.count
            if place > 0 { rest.after = nil }
            let searched = try search(name, rest)
            found += searched.found
            isThereMore = searched.isThereMore || place + 1 < names.count
            if found.count == query.limit { return }
        }
        isThereMore = false
    }
}
