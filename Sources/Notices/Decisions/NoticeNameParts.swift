/// What a name is made of (SPEC §12): `USER/KIND[/SUBJECT]/END`. No part holds a slash. `END` is a slot, or `#` and the number of
/// the event that raised the notice; a repeat has `~` and its number behind it.
extension NoticeName {
    /// Whom it is for.
    public var user: String { String(text.prefix { $0 != "/" }) }

    /// `nil` for what is no whole name.
    public var kind: String? { slashes.map { part(between: $0.first, and: $0.second) } }

    public var subject: String? {
        guard let slashes, slashes.count == 3 else { return nil }
        return part(between: slashes.second, and: slashes.last)
    }

    /// The slot that raised it. A repeat has none: it came because somebody asked for it.
    public var slot: SlotWord? {
        var text = text
        // Behind the last of at least two slashes; every notice of a replay is asked.
        return text.withUTF8 { bytes in
            guard let last = bytes.lastIndex(of: Self.slash), bytes[..<last].contains(Self.slash) else { return nil }
            return SlotWord(UnsafeBufferPointer(rebasing: bytes[(last + 1)...]))
        }
    }

    /// The number of the event that raised it, or that raised what it repeats.
    public var cause: UInt64? {
        guard let slashes, case let end = part(between: slashes.last, and: text.utf8.count),
            end.utf8.first == UInt8(ascii: "#")
        else { return nil }
        return UInt64(end.dropFirst().prefix { $0 != "~" })
    }

    /// Whether it is a snooze's.
    public var isRepeat: Bool { text.utf8.contains(UInt8(ascii: "~")) }

    private static let slash = UInt8(ascii: "/")

    /// How many there are, two at least, and where three of them stand, in bytes.
    private var slashes: (count: Int, first: Int, second: Int, last: Int)? {
        let bytes = text.utf8Span.span
        var (count, first, second, last) = (0, 0, 0, 0)
        for place in bytes.indices where bytes[place] == Self.slash {
            count += 1
            if count == 1 { first = place }
            if count == 2 { second = place }
            last = place
        }
        return count < 2 ? nil : (count, first, second, last)
    }

    private func part(between start: Int, and end: Int) -> String {
        var text = text
        return text.withUTF8 { String(decoding: UnsafeBufferPointer(rebasing: $0[(start + 1)..<end]), as: UTF8.self) }
    }
}
