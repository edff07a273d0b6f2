/// Writes TZif files by hand (RFC 9636), sound ones and others.
struct TZifWriter {
    var version: Character? = "2"
    /// Seconds at which a type begins.
    var transitions: [(Int64, UInt8)] = []
    /// Seconds ahead of UTC, and whether that is daylight time.
    var types: [(Int32, Bool)] = [(0, false)]
    var footer = ""
    var leapSeconds: [(Int64, Int32)] = []
    /// What the block of version 1 says to those who read nothing newer.
    var oldTypes: [(Int32, Bool)] = [(0, false)]

    var bytes: [UInt8] {
        guard version != nil else { return block(transitions, types, leapSeconds, timeSize: 4) }
        return block([], oldTypes, [], timeSize: 4) + block(transitions, types, leapSeconds, timeSize: 8)
            + Array("\n\(footer)\n".utf8)
    }

    private func block(
        _ transitions: [(Int64, UInt8)], _ types: [(Int32, Bool)], _ leaps: [(Int64, Int32)], timeSize: Int
    ) -> [UInt8] {
        var bytes = Array("TZif".utf8)
        bytes.append(version?.asciiValue ?? 0)
        bytes += [UInt8](repeating: 0, count: 15)
        for count in [0, 0, leaps.count, transitions.count, types.count, 4] {
            bytes += Self.bigEndian(Int32(count))
        }
        for (second, _) in transitions {
            bytes += timeSize == 8 ? Self.bigEndian(second) : Self.bigEndian(Int32(second))
        }
        bytes += transitions.map(\.1)
        for (offset, isDaylight) in types {
            bytes += Self.bigEndian(offset) + [isDaylight ? 1 : 0, 0]
        }
        bytes += Array("ABC\0".utf8)
        for (second, correction) in leaps {
            bytes += timeSize == 8 ? Self.bigEndian(second) : Self.bigEndian(Int32(second))
            bytes += Self.bigEndian(correction)
        }
        return bytes
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
