import Dispatch
import Foundation
import Synchronization

/// Writes lines to a descriptor on a queue of its own, so that whoever has something to say never waits for whoever reads.
///
/// Bounded: while nobody reads, further lines are left out, and how many is said where they are missing.
final class LogWriter: Sendable {
    private struct Waiting: Sendable {
        var text = ""
        var leftOut = 0
        var isScheduled = false
    }

    private static let bytesMax = 1 << 20

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "belfry.log", qos: .utility)
    private let waiting = Mutex(Waiting())
    /// How a number of lines that were left out is put into words.
    private let leftOut: @Sendable (Int) -> String

    /// - Parameter descriptor: must stay open.
    init(to descriptor: Int32, leftOut: @escaping @Sendable (Int) -> String) {
        self.descriptor = descriptor
        self.leftOut = leftOut
    }

    /// - Parameter line: without its line end.
    func write(_ line: String) {
        let mustSchedule = waiting.withLock { waiting in
            guard waiting.text.utf8.count + line.utf8.count < Self.bytesMax else {
                waiting.leftOut += 1
                return false
            }
            waiting.text += line + "\n"
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        if mustSchedule { queue.async { self.drain() } }
    }

    /// Waits until all is written, but not for longer than this.
    func flush(within time: DispatchTimeInterval) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + time)
    }

    private func drain() {
        let (text, missing) = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return (waiting.text, waiting.leftOut)
        }
        var words = text + (missing > 0 ? leftOut(missing) + "\n" : "")
        words.withUTF8 { _ = StandardStreams.write(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}
