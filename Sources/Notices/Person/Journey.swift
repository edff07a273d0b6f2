internal import CivilTime

/// Where a person came from (`T9`).
public struct Journey: Blank {
    struct Departure: Sendable, Equatable {
        var zone: String
        var at: Instant
    }

    /// The zone before the last move, until the person keeps it after all.
    var before: String?
    /// The zones left within a day of the last departure, each once.
    var departures: [Departure] = []

    public init() {}

    /// How long after leaving a zone nobody is told of being back in it.
    private static let returnMilliseconds: Int64 = 86_400_000

    /// Moves on. Gives whether it leads back to a zone that was left less than a day before.
    mutating func leave(_ zone: ZoneRules, for next: ZoneRules, at: Instant, _ plan: Plan) -> Bool {
        before = zone.name
        depart(from: zone, at)
        return departures.contains { $0.zone == next.name || plan.zone($0.zone)?.hasSameClocks(as: next) == true }
    }

    /// The schedule goes back to where it was: it leaves a zone as every move does.
    mutating func goBack(from zone: ZoneRules, at: Instant) {
        depart(from: zone, at)
        before = nil
    }

    private mutating func depart(from zone: ZoneRules, _ at: Instant) {
        departures.removeAll { $0.zone == zone.name || at.milliseconds(since: $0.at) >= Self.returnMilliseconds }
        departures.append(Departure(zone: zone.name, at: at))
    }
}
