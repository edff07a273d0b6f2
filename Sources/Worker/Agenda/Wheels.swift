internal import Dispatch

/// Everyone's wake, in wheels of 64 slots: a slot of one wheel is as long as a whole wheel of the next finer level.
///
/// Eleven levels of six bits span every instant there is; a slot of level 0 is a millisecond, one of level 4 is 4.7 hours.
/// A slot holds the people due within it as a list through `Link`s, in no order. Only when the earliest wake of all is
/// looked for in a slot that holds several moments is the slot *refined*: it gets a finer wheel, over which its list is
/// spread. So a wake is moved at most once a level, nothing is ever moved back, and time plays no part in where somebody
/// stands: looking ahead does not hinder whoever comes in before what was seen.
///
/// The finer wheels there are lie on the way to what is or was earliest; a wheel goes with the last wake in it.
struct Wheels {
    /// One person's wake and their neighbours in a slot's list: 16 bytes, one line of the cache for all that is asked.
    private struct Link {
        var due = Int64.max
        var next = none
        /// The person before, or for the first of a list the place of its slot with `isPlace` set; `none` in no slot.
        var previous = none
    }

    private struct Wheel {
        /// A bit a slot that holds anything.
        var occupied: UInt64 = 0
        /// A bit a slot that may hold more than one moment.
        var mixed: UInt64 = 0
        /// A bit a slot that holds a finer wheel and not a list.
        var refined: UInt64 = 0
        /// The first moment of its first slot.
        var start: UInt64
        /// The slot it refines; `none` for the coarsest.
        var parent: UInt32
        var level: Int
    }

    /// Where the earliest wake of all is.
    enum First {
        case nobody
        /// Everyone in the slot at this place is due at one moment, the earliest.
        case slot(Int, due: Int64)
        /// Nothing is due up to the limit; when something is was not looked for.
        case later
        /// The steps ran out; what was done of the search is kept.
        case unfinished
    }

    private static let none = UInt32.max
    private static let isPlace: UInt32 = 1 << 31
    /// Each wheel has 128 places, of which 64 are its slots and this is the list that is still to be spread over them.
    private static let unspread = 64
    /// The first wheel spans two years: most people's wakes fit, and no finer wheel is made for nothing.
    private static let usualLevel = 5

    private var links: [Link] = []
    private var wheels: [Wheel] = []
    /// By place: the first person of a slot's list, or the number of its finer wheel.
    private var slots: [UInt32] = []
    private var unused: [UInt32] = []
    private var coarsest = none

    /// When somebody is due; `Int64.max` for never. Kept also of those who were taken out of their slot.
    func due(of person: Int) -> Int64 { person < links.count ? links[person].due : .max }

    func dueCount(among people: Range<Int>, by limit: Int64) -> Int {
        let people = people.clamped(to: 0..<links.count)
        var count = 0
        for person in people where links[person].due <= limit { count += 1 }
        return count
    }

    func isInSlot(_ person: Int) -> Bool { links[person].previous != Self.none }

    /// Somebody new, or somebody taken out, is due now and in no slot.
    mutating func note(_ person: Int, due: Int64) {
        while links.count <= person { links.append(Link()) }
        links[person].due = due
    }

    // MARK: Everybody at once

    /// Everybody's wakes, on all cores: each links up a run of people, and their lists are joined.
    ///
    /// - Parameter due: asked on any thread.
    /// - Returns: how many are in now, and who is left to be noted and inserted: those due by `passed`, and those whom the usual wheel
    ///   over most of them does not span.
    mutating func fill(_ people: Int, after passed: Int64, _ due: @Sendable (Int) -> Int64) -> (count: Int, left: [Int])
    {
        precondition(links.isEmpty, "somebody is in already")
        guard let start = Self.usualStart(over: people, due) else { return (0, []) }
        let lanes = Lanes(people, ofAtLeast: 64)
        var runs = [LinkedRun](repeating: LinkedRun(start: start, passed: passed), count: lanes.count)
        links = [Link](unsafeUninitializedCapacity: people) { links, count in
            runs.withUnsafeMutableBufferPointer { runs in
                // Safe: every lane fills its own part of both, and all have ended when this does.
                nonisolated(unsafe) let (links, runs) = (links, runs)
                DispatchQueue.concurrentPerform(iterations: lanes.count) { lane in
                    for person in lanes[lane] { runs[lane].add(person, due: due(person), to: links) }
                }
            }
            count = people
        }
        coarsest = UInt32(add(Wheel(start: start, parent: Self.none, level: Self.usualLevel)))
        for run in runs { join(run) }
        // A wheel that holds nobody is none.
        if wheels[Int(coarsest)].occupied == 0 { vacate(Int(coarsest) << 7 | Self.unspread) }
        return (runs.reduce(0) { $0 + $1.count }, runs.flatMap(\.left))
    }

