extension Instant: CustomStringConvertible {
    /// The length of every written instant: `2026-03-02T14:00:00.000Z`.
    public static let rfc3339Length = 24

    /// RFC 3339 in UTC with three digits of milliseconds, always 24 characters.
    ///
    /// RFC 3339 knows the years 0001–9999 only; an instant outside them is written as the nearest one inside.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.rfc3339Length) { buffer in
            writeRFC3339(to: UnsafeMutableRawBufferPointer(buffer))
            return Self.rfc3339Length
        }
    }

    /// Appends the text of `description` to `bytes`.
    public func writeRFC3339(into bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: Self.rfc3339Length, alignment: 1) { buffer in
            writeRFC3339(to: buffer)
            bytes.append(contentsOf: buffer)
        }
    }

    /// Writes the text of `description` to the first 24 bytes of `buffer`, which must be there.
    public func writeRFC3339(to buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= Self.rfc3339Length, "an instant needs 24 bytes")
        // Counted from the first writable day nothing is negative, and 32 bits hold a day.
        let clamped = min(max(milliseconds, Self.firstWritable), Self.lastWritable)
        let elapsed = UInt64(clamped - Self.firstWritable)
        let day = elapsed / 86_400_000
        let millisecondOfDay = UInt32(truncatingIfNeeded: elapsed - day * 86_400_000)
        let date = GregorianCalendar.date(days: Int(day) + Self.firstWritableDay)
        let year = UInt32(truncatingIfNeeded: date.year)
        let second = millisecondOfDay / 1000
        let minute = second / 60
        let millisecond = millisecondOfDay - second * 1000
        buffer.write(year / 100, at: 0)
        buffer.write(year % 100, at: 2)
        buffer[4] = UInt8(ascii: "-")
        buffer.write(UInt32(truncatingIfNeeded: date.month), at: 5)
        buffer[7] = UInt8(ascii: "-")
        buffer.write(UInt32(truncatingIfNeeded: date.day), at: 8)
        buffer[10] = UInt8(ascii: "T")
        buffer.write(minute / 60, at: 11)
        buffer[13] = UInt8(ascii: ":")
        buffer.write(minute % 60, at: 14)
        buffer[16] = UInt8(ascii: ":")
        buffer.write(second % 60, at: 17)
        buffer[19] = UInt8(ascii: ".")
        buffer[20] = UInt8(truncatingIfNeeded: millisecond / 100) &+ UInt8(ascii: "0")
        buffer.write(millisecond % 100, at: 21)
        buffer[23] = UInt8(ascii: "Z")
    }

    /// Whether RFC 3339 can say this instant in UTC.
    var isWritable: Bool { milliseconds >= Self.firstWritable && milliseconds <= Self.lastWritable }

    /// 0001-01-01T00:00:00.000Z.
    private static let firstWritable: Int64 = -62_135_596_800_000
    private static let firstWritableDay = -719_162
    /// 9999-12-31T23:59:59.999Z.
    private static let lastWritable: Int64 = 253_402_300_799_999
}

extension UnsafeMutableRawBufferPointer {
    /// Writes a number below 100 as two digits.
    @inline(__always)
    fileprivate func write(_ number: UInt32, at position: Int) {
        self[position] = UInt8(truncatingIfNeeded: number / 10) &+ UInt8(ascii: "0")
        self[position + 1] = UInt8(truncatingIfNeeded: number % 10) &+ UInt8(ascii: "0")
    }
}
