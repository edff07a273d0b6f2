import CivilTime
import Delivery
import Notices
import Simulation
import Testing

@Suite("SPEC §11, random deliveries")
struct RandomDeliveryTests {
    /// Sinks fail at random, answer late and in any order, the log is busy at random, jobs come in waves.
    @Test(arguments: 0..<150)
    func `every job ends with exactly one outcome, whatever sinks and log do`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let sinks = Int.random(in: 1...3, using: &random)
        let windows = (0..<sinks).map { _ in Int.random(in: 1...8, using: &random) }
        var plan = DeliveryPlan(sinks: windows.enumerated().map { .init(name: "s\($0)", window: $1) })
        let jobs = UInt64.random(in: 1...200, using: &random)
        let deadline = newYear.advanced(bySeconds: Int64.random(in: 1...900, using: &random))
        func order(_ seq: UInt64) -> Order { DeliveryTests.order(seq, notAfter: seq % 3 == 0 ? deadline : nil) }

        var now = newYear
        var (next, flying, failures) = (UInt64(1), [Attempt](), [String: Int]())
        var (recorded, offered) = ([Fact](), [Fact]?.none)
        // Far more than any script needs: a plan that stands still must fail and not run for ever.
        var steps = 0
        while next <= jobs || plan.unfinished > 0, steps < 200_000 {
            steps += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where next <= jobs:
                let last = min(jobs, next + UInt64.random(in: 0..<40, using: &random))
                plan.handOver(places(next...last))
                next = last + 1
            case 1...4:
                guard let attempt = plan.nextAttempt(at: now) else { break }
                guard plan.maySend(attempt, order(attempt.place.seq), at: now) else { break }
                #expect(attempt.place.seq % 3 != 0 || now <= deadline, "sent too late, seed \(seed)")
                flying.append(attempt)
                #expect(flying.count { $0.sink == attempt.sink } <= windows[attempt.sink], "seed \(seed)")
            case 5...7:
                guard let index = flying.indices.randomElement(using: &random) else { break }
                let attempt = flying.remove(at: index)
                let outcome = outcome(&random)
                if case .retry(nil, _) = outcome { failures["\(attempt.sink)/\(attempt.place.seq)", default: 0] += 1 }
                plan.settle(attempt, order(attempt.place.seq), outcome, at: now)
            case 8:
                if offered != nil {
                    let isRecorded = Bool.random(using: &random)
                    if isRecorded { recorded += offered ?? [] }
                    offered = nil
                    plan.offered(isRecorded: isRecorded, at: now)
                } else {
                    offered = plan.offer(at: now)
                }
            default:
                if flying.isEmpty, let wake = plan.nextWake { now = max(now, wake) }
                now = now.advanced(byMilliseconds: Int64.random(in: 0...3000, using: &random))
            }
        }
        let ended = Dictionary(grouping: recorded, by: \.job).mapValues(\.count)
        #expect(ended == Dictionary(uniqueKeysWithValues: (1...jobs).map { (order($0).id, 1) }), "seed \(seed)")
        #expect(failures.values.allSatisfy { $0 <= RetryPause.triesMax }, "seed \(seed)")
    }

    private func outcome(_ random: inout SeededRandom) -> SinkOutcome {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .refused(reason: "answered 410")
        case 1...2: .retry(after: nil, reason: "answered 500")
        case 3: .retry(after: Int.random(in: 0...100, using: &random), reason: "answered 429")
        default: .taken(providerID: nil)
        }
    }
}
