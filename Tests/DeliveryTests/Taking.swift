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

/// Something that is waited for by its tests: values come in from any thread.
final class Awaited<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var values: [Value] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var values: [Value] { state.withLock { $0.values } }

    func append(contentsOf values: [Value]) {
        let ready = state.withLock { state in
            state.values += values
            let count = state.values.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// All there is once there are so many.
    func first(_ count: Int) async -> [Value] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.values.count < count { state.waiters.append((count, continuation)) }
                return state.values.count >= count
            }
            if isThere { continuation.resume() }
        }
        return values
    }
}
