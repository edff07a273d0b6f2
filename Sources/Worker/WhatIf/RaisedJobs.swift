internal import CivilTime

/// The jobs of one family that decisions raised, each side in order of time.
struct RaisedJobs {
    struct Job {
        /// The number that it is named after.
        var decision: UInt64
        var place: JobComparison.Place
    }

    var sides: [[Job]] = [[], []]

    /// The decision whose job takes the place of a recorded one: the nearest that is not too far away. Of several at one instant
    /// the first stands for the first, and so on.
    func counterpart(of decision: UInt64) -> UInt64? {
        let (recorded, decided) = (sides[0], sides[1])
        guard let place = recorded.lastIndex(where: { $0.decision == decision }) else { return nil }
        let at = recorded[place].place.at
        func gap(_ other: Int) -> Int64 { abs(decided[other].place.at.milliseconds(since: at)) }
        var nearest: Int?
        for other in decided.indices.reversed() {
            // Earlier ones are only farther away.
            if let nearest, gap(other) > gap(nearest) { break }
            nearest = other
        }
        guard var nearest, gap(nearest) <= NearestJobs.apartMax else { return nil }
        let first = recorded[..<place].lastIndex(where: { $0.place.at != at }).map { $0 + 1 } ?? 0
        for _ in first..<place {
            let next = nearest + 1
            guard next < decided.count, decided[next].place.at == decided[nearest].place.at else { break }
            nearest = next
        }
        return decided[nearest].decision
    }
}

/// Jobs whose names hang on what was decided: in the order of time, each with the nearest. What is nearer to its neighbour is
/// left to that one.
struct NearestJobs {
    typealias Place = JobComparison.Place

    /// How far apart two may be and still be one.
    static let apartMax: Int64 = 12 * 3_600_000

    private(set) var pairs: [(recorded: Place, decided: Place)] = []
    private(set) var lone: (recorded: [Place], decided: [Place]) = ([], [])

    init(_ recorded: [Place], _ decided: [Place]) {
        let (recorded, decided) = (recorded.sorted { $0.at < $1.at }, decided.sorted { $0.at < $1.at })
        var (was, now) = (recorded[...], decided[...])
        while let old = was.first, let new = now.first {
            let gap = abs(new.at.milliseconds(since: old.at))
            let isOlder = old.at <= new.at
            let rival = isOlder ? was.dropFirst().first : now.dropFirst().first
            let rivalGap = rival.map { abs($0.at.milliseconds(since: (isOlder ? new : old).at)) }
            if gap <= Self.apartMax, rivalGap.map({ gap <= $0 }) ?? true {
                pairs.append((old, new))
                was.removeFirst()
                now.removeFirst()
            } else if isOlder {
                lone.recorded.append(was.removeFirst())
            } else {
                lone.decided.append(now.removeFirst())
            }
        }
        lone.recorded += was
        lone.decided += now
    }
}
