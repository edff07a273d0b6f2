internal import Dispatch
internal import Synchronization

/// Orders that come one by one and are worked off together: while one batch is being written the next gathers.
///
/// Bounded by the window of the sink it serves. Safe to share: what gathers is under its lock, batches are worked off
/// one after the other on the queue.
final class Gathering: Sendable {
    typealias Answer = @Sendable (SinkOutcome) -> Void

    private struct State: Sendable {
        var orders: [Order] = []
        var answers: [Answer] = []
        var isScheduled = false
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())
    /// Answers for every order of a batch, in their order.
    private let work: @Sendable ([Order]) -> [SinkOutcome]

    init(label: String, work: @escaping @Sendable ([Order]) -> [SinkOutcome]) {
        queue = DispatchQueue(label: label)
        self.work = work
    }

    func take(_ order: Order, _ answer: @escaping Answer) {
        let mustSchedule = state.withLock { state in
            state.orders.append(order)
            state.answers.append(answer)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.workOff() } }
    }

    /// Does something once whatever has come so far is worked off. Only for threads that may wait.
    func settled<Value>(_ body: () -> Value) -> Value { queue.sync(execute: body) }

    /// Calls `done` after the batch that is being worked off, if any.
    func close(_ done: @escaping @Sendable () -> Void) { queue.async(execute: done) }

    private func workOff() {
        let batch = state.withLock { state in
            defer { state = State() }
            return state
        }
        let outcomes = work(batch.orders)
        precondition(outcomes.count == batch.orders.count, "a batch with unanswered orders")
        for (answer, outcome) in zip(batch.answers, outcomes) { answer(outcome) }
    }
}
