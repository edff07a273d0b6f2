import Foundation
import Notices
import Synchronization

/// Standard output, buffered, and checked: what could not be printed is an error, not a silence.
///
/// One of the doors through which the program prints: what would steer a terminal leaves none of them (`Visible`).
final class Output: Sendable {
    private let buffer = Mutex(Buffer())

    private struct Buffer: Sendable {
        var bytes: [UInt8] = []
        var failure: Int32 = 0
    }

    /// A line for people, with whatever others wrote in it.
    func line(_ text: String) { print { $0.append(Visible.line(text)) } }

    /// Several lines: Belfry's own, or a document that has lines.
    func lines(_ text: String) { print { $0.append(Visible.lines(text)) } }

    /// A line for machines: JSON.
    func line(_ write: (inout ByteBuffer) -> Void) {
        var json = ByteBuffer()
        write(&json)
        print { Visible.appendJSON(json.bytes, to: &$0) }
    }

    private func print(_ write: (inout ByteBuffer) -> Void) {
        var line = ByteBuffer()
        write(&line)
        line.append(UInt8(ascii: "\n"))
        buffer.withLock { buffer in
            buffer.bytes.append(contentsOf: line.bytes)
            if buffer.bytes.count >= 1 << 16 { Self.drain(&buffer) }
        }
    }

    /// Whether something could not be printed, so that more need not be made.
    var hasFailed: Bool { buffer.withLock { $0.failure != 0 } }

    func flush() {
        buffer.withLock { Self.drain(&$0) }
    }

    /// To be called last: whether everything went out.
    ///
    /// A reader that had enough, as `head` has, went away by itself: that is no failure.
    func finish() throws(Failure) {
        let failure = buffer.withLock { buffer in
            Self.drain(&buffer)
            return buffer.failure
        }
        if failure != 0, failure != EPIPE {
            throw Failure(.environment, "cannot write to standard output: \(String(cString: strerror(failure)))")
        }
    }

    private static func drain(_ buffer: inout Buffer) {
        if buffer.failure == 0 {
            buffer.failure = buffer.bytes.withUnsafeBytes { StandardStreams.write($0, to: STDOUT_FILENO) }
        }
        buffer.bytes.removeAll(keepingCapacity: true)
    }
}
