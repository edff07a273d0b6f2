import CivilTime
import Simulation
import Testing

@testable import Notices

/// G11: somebody with hundreds of goals is looked at in a moment.
@Suite("The slots of a person, in order")
struct ComingSlotsTests {
    private static let start = Instant(milliseconds: 1_772_460_000_000)
    private let plan = ShippedPlans["microcommit"]

    private func person(_ goals: Int) throws -> Person {
        var register = Register(plan)
        let reader = FactReader { _ in nil }
        let lines =
            [#"{"type":"user_enrolled","user":"anna","data":{"timezone":"Europe/Paris"}}"#]
            + (0..<goals).map { goal in
                let time = "\(10 + goal % 10):\(10 + goal % 50)"
                return
                    #"{"type":"goal_started","user":"anna","data":{"goal":"g\#(goal)","title":"G","reminder_time":"\#(time)"}}"#
            }
        for (place, line) in lines.enumerated() {
            let payload = try reader.read(line).payload
            register.fold(Event(seq: UInt64(place + 1), at: Self.start, user: "anna", payload: payload))
        }
        return register[try #require(register.number(of: "anna"))]
    }

    @Test func `each schedule is asked once, and once more for each of its slots that is wanted`() throws {
        let person = try person(300)
        var streams = 0
        person.forEachStream(plan) { stream in if !person.isSilent(stream, plan) { streams += 1 } }
        var coming = ComingSlots(
            of: person, after: Self.start, through: Self.start.advanced(byHours: 168), plan, withSilentDigests: false)
        for _ in 0..<200 { #expect(coming.next() != nil) }
        #expect(streams > 300 && coming.looks == streams + 200)
    }

    @Test(arguments: [0, 1, 2, 7, 40])
    func `they are those that every schedule names, the earliest first`(goals: Int) throws {
        let person = try person(goals)
        let end = Self.start.advanced(byHours: 100)
        var all: [Slot] = []
        person.forEachStream(plan) { stream in
            guard !person.isSilent(stream, plan) else { return }
            var from = Self.start
            while let slot = person.nextSlot(stream, after: from, plan, nil), slot.instant <= end {
                all.append(slot)
                if stream.digest != nil { break }
                from = slot.instant
            }
        }
        var coming = ComingSlots(of: person, after: Self.start, through: end, plan, withSilentDigests: false)
        var found: [Slot] = []
        while let slot = coming.next() { found.append(slot) }
        #expect(found.map(\.instant) == all.map(\.instant).sorted())
        #expect(Set(found.map { "\($0)" }) == Set(all.map { "\($0)" }))
        // What a goal's beginning raised is due as well.
        let due = person.due(from: Self.start, through: end, plan, most: .max)
        let slots = due.filter { if case .slot = $0.cause { true } else { false } }
        #expect(slots.map(\.at) == found.map(\.instant))
        #expect(person.due(from: Self.start, through: end, plan, most: 45).map(\.at) == due.prefix(45).map(\.at))
    }
}
