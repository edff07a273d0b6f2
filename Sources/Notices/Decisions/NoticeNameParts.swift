/// What a name is made of (SPEC §12): `USER/KIND[/SUBJECT]/END`. No part holds a slash. `END` is a slot, or `#` and the number of
/// the event that raised the notice; a repeat has `~` and its number behind it.
extension NoticeName {
    /// Whom it is for.
    public var user: String { String(text.prefix { $0 != "/" }) }

    /// `nil` for what is no whole name.
    public var kind: String? { slashes.map { text[after($0.first)..<$0.second] }.map { String($0) } }

    public var subject: String? {
        guard let slashes, slashes.second < slashes.last else { return nil }
        let subject = text[after(slashes.second)..<slashes.last]
        return subject.utf8.contains(Self.slash) ? nil : String(subject)
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
        guard let slashes, case let end = text[after(slashes.last)...], end.utf8.first == UInt8(ascii: "#") else {
            return nil
        }
        return UInt64(end.dropFirst().prefix { $0 != "~" })
    }

    /// Whether it is a snooze's.
    public var isRepeat: Bool { text.utf8.contains(UInt8(ascii: "~")) }

    private static let slash = UInt8(ascii: "/")

    private var slashes: (first: String.Index, second: String.Index, last: String.Index)? {
        let utf8 = text.utf8
        guard let first = utf8.firstIndex(of: Self.slash),
            let second = utf8[after(first)...].firstIndex(of: Self.slash),
            let last = utf8.lastIndex(of: Self.slash)
        else { return nil }
        return (first, second, last)
    }

    private func after(_ place: String.Index) -> String.Index { text.utf8.index(after: place) }
}
