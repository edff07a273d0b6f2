internal import CivilTime

/// Some of the jobs that changed, to be looked at one by one: the earliest lost, gained and moved ones, however many there
/// are and in whatever order they are found.
struct ChangedJobs: Sendable {
    static let most = 50

    /// Lost, gained, moved: each the earliest first.
    private var sorts: [[WhatIfReport.Example]] = [[], [], []]

    mutating func note(_ job: WhatIfReport.Example) {
        let sort = job.becomes == nil ? 0 : job.was == nil ? 1 : 2
        guard sorts[sort].count < Self.most || job.comesBefore(sorts[sort][Self.most - 1]) else { return }
        let place = sorts[sort].firstIndex { job.comesBefore($0) } ?? sorts[sort].count
        sorts[sort].insert(job, at: place)
        if sorts[sort].count > Self.most { sorts[sort].removeLast() }
    }

    mutating func add(_ other: ChangedJobs) {
        for sort in other.sorts { for job in sort { note(job) } }
    }

    /// Of each sort as many as there is room for.
    var some: [WhatIfReport.Example] {
        var chosen: [WhatIfReport.Example] = []
        for place in 0..<Self.most {
            for sort in sorts where place < sort.count && chosen.count < Self.most { chosen.append(sort[place]) }
        }
        return chosen.sorted { $0.comesBefore($1) }
    }
}

extension WhatIfReport.Example {
    private var at: Instant { was ?? becomes ?? .distantPast }

    /// Of any two that do not read alike.
    fileprivate func comesBefore(_ other: Self) -> Bool {
        (at, user, kind, becomes ?? .distantPast) < (other.at, other.user, other.kind, other.becomes ?? .distantPast)
    }
}
