import Dispatch
import Foundation
import Synchronization

/// The signals that a worker listens to, from before it opens anything: none of them ends the process by itself.
///
/// Before the worker is there, one that means an end is obeyed at once: nothing was acknowledged yet, and a log that is
/// being opened may be left at any point. One that means something else is kept for the worker: what it asks to be read again
/// may have been read before it was changed.
///
/// Safe to share: the sources are made once and kept, what is to be done is locked.
final class StopSignals: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]
    private struct State: Sendable {
        var act: (@Sendable (Int32) -> Void)?
        var kept: Set<Int32> = []
    }

    private let state = Mutex(State())
    private let early: @Sendable (Int32) -> Void
    private let queue = DispatchQueue(label: "belfry.signals")

    /// Listens when it returns.
    ///
    /// - Parameter early: told of each signal that comes before there is a worker.
    init(_ numbers: [Int32], early: @escaping @Sendable (Int32) -> Void) {
        self.early = early
        let queue = queue
        let listening = DispatchGroup()
        sources = numbers.map { number in
            #if !os(Linux)
                // There Dispatch only watches; on Linux it has a handler of its own, which also is not inherited.
                signal(number, SIG_IGN)
            #endif
            listening.enter()
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setRegistrationHandler { listening.leave() }
            return source
        }
        for (number, source) in zip(numbers, sources) {
            source.setEventHandler { [weak self] in self?.hear(number) }
            source.activate()
        }
        listening.wait()
    }

    /// From now on a signal does this, those that came before first.
    func listen(_ act: @escaping @Sendable (Int32) -> Void) {
        queue.async {
            let kept = self.state.withLock { state in
                state.act = act
                defer { state.kept = [] }
                return state.kept
            }
            kept.forEach(act)
        }
    }

    /// On the queue.
    private func hear(_ number: Int32) {
        let act = state.withLock { state in
            if state.act == nil { state.kept.insert(number) }
            return state.act
        }
        act.map { $0(number) } ?? early(number)
    }

    static func name(of number: Int32) -> String {
        [SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP"][number] ?? "signal \(number)"
    }
}