    /// Where the usual wheel begins that spans most of their wakes, judged by a few of them; `nil` where nobody has one.
    private static func usualStart(over people: Int, _ due: (Int) -> Int64) -> UInt64? {
        let some = stride(from: 0, to: people, by: max(1, people / 64)).map(due).filter { $0 < .max }.sorted()
        guard some.isEmpty else { return usualStart(of: moment(some[some.count / 2])) }
        // That nobody has a wake only all of them can tell.
        return (0..<people).lazy.map(due).first { $0 < .max }.map { usualStart(of: moment($0)) }
    }

    /// Some people's wakes, linked up as they are to stand in the slots of the usual wheel.
    private struct LinkedRun {
        let start: UInt64
        let passed: Int64
        var count = 0
        /// A bit a slot, as in a wheel.
        var occupied: UInt64 = 0
        var mixed: UInt64 = 0
        /// The first and the last of each slot's list.
        var ends = [(first: UInt32, last: UInt32)](repeating: (none, none), count: 64)
        var left: [Int] = []

        init(start: UInt64, passed: Int64) { (self.start, self.passed) = (start, passed) }

        mutating func add(_ number: Int, due: Int64, to links: UnsafeMutableBufferPointer<Link>) {
            links.initializeElement(at: number, to: Link())
            guard due < .max else { return }
            let moment = Wheels.moment(due)
            guard due > passed, (moment ^ start) & ~Wheels.span(ofLevel: usualLevel) == 0 else {
                return left.append(number)
            }
            count += 1
            links[number].due = due
            let (person, slot) = (UInt32(truncatingIfNeeded: number), Wheels.slot(of: moment, level: usualLevel))
            let (bit, next) = ((1 as UInt64) << UInt64(slot), ends[slot].first)
            ends[slot].first = person
            guard next != none else {
                ends[slot].last = person
                occupied |= bit
                return
            }
            if links[Int(next)].due != due { mixed |= bit }
            links[Int(next)].previous = person
            links[number].next = next
        }
    }

    private mutating func join(_ run: LinkedRun) {
        let wheel = Int(coarsest)
        for slot in 0..<64 where run.occupied & 1 << UInt64(slot) != 0 {
            let (bit, place) = ((1 as UInt64) << UInt64(slot), wheel << 7 | slot)
            let (first, last) = run.ends[slot]
            if wheels[wheel].occupied & bit != 0 {
                let next = slots[place]
                if links[Int(next)].due != links[Int(first)].due { wheels[wheel].mixed |= bit }
                links[Int(last)].next = next
                links[Int(next)].previous = last
            }
            slots[place] = first
            links[Int(first)].previous = UInt32(truncatingIfNeeded: place) | Self.isPlace
        }
        wheels[wheel].occupied |= run.occupied
        wheels[wheel].mixed |= run.mixed
    }

    // MARK: In and out

    /// Puts in somebody whose `due` is noted and who is in no slot.
    mutating func insert(_ person: Int) {
        let moment = Self.moment(links[person].due)
        var wheel = wheelCovering(moment)
        while true {
            let slot = Self.slot(of: moment, level: wheels[wheel].level)
            guard wheels[wheel].refined & 1 << UInt64(slot) != 0 else {
                push(UInt32(truncatingIfNeeded: person), wheel, slot)
                return
            }
            wheel = Int(slots[wheel << 7 | slot])
        }
    }

    /// Takes somebody out of their slot.
    mutating func remove(_ person: Int) {
        let link = links[person]
        links[person].previous = Self.none
        if link.next != Self.none { links[Int(link.next)].previous = link.previous }
        guard link.previous & Self.isPlace != 0 else {
            links[Int(link.previous)].next = link.next
            return
        }
        let place = Int(link.previous & ~Self.isPlace)
        slots[place] = link.next
        if link.next == Self.none { vacate(place) }
    }

    /// Takes out the first of a slot's list, and says whether they were the last.
    mutating func removeFirst(of place: Int) -> (person: Int, wasLast: Bool) {
        let person = Int(slots[place])
        let wasLast = links[person].next == Self.none
        remove(person)
        return (person, wasLast)
    }

    /// Looks for the earliest wake of all, at the cost of at most `steps` wakes moved to a finer wheel, which it counts
    /// down. With a limit nothing is refined that begins after it.
    mutating func first(through limit: Int64, steps: inout Int) -> First {
        guard coarsest != Self.none else { return .nobody }
        let limit = Self.moment(limit)
        var wheel = Int(coarsest)
        while true {
            guard spread(wheel, &steps) else { return .unfinished }
            let slot = wheels[wheel].occupied.trailingZeroBitCount
            let bit: UInt64 = 1 << UInt64(slot)
            let place = wheel << 7 | slot
            if wheels[wheel].start | UInt64(slot) << UInt64(6 * wheels[wheel].level) > limit { return .later }
            if wheels[wheel].refined & bit == 0 {
                guard wheels[wheel].mixed & bit != 0 else { return .slot(place, due: links[Int(slots[place])].due) }
                refine(wheel, slot)
            }
            wheel = Int(slots[place])
        }
    }

    // MARK: Slots and wheels

