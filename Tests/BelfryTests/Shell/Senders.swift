import Foundation
import Synchronization

/// Eight threads that write facts into one pipe, each as fast as it is read, until nobody reads it any more.
final class Senders: Sendable {
    private static let count = 8
    private static let factsEach = 400

    /// The ids in the order of their lines. The lock is held over each write, so that the order is known.
    private let order = Mutex<[String]>([])
    private let running = DispatchGroup()
    private let descriptor: Int32

    /// - Parameters:
    ///   - name: in front of every id.
    ///   - first: what the first of them sends before its own.
    init(pipe: String, name: String, first: [String]) {
        // Waits for the reader, so here and not in the threads, which may come to it when the reader is dead.
        descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
        precondition(descriptor >= 0, "cannot write to \(pipe)")
        for sender in 0..<Self.count {
            let own = (0..<Self.factsEach).map { "\(name).\(sender).\($0)" }
            let ids = sender == 0 ? first + own : own
            running.enter()
            Thread.detachNewThread { [self] in
                send(ids)
                running.leave()
            }
        }
    }

    /// Waits for all of them, and gives the ids that were written, line by line.
    func end() -> [String] {
        running.wait()
        close(descriptor)
        return order.withLock { $0 }
    }

    private func send(_ ids: [String]) {
        for id in ids {
            // A pipe takes so short a line whole or not at all.
            let line = Array(fact(id: id).utf8)
            let isWritten = order.withLock { order in
                guard write(descriptor, line, line.count) == line.count else { return false }
                order.append(id)
                return true
            }
            if !isWritten { return }
        }
    }
}
