import CivilTime
import Notices
import Simulation
import Testing

@Suite("P2, check-ins on a goal")
struct GoalCheckInTests {
    @Test func `a check-in between two others that lie close together answers for no day that they do not`() {
        for seed in 0..<50 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var goal = Goal(id: "g", title: "")
            var all: [Instant] = []
            var now = Instant(milliseconds: 1_772_323_200_000)
            for _ in 0..<300 {
                now = now.advanced(byMinutes: Int64.random(in: 0..<(seed % 2 == 0 ? 30 : 600), using: &random))
                goal.checkIn(at: now)
                all.append(now)
            }
            #expect(goal.checkIns.count <= 120)
            for _ in 0..<300 {
                let start = now.advanced(byMinutes: -Int64.random(in: 0..<13 * 1440, using: &random))
                let day = start..<start.advanced(byHours: Int64.random(in: 6...48, using: &random))
                #expect(goal.checkIns.contains(where: day.contains) == all.contains(where: day.contains), "\(seed)")
            }
        }
    }
}