    /// Moments as numbers that begin with 0, so that before 1970 is no special case.
    private static func moment(_ due: Int64) -> UInt64 { UInt64(bitPattern: due) ^ 1 << 63 }

    private static func slot(of moment: UInt64, level: Int) -> Int { Int(moment >> UInt64(6 * level) & 63) }

    private static func usualStart(of moment: UInt64) -> UInt64 { moment & ~span(ofLevel: usualLevel) }

    /// The bits of a moment that a wheel of a level tells apart: all of them for the coarsest there can be.
    private static func span(ofLevel level: Int) -> UInt64 { (1 as UInt64) << UInt64(6 * (level + 1)) &- 1 }

    @inline(__always)
    private mutating func push(_ person: UInt32, _ wheel: Int, _ slot: Int) {
        let bit: UInt64 = 1 << UInt64(slot)
        let place = wheel << 7 | slot
        var first = Self.none
        if wheels[wheel].occupied & bit == 0 {
            wheels[wheel].occupied |= bit
        } else {
            first = slots[place]
            if links[Int(first)].due != links[Int(person)].due { wheels[wheel].mixed |= bit }
            links[Int(first)].previous = person
        }
        links[Int(person)].next = first
        links[Int(person)].previous = UInt32(truncatingIfNeeded: place) | Self.isPlace
        slots[place] = person
    }

    /// A place became empty: with it may go its wheel, and the slot which that refines.
    private mutating func vacate(_ place: Int) {
        var place = place
        while true {
            let wheel = place >> 7
            if place & 127 != Self.unspread {
                let others: UInt64 = ~(1 << UInt64(place & 63))
                wheels[wheel].occupied &= others
                wheels[wheel].mixed &= others
                wheels[wheel].refined &= others
            }
            guard wheels[wheel].occupied == 0, slots[wheel << 7 | Self.unspread] == Self.none else { return }
            unused.append(UInt32(truncatingIfNeeded: wheel))
            guard wheels[wheel].parent != Self.none else {
                coarsest = Self.none
                return
            }
            place = Int(wheels[wheel].parent)
        }
    }

    /// Gives a slot's list to a finer wheel, over which it is still to be spread.
    private mutating func refine(_ wheel: Int, _ slot: Int) {
        let place = wheel << 7 | slot
        let (level, first) = (wheels[wheel].level, slots[place])
        let start = wheels[wheel].start | UInt64(slot) << UInt64(6 * level)
        let finer = add(Wheel(start: start, parent: UInt32(truncatingIfNeeded: place), level: level - 1))
        slots[finer << 7 | Self.unspread] = first
        links[Int(first)].previous = UInt32(truncatingIfNeeded: finer << 7 | Self.unspread) | Self.isPlace
        slots[place] = UInt32(truncatingIfNeeded: finer)
        wheels[wheel].refined |= 1 << UInt64(slot)
        wheels[wheel].mixed &= ~(1 << UInt64(slot))
    }

    /// Spreads what a wheel was given over its slots; false where the steps ran out first.
    private mutating func spread(_ wheel: Int, _ steps: inout Int) -> Bool {
        let place = wheel << 7 | Self.unspread
        let level = wheels[wheel].level
        while slots[place] != Self.none {
            guard steps > 0 else { return false }
            steps -= 1
            let person = slots[place]
            let next = links[Int(person)].next
            slots[place] = next
            if next != Self.none { links[Int(next)].previous = UInt32(truncatingIfNeeded: place) | Self.isPlace }
            push(person, wheel, Self.slot(of: Self.moment(links[Int(person)].due), level: level))
        }
        return true
    }

    /// The coarsest wheel, with coarser ones put over it until they cover a moment.
    private mutating func wheelCovering(_ moment: UInt64) -> Int {
        if coarsest == Self.none {
            coarsest = UInt32(add(Wheel(start: Self.usualStart(of: moment), parent: Self.none, level: Self.usualLevel)))
        }
        while (moment ^ wheels[Int(coarsest)].start) & ~Self.span(ofLevel: wheels[Int(coarsest)].level) != 0 {
            let (start, level) = (wheels[Int(coarsest)].start, wheels[Int(coarsest)].level + 1)
            let wheel = add(Wheel(start: start & ~Self.span(ofLevel: level), parent: Self.none, level: level))
            let slot = Self.slot(of: start, level: level)
            wheels[wheel].occupied = 1 << UInt64(slot)
            wheels[wheel].refined = 1 << UInt64(slot)
            slots[wheel << 7 | slot] = coarsest
            wheels[Int(coarsest)].parent = UInt32(truncatingIfNeeded: wheel << 7 | slot)
            coarsest = UInt32(wheel)
        }
        return Int(coarsest)
    }

    private mutating func add(_ wheel: Wheel) -> Int {
        if let number = unused.popLast() {
            wheels[Int(number)] = wheel
            return Int(number)
        }
        precondition(wheels.count < 1 << 24, "more wheels than places can be numbered")
        wheels.append(wheel)
        slots.append(contentsOf: repeatElement(Self.none, count: 128))
        return wheels.count - 1
    }
}
