import CivilTime
import Delivery
import Synchronization

extension Sink {
    /// Hands over one order and waits for what is said of it.
    func take(_ order: Order) async -> SinkOutcome {
        await withCheckedContinuation { continuation in
            take(order) { continuation.resume(returning: $0) }
        }
    }

    /// Hands over all at once.
    func takeAll(_ orders: [Order]) async -> [SinkOutcome] {
        await withTaskGroup(of: (Int, SinkOutcome).self) { group in
            for (index, order) in orders.enumerated() { group.addTask { (index, await self.take(order)) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    func close() async {
        await withCheckedContinuation { continuation in close { continuation.resume() } }
    }
}

/// Something that is waited for by its tests: values come in from any thread. A test whose time is over waits no longer.
final class Awaited<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var values: [Value] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var isGivenUp = false
    }

    private let state = Mutex(State())

    var values: [Value] { state.withLock { $0.values } }

    func append(contentsOf values: [Value]) { change { $0.values += values } }

    /// All there is once there are so many.
    func first(_ count: Int) async throws(CancellationError) -> [Value] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { $0.waiters.append((count, continuation)) }
            }
        } onCancel: {
            change { $0.isGivenUp = true }
        }
        let values = values
        if values.count < count { throw CancellationError() }
        return values
    }

    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state in
            body(&state)
            let (count, isGivenUp) = (state.values.count, state.isGivenUp)
            defer { state.waiters.removeAll { isGivenUp || $0.count <= count } }
            return state.waiters.filter { isGivenUp || $0.count <= count }.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }
}
