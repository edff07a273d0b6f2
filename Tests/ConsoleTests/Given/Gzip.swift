import CZlib

/// Packs bytes as any client would.
func gzipped(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let code = deflateInit2_(
        &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK)
    defer { deflateEnd(&stream) }
    var bytes = bytes
    var packed = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64)
    let (count, packedCount) = (bytes.count, packed.count)
    return bytes.withUnsafeMutableBufferPointer { input in
        packed.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(packedCount)
            precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
            return Array(output[..<(packedCount - Int(stream.avail_out))])
        }
    }
}
