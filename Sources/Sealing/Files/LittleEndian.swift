internal import CProcessor

/// Numbers as the files have them: little-endian.
extension UnsafeRawBufferPointer {
    /// The caller has checked that it is inside.
    func number<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type = Number.self) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// The caller has checked that they are inside.
    func piece(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[start..<start + count])
    }

    /// CRC-32C.
    var checksum: UInt32 { belfry_crc32c(0, baseAddress, count) }
}

extension UnsafeMutableRawBufferPointer {
    func piece(_ start: Int, _ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: self[start..<start + count])
    }
}

extension [UInt8] {
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// CRC-32C of all of it.
    var checksum: UInt32 { withUnsafeBytes { $0.checksum } }
}
