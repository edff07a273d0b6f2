internal import CZlib

/// Packs bytes as gzip (RFC 1952).
enum Deflater {
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        // 15 bits of window, and 16 says: gzip.
        let code = deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib cannot begin: \(code)")
        defer { deflateEnd(&stream) }
        var bytes = bytes
        let most = Int(deflateBound(&stream, UInt(bytes.count)))
        return [UInt8](unsafeUninitializedCapacity: most) { packed, count in
            let size = bytes.count
            bytes.withUnsafeMutableBufferPointer { bytes in
                stream.next_in = bytes.baseAddress
                stream.avail_in = UInt32(size)
                stream.next_out = packed.baseAddress
                stream.avail_out = UInt32(most)
                let code = deflate(&stream, Z_FINISH)
                precondition(code == Z_STREAM_END, "zlib cannot pack: \(code)")
                // Neither buffer is touched beyond this.
                (stream.next_in, stream.next_out) = (nil, nil)
            }
            count = most - Int(stream.avail_out)
        }
    }
}
