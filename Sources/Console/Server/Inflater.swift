internal import CZlib

/// Undoes gzip (RFC 1952) piece by piece, so that what would grow beyond all measure is noticed while it grows.
///
/// Belongs to one request. Several members one after the other are taken as one body, as gzip itself does.
final class Inflater {
    struct Problem: Error, Equatable {
        let text: String
    }

    /// What to do after a piece of output.
    enum Appetite { case more, enough }

    // zlib keeps a pointer to its stream, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let window: UnsafeMutableRawBufferPointer
    private var isAtMemberEnd = false

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        window = .allocate(byteCount: 64 << 10, alignment: 16)
        // 15 bits of window, and 16 says: gzip and nothing else.
        let code = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib cannot begin: \(code)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        window.deallocate()
    }

    /// Whether what was given so far is a whole number of members.
    var isWhole: Bool { isAtMemberEnd }

    /// Gives out what the packed bytes hold, at most a window at a time, until they are used up or it is enough.
    func inflate(_ packed: UnsafeRawBufferPointer, _ each: (UnsafeRawBufferPointer) -> Appetite) throws(Problem) {
        // zlib does not write to its input.
        stream.pointee.next_in = UnsafeMutableRawPointer(mutating: packed.baseAddress)?.assumingMemoryBound(
            to: UInt8.self)
        stream.pointee.avail_in = UInt32(packed.count)
        defer { stream.pointee.next_in = nil }
        while stream.pointee.avail_in > 0 {
            if isAtMemberEnd {
                inflateReset(stream)
                isAtMemberEnd = false
            }
            repeat {
                stream.pointee.next_out = window.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(window.count)
                let code = CZlib.inflate(stream, Z_NO_FLUSH)
                guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw problem(code) }
                let made = window.count - Int(stream.pointee.avail_out)
                if made > 0, case .enough = each(UnsafeRawBufferPointer(rebasing: window[..<made])) { return }
                isAtMemberEnd = code == Z_STREAM_END
            } while stream.pointee.avail_out == 0 && !isAtMemberEnd
        }
    }

    private func problem(_ code: Int32) -> Problem {
        Problem(text: stream.pointee.msg.map { String(cString: $0) } ?? "zlib's error \(code)")
    }
}
