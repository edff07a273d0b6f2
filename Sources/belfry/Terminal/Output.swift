import Foundation
import Notices
import Synchronization

/// Standard output, buffered, and checked: what could not be printed is an error, not a silence.
final class Output: Sendable {
    private let buffer = Mutex(Buffer())

    private struct Buffer: Sendable {
        var bytes: [UInt8] = []
        var failure: Int32 = 0
    }

    func line(_ text: String) {
        line { $0.append(text) }
    }

    func line(_ write: (inout ByteBuffer) -> Void) {
        var line = ByteBuffer()
        write(&line)
        line.append(UInt8(ascii: "\n"))
        buffer.withLock { buffer in
            buffer.bytes.append(contentsOf: line.bytes)
            if buffer.bytes.count >= 1 << 16 { Self.drain(&buffer) }
        }
    }

    func flush() {
        buffer.withLock { Self.drain(&$0) }
    }

    /// To be called last: whether everything went out.
    func finish() throws(Failure) {
        let failure = buffer.withLock { buffer in
            Self.drain(&buffer)
            return buffer.failure
        }
        if failure != 0 {
            throw Failure(.environment, "cannot write to standard output: \(String(cString: strerror(failure)))")
        }
    }

    private static func drain(_ buffer: inout Buffer) {
        var done = 0
        while done < buffer.bytes.count, buffer.failure == 0 {
            let count = buffer.bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress! + done, $0.count - done) }
            if count >= 0 { done += count } else if errno != EINTR { buffer.failure = errno }
        }
        buffer.bytes.removeAll(keepingCapacity: true)
    }
}

/// Says something on standard error.
func complain(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
}
