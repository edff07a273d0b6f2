import CivilTime
import Simulation
import Testing

@testable import Notices

@Suite("Jobs of somebody who has more than can be answered")
struct ThinnedMarksTests {
    private static let now = Instant(milliseconds: 1_772_438_400_000)

    private func mark(at instant: Instant, _ flags: Mark.Flags) -> Mark {
        Mark(at: instant, date: LocalDate(daysSince1970: 0), minute: 0, channels: .push, kind: 0, flags: flags)
    }

    /// Thousands of critical ones came behind it. No local day is longer than fifty hours.
    @Test(arguments: [(-1, false), (0, true)])
    func `one that the cap may count is kept, and one of an earlier day is not (P17, G11)`(moment: Int64, isKept: Bool)
    {
        let person = Person(
            zone: .utc,
            preferences: ShippedPlans["standard"].rules.preferences(differing: .emptyObject, saidYes: false),
            at: Self.now)
        let first = Self.now.advanced(byHours: -50).advanced(byMilliseconds: moment)
        person.add(mark(at: first, [.job, .ringing, .counted]))
        // As often as it is looked whether they are too many.
        for _ in 1..<4096 { person.add(mark(at: Self.now, [.job, .ringing])) }
        #expect(person.marks.count == PersonLimits.jobs + (isKept ? 1 : 0))
        #expect((person.marks.first?.at == first) == isKept)
    }
}
