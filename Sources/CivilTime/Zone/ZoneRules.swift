/// The offsets of one zone from UTC, past and future (T1).
///
/// Immutable and shared by everyone in the zone. A look-up allocates nothing and takes no lock.
public final class ZoneRules: Sendable {
    /// The name that was asked for, which may be an alias: `Asia/Calcutta` stays `Asia/Calcutta`.
    public let name: String
    let table: OffsetTable

    /// Reads the bytes of a zone's file. Any bytes at all may be given: what is not TZif is refused.
    public init(name: String, tzif bytes: [UInt8]) throws(TZifError) {
        self.name = name
        table = OffsetTable(try TZifFile(bytes))
    }

    /// UTC, for which no file is needed.
    public static let utc = ZoneRules(name: "UTC", table: OffsetTable(starts: [], offsets: [0], cycle: nil))

    private init(name: String, table: OffsetTable) {
        self.name = name
        self.table = table
    }

    /// Seconds ahead of UTC.
    @inline(__always)
    public func offsetSeconds(at instant: Instant) -> Int32 {
        table.offset(at: instant.wholeSeconds)
    }

    /// Seconds ahead of UTC from the first instant to the last, both included; `nil` where that changes in between.
    public func offsetSeconds(throughout instants: ClosedRange<Instant>) -> Int32? {
        let span = table.span(containing: instants.lowerBound.wholeSeconds)
        return span.contains(instants.upperBound.wholeSeconds) ? Int32(span.offset) : nil
    }

    /// What the clock on the wall shows, to the minute begun. For the day that caps count see `localDate(at:)`.
    public func local(at instant: Instant) -> LocalDateTime {
        let second = instant.wholeSeconds
        return LocalDateTime(wallSecond: second + Int64(table.offset(at: second)))
    }
}

extension ZoneRules {
    /// Whether it is the same zone under this name or another: `Asia/Calcutta` is `Asia/Kolkata`.
    public func hasSameClocks(as other: ZoneRules) -> Bool { self === other || table == other.table }
}

extension ZoneRules: Hashable {
    /// The same name and the same clocks, from whichever reading of the file.
    public static func == (left: ZoneRules, right: ZoneRules) -> Bool {
        left === right || left.name == right.name && left.table == right.table
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

extension ZoneRules: CustomStringConvertible {
    public var description: String { name }
}
