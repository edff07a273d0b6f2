import Shared
import Synchronization
import Testing

@testable import belfry

/// What becomes of the jobs that wait at a worker when a partition leaves it.
@Suite("Departures of partitions")
struct DeparturesTests {
    private final class Told: Sendable {
        let words = Mutex<[String]>([])

        func hear(_ word: String) { words.withLock { $0.append(word) } }
        var all: [String] { words.withLock { $0 } }

        var deliveries: Departures.Deliveries {
            Departures.Deliveries(
                hold: { [self] partition, done in
                    hear("hold \(partition)")
                    done()
                }, forget: { [self] in hear("forget \($0)") }, resume: { [self] in hear("resume \($0)") })
        }
    }

    private let told = Told()
    private let now = BootInstant(nanoseconds: 0)

    private var departures: Departures {
        Departures(told.deliveries, RunLog(least: .error, isTerminal: false, clock: { .exampleStart }, to: -1))
    }

    /// Others may have sent what waits here, and it would go out again when the partition comes back.
    @Test func `of one that is lost nothing is kept, whether or not it was about to go`() {
        departures.lost(3)
        #expect(told.all == ["hold 3", "forget 3"])
        let departures = departures
        #expect(!departures.mayGo(4, at: now) {})
        departures.lost(4)
        #expect(told.all.suffix(3) == ["hold 4", "hold 4", "forget 4"])
        // It is not about to go any more.
        departures.stay(4)
        departures.went(4)
        #expect(told.all.count == 5)
    }

    @Test func `one that was to go and stays goes on with what waits`() {
        let departures = departures
        #expect(!departures.mayGo(3, at: now) {})
        #expect(departures.mayGo(3, at: now) {})
        departures.keep(allBut: [3])
        #expect(told.all == ["hold 3"])
        departures.keep(allBut: [])
        #expect(told.all == ["hold 3", "resume 3"])
    }
}
