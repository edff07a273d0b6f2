import CivilTime
import Notices
import Simulation
import Testing

@testable import Worker

@Suite("Which jobs are the same")
struct JobComparisonTests {
    private static let day = Instant(local: "2026-03-02T00:00Z")

    /// Anna's jobs as they were and as they would have been: a name, and at what minute of the day.
    private func compared(
        _ recorded: [(String, Int64)], _ decided: [(String, Int64)], numbers: [UInt64] = []
    ) -> JobTally {
        var comparison = JobComparison()
        comparison.start = Self.day
        for side in [JobComparison.Side.recorded, .decided] {
            for number in numbers {
                var session = SessionCompleted()
                session.isDerived = true
                comparison.note(
                    Event(seq: number, at: Self.day, user: "anna", payload: .sessionCompleted(session)), side)
            }
        }
        for (jobs, side) in [(recorded, JobComparison.Side.recorded), (decided, .decided)] {
            for (name, minute) in jobs {
                comparison.take(
                    .init(name: "anna/\(name)", user: "anna", kind: "k", at: Self.day.advanced(byMinutes: minute)), side
                )
            }
        }
        return comparison.finish().kinds["k"]?.tally ?? JobTally()
    }

    @Test func `a notice that a fact raised is known by its number, and by nothing else`() {
        #expect(compared([("k/#1", 0)], [("k/#1", 600)]).moved == 1)
        let other = compared([("k/#1", 0)], [("k/#2", 0)])
        #expect((other.gained, other.lost, other.moved) == (1, 1, 0))
    }

    @Test func `one that a decision raised is known by what it is about and when`() {
        let same = compared([("k/c:1/#7", 0)], [("k/c:1/#8", 0)], numbers: [7, 8])
        #expect((same.same, same.changed) == (1, 0))
        let other = compared([("k/c:1/#7", 0)], [("k/c:2/#8", 0)], numbers: [7, 8])
        #expect((other.gained, other.lost) == (1, 1))
        let far = compared([("k/#7", 0)], [("k/#8", 12 * 60 + 1)], numbers: [7, 8])
        #expect((far.gained, far.lost) == (1, 1))
    }

    @Test func `one that a decision raised pairs with none that has its number by chance`() {
        let crossed = compared([("k/#7", 0), ("k/#8", 700)], [("k/#8", 0), ("k/#7", 700)], numbers: [7, 8])
        #expect((crossed.same, crossed.changed) == (2, 0))
        let far = compared([("k/#7", 0)], [("k/#7", 12 * 60 + 1)], numbers: [7])
        #expect((far.gained, far.lost) == (1, 1))
    }

    @Test func `what is told of one is told of the nearest here, and of several at once of each in turn`() {
        func job(_ decision: UInt64, _ minute: Int64) -> RaisedJobs.Job {
            .init(decision: decision, place: .init(user: 0, kind: 0, at: Self.day.advanced(byMinutes: minute)))
        }
        let jobs = RaisedJobs(sides: [
            [job(1, 0), job(2, 60), job(3, 60), job(4, 60), job(5, 300), job(6, 1200)],
            [job(11, 1), job(12, 61), job(13, 61), job(14, 290), job(15, 320)],
        ])
        #expect((1...7).map { jobs.counterpart(of: $0) } == [11, 12, 13, 13, 14, nil, nil])
    }

    @Test func `a repeat is another than what it repeats`() {
        let tally = compared([("k/#7", 0), ("k/#7~1", 15)], [("k/#8~1", 15)], numbers: [7, 8])
        #expect((tally.lost, tally.same) == (1, 1))
    }

    @Test func `a slot is known by its day, and each day for itself (T8)`() {
        let tally = compared([("k/2026-03-02T09:00", 540)], [("k/2026-03-02T10:00", 600)])
        #expect((tally.moved, tally.changed) == (1, 1))
        let next = compared([("k/2026-03-02T09:00", 540)], [("k/2026-03-03T09:00", 600)])
        #expect((next.gained, next.lost) == (1, 1))
    }

    @Test func `each finds the nearest, and nobody another's`() {
        // The one in the middle is gone; the last is two minutes late.
        let tally = compared(
            [("k/#1", 0), ("k/#2", 60), ("k/#3", 120)], [("k/#4", 1), ("k/#5", 122)], numbers: [1, 2, 3, 4, 5])
        #expect((tally.same, tally.moved, tally.lost, tally.gained) == (1, 1, 1, 0))
        let back = compared(
            [("k/#4", 1), ("k/#5", 122)], [("k/#1", 0), ("k/#2", 60), ("k/#3", 120)], numbers: [1, 2, 3, 4, 5])
        #expect((back.same, back.moved, back.lost, back.gained) == (1, 1, 0, 1))
    }

    @Test func `the order in which the two sides are told does not matter`() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            let jobs = (0..<8).map { ("k/#\($0 + 1)", Int64.random(in: 0..<2000, using: &random)) }
            let (recorded, decided) = (Array(jobs.prefix(4)), Array(jobs.suffix(4)))
            let numbers = Array(UInt64(1)...8)
            let there = compared(recorded, decided, numbers: numbers)
            let back = compared(decided, recorded, numbers: numbers)
            #expect((there.gained, there.lost, there.moved) == (back.lost, back.gained, back.moved))
            #expect(there.same + there.moved + there.lost == 4 && there.same + there.moved + there.gained == 4)
        }
    }
}
