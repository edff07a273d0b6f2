internal import CivilTime

/// What is wrong with bytes that should be kept state. The snapshot that holds them is passed over.
public enum KeptFault: Error, Equatable, Sendable {
    case endedEarly
    case outOfRange
    case notUTF8
    case tooDeep
}

/// Reads what `KeptWriter` wrote. Every read is checked: hostile bytes give an error, never a trap.
///
/// Holds a pointer without owning it: a reader must not outlive the call that was handed the bytes.
public struct KeptReader {
    private var cursor: UnsafeRawPointer
    private let end: UnsafeRawPointer

    public init(_ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no address; any non-null pointer with cursor == end reads as "at the end".
        let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        cursor = start
        end = start + bytes.count
    }

    public var isAtEnd: Bool { cursor == end }

    /// A little-endian number of fixed width.
    @inline(__always)
    mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(KeptFault) -> Number {
        guard end - cursor >= MemoryLayout<Number>.size else { throw .endedEarly }
        defer { cursor += MemoryLayout<Number>.size }
        return Number(littleEndian: cursor.loadUnaligned(as: Number.self))
    }

    mutating func number() throws(KeptFault) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .outOfRange
    }

    /// How many things follow. Each takes a byte at least, so no count can ask for memory that was not given.
    mutating func count() throws(KeptFault) -> Int {
        let value = try number()
        guard value <= UInt64(end - cursor) else { throw .endedEarly }
        return Int(value)
    }

    mutating func signed() throws(KeptFault) -> Int {
        let value = try number()
        return Int(Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1))
    }

    mutating func flag() throws(KeptFault) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw .outOfRange }
        return byte == 1
    }

    mutating func byte() throws(KeptFault) -> UInt8 { try fixed() }

    mutating func instant() throws(KeptFault) -> Instant { Instant(milliseconds: try fixed()) }

    mutating func date() throws(KeptFault) -> LocalDate { LocalDate(daysSince1970: try fixed()) }

    mutating func time() throws(KeptFault) -> LocalTime {
        guard let time = LocalTime(minuteOfDay: Int(try fixed(UInt16.self))) else { throw .outOfRange }
        return time
    }

    mutating func slot() throws(KeptFault) -> LocalDateTime {
        let date = try date()
        return LocalDateTime(date: date, time: try time())
    }

    /// A place in a list of so many.
    mutating func place(below limit: Int) throws(KeptFault) -> Int {
        let value = try number()
        guard value < UInt64(limit) else { throw .outOfRange }
        return Int(value)
    }

    mutating func bytes() throws(KeptFault) -> UnsafeRawBufferPointer {
        let length = try count()
        defer { cursor += length }
        return UnsafeRawBufferPointer(start: cursor, count: length)
    }

    mutating func text() throws(KeptFault) -> String {
        let source = try bytes()
        guard let text = String(validating: source.assumingMemoryBound(to: UInt8.self), as: UTF8.self) else {
            throw .notUTF8
        }
        return text
    }

    mutating func word<Word: Enumeration>(_ type: Word.Type = Word.self) throws(KeptFault) -> Word {
        guard let word = Word(rawValue: Int(try byte())) else { throw .outOfRange }
        return word
    }

    mutating func optional<Value>(
        _ read: (inout KeptReader) throws(KeptFault) -> Value
    ) throws(KeptFault) -> Value? {
        try flag() ? try read(&self) : nil
    }

    mutating func list<Value>(
        _ read: (inout KeptReader) throws(KeptFault) -> Value
    ) throws(KeptFault) -> [Value] {
        let count = try count()
        var values: [Value] = []
        values.reserveCapacity(min(count, 1024))
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }
}
