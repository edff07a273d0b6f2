import Dispatch
import Foundation
import Synchronization

/// The signals that a worker listens to, from before it opens anything: none of them ends the process by itself.
///
/// Before the worker is there, one that means an end is obeyed at once: nothing was acknowledged yet, and a log that is
/// being opened may be left at any point.
///
/// Safe to share: the sources are made once and kept, what is to be done is locked.
final class StopSignals: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]
    private let act: Mutex<@Sendable (Int32) -> Void>

    /// Listens when it returns.
    ///
    /// - Parameter early: what a signal does until there is a worker.
    init(_ numbers: [Int32], early: @escaping @Sendable (Int32) -> Void) {
        act = Mutex(early)
        let queue = DispatchQueue(label: "belfry.signals")
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

    /// From now on a signal does this.
    func listen(_ act: @escaping @Sendable (Int32) -> Void) { self.act.withLock { $0 = act } }

    private func hear(_ number: Int32) { act.withLock { $0 }(number) }

    static func name(of number: Int32) -> String {
        [SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP"][number] ?? "signal \(number)"
    }
}
