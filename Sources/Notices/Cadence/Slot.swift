public import CivilTime

/// A moment that one of a person's schedules names (`T8`).
public struct Slot: Sendable, Equatable {
    public var kind: Int
    public var subject: String?
    public var local: LocalDateTime
    public var instant: Instant
    /// Whether it was agreed on as an instant, such as a time before a deadline (`C6`): no zone moves it, and it is told from
    /// others by its instant. Any other is a time of day.
    public var isAbsolute = false
}

/// One schedule of one person: a kind's, or a kind's for one goal. Made of plain values, so that handing it around costs
/// nothing.
struct Stream: Sendable {
    /// What its slots hang on. Those of `wall` are the same for everyone in a zone.
    enum Form: Sendable {
        case checkIn
        case wall(LocalTime, WeekdaySet)
        case goal
    }

    /// The kind's place in the rulebook.
    let place: Int
    let form: Form
    let digest: DigestScope?
    /// Whether its slots are at wall-clock times, so that travel moves them (`T9`).
    let isOnWallClock: Bool
    /// The goal's place in the person's details.
    var goal: Int?

    var kind: Int { place }

    init(_ place: Int, _ schedule: Schedule, _ digest: DigestScope?) {
        self.place = place
        self.digest = digest
        form =
            switch schedule {
            case .checkIn: .checkIn
            case .daily(let time): .wall(time, .all)
            case .weekly(let day, let time): .wall(time, WeekdaySet(day))
            default: .goal
            }
        switch schedule {
        case .deadline, .overdue: isOnWallClock = false
        default: isOnWallClock = true
        }
    }
}
