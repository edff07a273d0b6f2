import CivilTime
import Delivery
import Notices
import Testing

/// A plan under a virtual clock, with sinks that answer as they are told to.
struct PlanWorld {
    /// What a sink says to a job's n-th try; `nil` for no answer yet.
    typealias Behaviour = (_ sink: Int, _ seq: UInt64, _ number: Int) -> SinkOutcome?

    var plan: DeliveryPlan
    var now = newYear
    var channels: [Channel] = [.push]
    var notAfter: Instant?
    var behaviour: Behaviour
    /// Tries in the order they were made.
    private(set) var tries: [Try] = []
    private(set) var facts: [Fact] = []
    private(set) var unanswered: [Attempt] = []

    struct Try: Equatable {
        var sink: Int
        var seq: UInt64
        var number: Int
        var at: Instant
    }

    init(_ sinks: [(String, window: Int)] = [("sink", 4)], _ behaviour: @escaping Behaviour) {
        plan = DeliveryPlan(sinks: sinks.map { .init(name: $0.0, window: $0.window) })
        self.behaviour = behaviour
    }

    func order(_ attempt: Attempt) -> Order {
        DeliveryTests.order(
            attempt.place.seq, channels: channels, notAfter: notAfter, at: attempt.place.position)
    }

    /// Does all there is to do at this instant.
    mutating func settleDown() {
        while let attempt = plan.nextAttempt(at: now) { tryOnce(attempt) }
        while let batch = plan.offer(at: now) {
            facts += batch
            plan.offered(isRecorded: true, at: now)
        }
    }

    mutating func tryOnce(_ attempt: Attempt) {
        let order = order(attempt)
        guard plan.maySend(attempt, order, at: now) else { return }
        tries.append(Try(sink: attempt.sink, seq: attempt.place.seq, number: attempt.number, at: now))
        if let outcome = behaviour(attempt.sink, attempt.place.seq, attempt.number) {
            plan.settle(attempt, order, outcome, at: now)
        } else {
            unanswered.append(attempt)
        }
    }

    /// Goes from wake to wake until nothing more is due.
    mutating func runOut() {
        settleDown()
        for _ in 0..<20_000 {
            guard let wake = plan.nextWake else { return }
            now = max(now, wake)
            settleDown()
        }
        Issue.record("it never ends")
    }

    /// The first answer that is still owed.
    mutating func answer(_ outcome: SinkOutcome) {
        let attempt = unanswered.removeFirst()
        plan.settle(attempt, order(attempt), outcome, at: now)
    }
}

extension SinkOutcome {
    static let taken = SinkOutcome.taken(providerID: nil)
    static let later = SinkOutcome.retry(after: nil, reason: "answered 503")
}
