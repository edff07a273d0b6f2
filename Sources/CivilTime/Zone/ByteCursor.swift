/// Reads big-endian numbers from bytes, and says so where there are too few.
struct ByteCursor {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Throws unless that many bytes are left.
    func require(_ count: Int) throws(TZifError) {
        guard count <= bytes.count - position else {
            throw .truncated(needed: position + count, size: bytes.count)
        }
    }

    mutating func skip(_ count: Int) throws(TZifError) {
        try require(count)
        position += count
    }

    mutating func byte() throws(TZifError) -> UInt8 {
        try require(1)
        position += 1
        return bytes[position - 1]
    }

    mutating func int32() throws(TZifError) -> Int32 {
        Int32(bitPattern: UInt32(truncatingIfNeeded: try bigEndian(4)))
    }

    mutating func int64() throws(TZifError) -> Int64 {
        Int64(bitPattern: try bigEndian(8))
    }

    /// An unsigned number of 32 bits.
    mutating func count() throws(TZifError) -> Int {
        Int(try bigEndian(4))
    }

    private mutating func bigEndian(_ count: Int) throws(TZifError) -> UInt64 {
        try require(count)
        var value: UInt64 = 0
        for index in position..<position + count {
            value = value << 8 | UInt64(bytes[index])
        }
        position += count
        return value
    }
}
