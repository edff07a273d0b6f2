/// What a TZif file says (RFC 9636, versions 1 to 4), before anything is made of it.
///
/// ```
/// header (44 bytes)  magic "TZif", version, 15 unused, six counts of 32 bits, big-endian
/// data block         transition times, their types, the types, names, leap seconds, flags
/// header, data block again with 64-bit times, from version 2 on; the first block is then skipped
/// footer             "\n", the POSIX TZ rule after the last transition or nothing, "\n"
/// ```
///
/// Names of offsets ("CET") and the standard/UT flags have no bearing on when something happens
/// and are stepped over. A file may be hostile: every read is checked, every count is bounded by the size.
struct TZifFile: Equatable, Sendable {
    struct LocalTimeType: Equatable, Sendable {
        var offset: Int32
        var isDaylight: Bool
    }

    /// Strictly increasing seconds since 1970.
    var transitions: [Int64]
    /// For each transition the index of the type that begins; always within `types`.
    var typeIndices: [UInt8]
    /// At least one.
    var types: [LocalTimeType]
    /// The rule after the last transition; `nil` where the last type goes on for ever.
    var footer: FooterRule?

    init(_ bytes: [UInt8]) throws(TZifError) {
        var cursor = ByteCursor(bytes)
        let first = try TZifHeader(&cursor)
        guard first.isVersion2OrLater else {
            (transitions, typeIndices, types) = try Self.block(first, timeSize: 4, &cursor)
            return
        }
        try cursor.skip(first.blockSize(timeSize: 4))
        let second = try TZifHeader(&cursor)
        (transitions, typeIndices, types) = try Self.block(second, timeSize: 8, &cursor)
        footer = try Self.footer(&cursor)
    }

    private static func block(
        _ header: TZifHeader, timeSize: Int, _ cursor: inout ByteCursor
    ) throws(TZifError) -> ([Int64], [UInt8], [LocalTimeType]) {
        guard header.typeCount > 0 else { throw .noLocalTimeTypes }
        try cursor.require(header.blockSize(timeSize: timeSize))
        var transitions: [Int64] = []
        transitions.reserveCapacity(header.transitionCount)
        for index in 0..<header.transitionCount {
            let time = timeSize == 8 ? try cursor.int64() : Int64(try cursor.int32())
            if let last = transitions.last, last >= time { throw .unorderedTransitions(index: index) }
            transitions.append(time)
        }
        var indices: [UInt8] = []
        indices.reserveCapacity(header.transitionCount)
        for transition in 0..<header.transitionCount {
            let index = try cursor.byte()
            guard Int(index) < header.typeCount else {
                throw .unknownLocalTimeType(transition: transition, type: Int(index))
            }
            indices.append(index)
        }
        var types: [LocalTimeType] = []
        for _ in 0..<header.typeCount {
            let offset = try cursor.int32()
            guard FooterRule.offsets.contains(Int(offset)) else { throw .offsetOutOfRange(seconds: Int(offset)) }
            types.append(LocalTimeType(offset: offset, isDaylight: try cursor.byte() != 0))
            try cursor.skip(1)
        }
        guard header.leapCount == 0 else { throw .leapSeconds(count: header.leapCount) }
        try cursor.skip(header.characterCount + header.standardCount + header.universalCount)
        return (transitions, indices, types)
    }

    private static func footer(_ cursor: inout ByteCursor) throws(TZifError) -> FooterRule? {
        guard try cursor.byte() == UInt8(ascii: "\n") else { throw .badFooter("") }
        var text: [UInt8] = []
        while true {
            let byte = try cursor.byte()
            if byte == UInt8(ascii: "\n") { break }
            text.append(byte)
        }
        if text.isEmpty { return nil }
        guard let rule = FooterRule(text) else {
            throw .badFooter(String(decoding: text.prefix(64), as: UTF8.self))
        }
        return rule
    }
}
