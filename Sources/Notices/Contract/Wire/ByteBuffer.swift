/// Bytes being written: the one growing buffer behind every encoder.
///
/// Owned by one place at a time (`~Copyable`), reused from batch to batch with `removeAll()`,
/// so that a steady writer allocates nothing.
public struct ByteBuffer: ~Copyable {
    public private(set) var base: UnsafeMutableRawPointer
    public private(set) var count = 0
    private var capacity: Int

    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 64)
        base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { base.deallocate() }

    /// The bytes written so far; valid until the next mutation.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    public mutating func removeAll() { count = 0 }

    /// Takes back what was written behind the first so many bytes.
    mutating func cut(to count: Int) {
        precondition(count <= self.count, "cut behind the end")
        self.count = count
    }

    public mutating func append(_ byte: UInt8) {
        if count == capacity { grow(by: 1) }
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    public mutating func append(_ source: UnsafeRawBufferPointer) {
        guard let start = source.baseAddress, source.count > 0 else { return }
        if count + source.count > capacity { grow(by: source.count) }
        (base + count).copyMemory(from: start, byteCount: source.count)
        count += source.count
    }

    public mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    public mutating func append(_ text: String) {
        text.utf8Span.span.withUnsafeBytes { append($0) }
    }

    public mutating func appendLittleEndian<T: FixedWidthInteger>(_ value: T) {
        let size = MemoryLayout<T>.size
        if count + size > capacity { grow(by: size) }
        base.storeBytes(of: value.littleEndian, toByteOffset: count, as: T.self)
        count += size
    }

    public mutating func appendZeros(_ number: Int) {
        if count + number > capacity { grow(by: number) }
        (base + count).initializeMemory(as: UInt8.self, repeating: 0, count: number)
        count += number
    }

    /// Overwrites bytes already written, such as a length that is known only afterwards.
    public mutating func overwrite<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        precondition(offset >= 0 && offset + MemoryLayout<T>.size <= count, "overwrite outside the buffer")
        base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }

    public mutating func overwrite(_ source: UnsafeRawBufferPointer, at offset: Int) {
        precondition(offset >= 0 && offset + source.count <= count, "overwrite outside the buffer")
        guard let start = source.baseAddress else { return }
        (base + offset).copyMemory(from: start, byteCount: source.count)
    }

    /// Opens a gap of `size` bytes at `offset` by moving what follows.
    mutating func openGap(of size: Int, at offset: Int) {
        let moved = count - offset
        appendZeros(size)
        (base + offset + size).copyMemory(from: base + offset, byteCount: moved)
    }

    private mutating func grow(by needed: Int) {
        let larger = max(capacity * 2, count + needed)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        fresh.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = fresh
        capacity = larger
    }
}

/// Safe because the memory is owned by exactly one value and moves with it.
extension ByteBuffer: @unchecked Sendable {}
