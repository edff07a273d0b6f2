import Delivery
import Testing

@Suite("SPEC §11, pauses between tries")
struct RetryPauseTests {
    @Test(arguments: [(1, 2000), (2, 10_000), (3, 60_000), (4, 300_000)])
    func `pauses grow, and spread over a quarter either way`(number: Int, usual: Int64) {
        let pauses = (0..<2000).map { RetryPause.milliseconds(after: number, of: "anna/reminder/#\($0)") }
        #expect(pauses.allSatisfy { $0 >= usual * 3 / 4 && $0 <= usual * 5 / 4 })
        // They fill the range evenly: jobs that failed together do not come back together.
        let tenths = Dictionary(grouping: pauses) { ($0 - usual * 3 / 4) * 10 / (usual / 2) }.mapValues(\.count)
        #expect((0..<10).allSatisfy { (130...270).contains(tenths[$0] ?? 0) }, "\(tenths)")
    }

    @Test func `the pause of a job and a try is always the same`() {
        // Known values: another hash would make a replayed night wait otherwise.
        let pauses = (1...4).map { RetryPause.milliseconds(after: $0, of: "anna/reminder/#1") }
        #expect(pauses == [1999, 8915, 50150, 280535])
    }

    @Test func `a sink that says how long is waited for, and at most a quarter longer`() {
        for told in [0, 1, 7, 3600] {
            let pauses = (0..<500).map { RetryPause.milliseconds(told: told, waits: 1, of: "j\($0)") }
            let least = Int64(max(told, 1)) * 1000
            #expect(pauses.allSatisfy { $0 >= least && $0 <= least * 5 / 4 })
            #expect(Set(pauses).count > 100)
        }
    }

    @Test func `one that says soon again and again is asked less and less often, down to every minute`() {
        for (waits, seconds) in [(1, 1), (2, 2), (30, 30), (60, 60), (61, 60), (100_000, 60)] {
            let pause = RetryPause.milliseconds(told: 0, waits: waits, of: "j")
            #expect((Int64(seconds) * 1000...Int64(seconds) * 1250).contains(pause), "wait \(waits)")
        }
        #expect(RetryPause.milliseconds(told: 3600, waits: 500, of: "j") >= 3_600_000)
    }
}
