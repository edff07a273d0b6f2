import Dispatch
import Synchronization

/// The membership's looks at who lives, for those who need one that begins after now.
final class Looks: Sendable {
    private struct Waiting: Sendable {
        var look: UInt64
        var answer: @Sendable (Bool) -> Void
    }

    private struct State: Sendable {
        var begun: UInt64 = 0
        var asked: UInt64 = 0
        var waiting: [UInt64: Waiting] = [:]
    }

    private let state = Mutex(State())
    private static let queue = DispatchQueue(label: "belfry.looks")

    func begin() { state.withLock { $0.begun += 1 } }

    /// The look that was begun last is over.
    func end() {
        let seen = state.withLock { state in
            let seen = state.waiting.filter { [begun = state.begun] in $0.value.look <= begun }
            for number in seen.keys { state.waiting[number] = nil }
            return seen.values.map(\.answer)
        }
        for answer in seen { answer(true) }
    }

    /// - Parameter answer: `false` where there was none in time.
    func whenLookedAnew(within time: DispatchTimeInterval, _ answer: @escaping @Sendable (_ isSeen: Bool) -> Void) {
        let number = state.withLock { state in
            state.asked += 1
            state.waiting[state.asked] = Waiting(look: state.begun + 1, answer: answer)
            return state.asked
        }
        Self.queue.asyncAfter(deadline: .now() + time) { [weak self] in
            self?.state.withLock { $0.waiting.removeValue(forKey: number) }?.answer(false)
        }
    }
}
