import CivilTime
import Simulation
import Testing

@testable import Notices

@Suite("An instant and flags in one word")
struct FlaggedInstantTests {
    private static let edges: [Int64] = [
        .min, .max, 0, 1, -1, 1_772_438_400_000, 253_402_300_799_999, -62_135_596_800_000,
    ]

    @Test func `both are what they were made of`() {
        var random = SeededRandom(seed: 1)
        let near = (0..<500).map { _ in Int64.random(in: -9_000_000_000_000_000...9_000_000_000_000_000, using: &random)
        }
        for milliseconds in Self.edges + near {
            let instant = Instant(milliseconds: milliseconds)
            let flags = UInt32.random(in: 0..<1 << FlaggedInstant.flagCount, using: &random)
            let made = FlaggedInstant(instant, flags: flags)
            #expect(made.instant == instant)
            #expect(made.flags == flags)
        }
    }

    @Test func `one changes and the other stays`() {
        var random = SeededRandom(seed: 2)
        var both = FlaggedInstant(.distantPast)
        var (instant, flags) = (Instant.distantPast, UInt32(0))
        for _ in 0..<1000 {
            if Bool.random(using: &random) {
                instant = Instant(milliseconds: Self.edges.randomElement(using: &random) ?? 0)
                both.instant = instant
            } else {
                flags = UInt32.random(in: 0..<1 << FlaggedInstant.flagCount, using: &random)
                both.flags = flags
            }
            #expect(both.instant == instant && both.flags == flags)
        }
    }

    @Test func `what is too far away is the distant past or future`() {
        #expect(FlaggedInstant(Instant(milliseconds: .max - 1), flags: 1023).instant == .distantFuture)
        #expect(FlaggedInstant(Instant(milliseconds: .min + 1), flags: 1023).instant == .distantPast)
    }

    @Test func `a person has all their flags, whatever their instants`() throws {
        let zone = ZoneRules.utc
        let plan = Plan(try Rulebook(Policy(document: try #require(ShippedPolicies.text(of: "standard"))))) { _ in zone
        }
        let person = Register(plan).someone
        for bit in 0..<18 {
            let flag = Person.Flags(rawValue: 1 << UInt32(bit))
            person.flags.insert(flag)
            person.enrolledAt = Instant(milliseconds: Int64(bit) - 9)
            person.lastHeardAt = bit.isMultiple(of: 2) ? .distantFuture : .distantPast
            #expect(person.flags.rawValue == (1 << UInt32(bit + 1)) - 1)
            #expect(person.enrolledAt == Instant(milliseconds: Int64(bit) - 9))
            #expect(person.copy().flags == person.flags)
        }
        person.flags = []
        #expect(person.flags.rawValue == 0 && person.lastHeardAt == .distantPast)
    }
}
