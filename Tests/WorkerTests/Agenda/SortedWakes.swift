import CivilTime
import Worker

/// What an agenda is, as plainly as it can be said: a sorted list. Slow, and what the agenda is compared with.
struct SortedWakes {
    struct Wake: Comparable {
        var at: Instant
        var person: Int

        static func < (left: Wake, right: Wake) -> Bool {
            left.at != right.at ? left.at < right.at : left.person < right.person
        }
    }

    private(set) var wakes: [Wake] = []
    private(set) var elapsed: Instant

    init(startingAt instant: Instant) {
        elapsed = instant
    }

    var earliest: Instant? { wakes.first?.at }

    func due(of person: Int) -> Instant? { wakes.first { $0.person == person }?.at }

    mutating func set(_ person: Int, _ at: Instant) {
        wakes.removeAll { $0.person == person }
        guard at < .distantFuture else { return }
        wakes.append(Wake(at: max(at, elapsed), person: person))
        wakes.sort()
    }

    mutating func next(through instant: Instant) -> Wake? {
        guard let first = wakes.first, first.at <= instant else {
            // Never does not come.
            elapsed = max(elapsed, min(instant, Instant.distantFuture.advanced(byMilliseconds: -1)))
            return nil
        }
        elapsed = first.at
        return wakes.removeFirst()
    }
}
