import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("What is kept of a commit that was read")
struct OrderShelfTests {
    /// Attempts that are begun together are asked for one after the other, and none of them waits in a lane any more.
    @Test(arguments: [1, 7, 64]) func `a commit is read once for all that begin together, and those behind them`(
        window: Int
    ) throws {
        var plan = DeliveryPlan(sinks: [.init(name: "spool", window: window)])
        var shelf = OrderShelf()
        let reads = Mutex(0)
        plan.handOver((1...500).map { JobPlace(position: 3, seq: $0) })
        var begun: [UInt64] = []
        while plan.unfinished > 0, begun.count < 500 {
            var attempts: [Attempt] = []
            while let attempt = plan.nextAttempt(at: newYear) { attempts.append(attempt) }
            for (place, attempt) in attempts.enumerated() {
                let kept = shelf.take(attempt.place.seq)
                let order =
                    try kept
                    ?? shelf.order(
                        attempt.place,
                        from: { _ in
                            reads.withLock { $0 += 1 }
                            return (1...500).map { jobEvent($0) }
                        },
                        upcoming: { plan.upcoming(attempt, before: attempts[(place + 1)...], limit: $0) })
                #expect(order.seq == attempt.place.seq)
                begun.append(order.seq)
                plan.settle(attempt, order, SinkOutcome.taken(providerID: nil), at: newYear)
            }
            while let facts = plan.offer(at: newYear) {
                #expect(!facts.isEmpty)
                plan.offered(isRecorded: true, at: newYear)
            }
        }
        #expect(begun == Array(1...500) && reads.withLock { $0 } == 1)
    }

    /// A job goes to each device of its person.
    @Test func `an order that is asked for several times is kept for the last of them`() throws {
        var shelf = OrderShelf()
        let place = JobPlace(position: 3, seq: 2)
        let first = try shelf.order(
            place, from: { _ in (1...3).map { jobEvent($0) } }, upcoming: { _ in [2: 2, 3: 1] })
        #expect(first.seq == 2)
        #expect([2, 2, 2, 3, 3, 1].map { shelf.take($0)?.seq } == [2, 2, nil, 3, nil, nil])
    }
}
