internal import CivilTime

/// Writes folded state down, to be read again by the same version of the fold: no names, no tags, nothing skipped.
public struct KeptWriter: ~Copyable {
    public var bytes: ByteBuffer
    public var zones: ZoneTable

    public init(zones: ZoneTable, capacity: Int = 1 << 16) {
        bytes = ByteBuffer(capacity: capacity)
        self.zones = zones
    }

    mutating func number(_ value: UInt64) { bytes.appendVarint(value) }

    mutating func count(_ value: Int) { bytes.appendVarint(UInt64(value)) }

    /// Any whole number; small ones either side of zero are short.
    mutating func signed(_ value: Int) {
        bytes.appendVarint(UInt64(bitPattern: Int64(value) << 1 ^ Int64(value) >> 63))
    }

    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func instant(_ value: Instant) { bytes.appendLittleEndian(value.milliseconds) }

    mutating func date(_ value: LocalDate) { bytes.appendLittleEndian(value.daysSince1970) }

    mutating func time(_ value: LocalTime) { bytes.appendLittleEndian(value.minuteOfDay) }

    mutating func slot(_ value: LocalDateTime) {
        date(value.date)
        time(value.time)
    }

    mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            bytes.appendVarint(UInt64(utf8.count))
            bytes.append(UnsafeRawBufferPointer(utf8))
        }
    }

    mutating func optional<Value>(_ value: Value?, _ write: (inout KeptWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    mutating func list<Value>(_ values: [Value], _ write: (inout KeptWriter, Value) -> Void) {
        count(values.count)
        for value in values { write(&self, value) }
    }
}

/// Zones by small numbers: there are few, and people name them by the million.
public struct ZoneTable: Sendable {
    public private(set) var names: [String] = []
    private var places: [String: UInt16] = [:]

    public static let countMax = Int(UInt16.max)

    public init() {}

    /// `nil` for more zones than there are numbers, which no tz database has.
    mutating func place(of zone: ZoneRules) -> UInt16? {
        if let known = places[zone.name] { return known }
        guard names.count < Self.countMax else { return nil }
        let place = UInt16(names.count)
        names.append(zone.name)
        places[zone.name] = place
        return place
    }
}
