import Foundation

/// Cuts a file or a pipe into lines without ever holding more of one than is allowed.
struct LineReader: ~Copyable {
    enum Line {
        case whole(number: Int, UnsafeRawBufferPointer)
        /// Longer than is read; it was passed over.
        case tooLong(number: Int)
    }

    private let descriptor: Int32
    private let bytesMax: Int
    private var buffer: UnsafeMutableRawBufferPointer
    private var held: Range<Int> = 0..<0
    /// Where in the buffer no line end has been looked for yet.
    private var searched = 0
    private var isSkipping = false
    private var isAtEnd = false
    private var number = 0
    private var bytesRead = 0

    init(descriptor: Int32, bytesMax: Int) {
        self.descriptor = descriptor
        self.bytesMax = bytesMax
        buffer = .allocate(byteCount: bytesMax + (1 << 18), alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// How far it has come in the input, whatever it holds in advance.
    var bytesTaken: Int { bytesRead - held.count }

    /// Whether the sender has sent more, or is done.
    var hasInput: Bool { isAtEnd || StandardStreams.wait(for: Int16(POLLIN), on: descriptor, milliseconds: 0) }

    /// Whether the next line can be had without asking for more.
    var hasLine: Bool { !isSkipping && memchr(buffer.baseAddress! + searched, 0x0A, held.upperBound - searched) != nil }

    /// The next line without its end, good until the next call; `nil` at the end of the input.
    mutating func next() throws(Failure) -> Line? {
        while true {
            if let end = lineEnd() {
                defer {
                    held = min(end + 1, held.upperBound)..<held.upperBound
                    searched = held.lowerBound
                }
                number += 1
                if isSkipping {
                    isSkipping = false
                    return .tooLong(number: number)
                }
                let line = UnsafeRawBufferPointer(rebasing: buffer[held.lowerBound..<end])
                return line.count > bytesMax ? .tooLong(number: number) : .whole(number: number, line.withoutReturn)
            }
            if isAtEnd { return nil }
            if held.count > bytesMax { skip() }
            try fill()
        }
    }

    /// The place of the next line end; at the end of the input, the end of what is left.
    private mutating func lineEnd() -> Int? {
        if let found = memchr(buffer.baseAddress! + searched, 0x0A, held.upperBound - searched) {
            return UnsafeRawPointer(found) - UnsafeRawPointer(buffer.baseAddress!)
        }
        searched = held.upperBound
        guard isAtEnd, !held.isEmpty || isSkipping else { return nil }
        return held.upperBound
    }

    private mutating func skip() {
        isSkipping = true
        held = 0..<0
        searched = 0
    }

    private mutating func fill() throws(Failure) {
        if held.lowerBound > 0 {
            memmove(buffer.baseAddress!, buffer.baseAddress! + held.lowerBound, held.count)
            searched -= held.lowerBound
            held = 0..<held.count
        }
        while true {
            let count = read(descriptor, buffer.baseAddress! + held.upperBound, buffer.count - held.upperBound)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                StandardStreams.wait(for: Int16(POLLIN), on: descriptor, milliseconds: -1)
                continue
            }
            guard count >= 0 else {
                throw Failure(.environment, "cannot read the input: \(String(cString: strerror(errno)))")
            }
            if count == 0 { isAtEnd = true }
            if isSkipping, count > 0 {
                // Of a line that is passed over only its end matters.
                bytesRead += count
                guard let end = memchr(buffer.baseAddress!, 0x0A, count) else { continue }
                held = (UnsafeRawPointer(end) - UnsafeRawPointer(buffer.baseAddress!))..<count
                searched = held.lowerBound
                return
            }
            bytesRead += count
            held = held.lowerBound..<held.upperBound + count
            return
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The line without the carriage return that some senders put at its end.
    fileprivate var withoutReturn: UnsafeRawBufferPointer {
        last == 0x0D ? UnsafeRawBufferPointer(rebasing: self[..<(count - 1)]) : self
    }
}
