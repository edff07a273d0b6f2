internal import CProcessor

/// CRC-32C over one or more pieces.
struct Checksum {
    private(set) var value: UInt32 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        value = belfry_crc32c(value, bytes.baseAddress, bytes.count)
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        belfry_crc32c(0, bytes.baseAddress, bytes.count)
    }
}

extension UnsafeRawBufferPointer {
    /// A little-endian number at `offset`. The caller has checked that it is inside.
    func word<T: FixedWidthInteger>(_ offset: Int, as type: T.Type = T.self) -> T {
        T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// `count` bytes from `start`. The caller has checked that they are inside.
    func piece(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[start..<start + count])
    }
}
