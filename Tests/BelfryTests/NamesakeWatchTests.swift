import Shared
import Testing

@testable import belfry

/// Two workers that say they are reached at one address.
@Suite("Namesakes in a cluster")
struct NamesakeWatchTests {
    private let me = WorkerID.random()
    private let other = WorkerID.random()
    private static let lease = Duration.seconds(6)

    private func looks(_ milliseconds: [Int64], at url: String = "http://a", isAlive: (Int64) -> Bool) -> [Bool] {
        var watch = NamesakeWatch()
        return milliseconds.map { now in
            let workers = [
                WorkerState(id: me, url: "http://a", aliveUntil: now + 6000),
                WorkerState(id: other, url: url, aliveUntil: isAlive(now) ? now + 1 : now),
            ]
            return watch.look(
                ClusterView(now: now, partitions: [], workers: workers), as: me, at: "http://a", lease: Self.lease,
                now: BootInstant(nanoseconds: now * 1_000_000))
        }
    }

    @Test func `one that goes on for longer than a lease is told of, once`() {
        #expect(looks([0, 3000, 6000, 6001, 9000]) { _ in true } == [false, false, false, true, false])
    }

    @Test func `the worker that it was before its start is none, nor is one elsewhere`() {
        #expect(!looks([0, 3000, 6000, 9000, 20_000]) { $0 < 6000 }.contains(true))
        #expect(!looks([0, 3000, 6000, 9000, 20_000], at: "http://b") { _ in true }.contains(true))
        // Of one that comes and goes each time is counted anew.
        #expect(!looks([0, 5000, 10_000, 15_000, 20_000]) { $0 != 5000 && $0 != 15_000 }.contains(true))
    }
}
