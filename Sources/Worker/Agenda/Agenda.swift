public import CivilTime

/// When everybody is to be woken: at most one wake a person, given out in the order of time, and within one millisecond
/// in the order of people's numbers.
///
/// A hierarchical timing wheel (`Wheels`) tells the moments apart, a bitset (`DueSet`) the people of one moment. Setting,
/// moving and cancelling a wake touch one or two others and no more, whatever the number of people. Time may jump by
/// years: empty slots are not walked through. What a thousand people due together cost is done in as many steps, and
/// `next(through:budget:)` stops when those it was allowed are used up, so that nothing else has to wait for it.
///
/// Time only goes forward here (`T7`): a wake set before `elapsed` is due at `elapsed`.
public struct Agenda {
    /// What the agenda has to say next.
    public enum Step: Equatable, Sendable {
        /// Somebody is due, and now has no wake any more.
        case wake(person: Int, at: Instant)
        /// Nobody is due; the earliest wake there is, `nil` if there is none.
        case nothing(until: Instant?)
        /// The steps allowed are used up: ask again.
        case more
    }

    /// The instant up to which everything was given out that was due before it.
    public private(set) var elapsed: Instant
    /// How many people have a wake.
    public private(set) var count = 0
    private var wheels = Wheels()
    /// Those due at `elapsed`.
    private var due = DueSet()
    /// Whether all of those are in `due`, and none of them in `wheels` any more.
    private var isGathered = true

    public init(startingAt instant: Instant) {
        elapsed = instant
    }

    /// With everybody's wake, as if each had been set; it is done on all cores.
    /// - Parameters:
    ///   - people: how many there are.
    ///   - due: somebody's wake. Asked on any thread, and of some more than once.
    public init(startingAt instant: Instant, of people: Int, due: @Sendable (Int) -> Instant) {
        self.init(startingAt: instant)
        precondition(people < 1 << 31, "people are numbered from 0")
        let (linked, left) = wheels.fill(people, after: instant.milliseconds) { person in
            let at = due(person)
            return at < .distantFuture ? at.milliseconds : .max
        }
        count = linked
        for person in left { set(person, due(person)) }
    }

    // MARK: Wakes

    /// When somebody is due; `nil` where they have no wake.
    public func due(of person: Int) -> Instant? {
        let due = wheels.due(of: person)
        return due == .max ? nil : Instant(milliseconds: due)
    }

    /// How many of some people are due by an instant.
    public func dueCount(among people: Range<Int>, by instant: Instant) -> Int {
        wheels.dueCount(among: people, by: instant.milliseconds)
    }

    /// Sets somebody's wake, or moves it. `distantFuture` is never.
    public mutating func set(_ person: Int, _ at: Instant) {
        precondition(person >= 0 && person < 1 << 31, "people are numbered from 0")
        let at = max(at, elapsed)
        let old = wheels.due(of: person)
        guard at.milliseconds != old else { return }
        if old != .max { remove(person) }
        guard at < .distantFuture else { return }
        count += 1
        wheels.note(person, due: at.milliseconds)
        if at == elapsed { due.insert(person) } else { wheels.insert(person) }
    }

    /// Nothing happens where there is no wake.
    public mutating func cancel(_ person: Int) { set(person, .distantFuture) }

    private mutating func remove(_ person: Int) {
        count -= 1
        if wheels.isInSlot(person) { wheels.remove(person) } else { due.remove(person) }
        wheels.note(person, due: .max)
    }

    // MARK: What is next

    /// The earliest wake. It may have to tell many apart first, in one go: where that matters, ask
    /// `next(through:budget:)`, which says the same.
    public mutating func earliest() -> Instant? {
        if !due.isEmpty { return elapsed }
        var steps = Int.max
        guard case .slot(_, let due) = wheels.first(through: .max, steps: &steps) else { return nil }
        return Instant(milliseconds: due)
    }

    /// Takes out whoever is due next, up to an instant.
    public mutating func next(through instant: Instant) -> (person: Int, at: Instant)? {
        var steps = Int.max
        guard case .wake(let person, let at) = next(through: instant, lookingTo: instant, &steps) else { return nil }
        return (person, at)
    }

    /// Takes out whoever is due next, up to an instant, or says when somebody will be. Moves at most `budget` wakes
    /// within the agenda, of which one has to be allowed.
    public mutating func next(through instant: Instant, budget: Int) -> Step {
        precondition(budget > 0, "with no step at all this would never end")
        var steps = budget
        return next(through: instant, lookingTo: .distantFuture, &steps)
    }

    private mutating func next(through instant: Instant, lookingTo limit: Instant, _ steps: inout Int) -> Step {
        while true {
            guard gather(&steps) else { return .more }
            if elapsed > instant, !due.isEmpty { return .nothing(until: elapsed) }
            if let person = due.popFirst() { return woken(person) }
            switch wheels.first(through: limit.milliseconds, steps: &steps) {
            case .unfinished: return .more
            case .nobody, .later:
                pass(instant)
                return .nothing(until: nil)
            case .slot(let place, let milliseconds):
                let at = Instant(milliseconds: milliseconds)
                guard at <= instant else {
                    pass(instant)
                    return .nothing(until: at)
                }
                elapsed = at
                // Mostly somebody is alone.
                let (person, wasLast) = wheels.removeFirst(of: place)
                if wasLast { return woken(person) }
                due.insert(person)
                isGathered = false
            }
        }
    }

    /// Brings everyone due at `elapsed` together, who only then can be told apart by number; false where the steps ran out.
    private mutating func gather(_ steps: inout Int) -> Bool {
        while !isGathered {
            switch wheels.first(through: elapsed.milliseconds, steps: &steps) {
            case .unfinished: return false
            case .nobody, .later: isGathered = true
            case .slot(_, let milliseconds) where milliseconds > elapsed.milliseconds: isGathered = true
            case .slot(let place, _):
                while !isGathered {
                    guard steps > 0 else { return false }
                    steps -= 1
                    let (person, wasLast) = wheels.removeFirst(of: place)
                    due.insert(person)
                    isGathered = wasLast
                }
            }
        }
        return true
    }

    /// Nobody is due up to an instant. `distantFuture` is never, and never does not come.
    private mutating func pass(_ instant: Instant) {
        elapsed = max(elapsed, min(instant, Instant.distantFuture.advanced(byMilliseconds: -1)))
    }

    private mutating func woken(_ person: Int) -> Step {
        count -= 1
        wheels.note(person, due: .max)
        return .wake(person: person, at: elapsed)
    }
}
