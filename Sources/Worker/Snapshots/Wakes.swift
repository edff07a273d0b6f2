internal import Dispatch
internal import Notices

/// Everybody's next wake, worked out on all cores.
enum Wakes {
    static func workOut(for register: Register) {
        let lanes = Lanes(register.people.count)
        // Safe: no person is in two lanes, and nobody else has the register while this runs.
        nonisolated(unsafe) let people = register.people
        let plan = register.plan
        DispatchQueue.concurrentPerform(iterations: lanes.count) { lane in
            for number in lanes[lane] { people[number].nextWake = people[number].earliestWake(plan) }
        }
    }
}

/// Things by number, cut into as many runs as keep every core busy to the end.
struct Lanes {
    let things: Int
    let count: Int

    /// - Parameter least: how many things are worth a run of their own.
    init(_ things: Int, ofAtLeast least: Int = 1) {
        self.things = things
        count = min((things + least - 1) / least, 64)
    }

    subscript(lane: Int) -> Range<Int> { things * lane / count..<things * (lane + 1) / count }
}
