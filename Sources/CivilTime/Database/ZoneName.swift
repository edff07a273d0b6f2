/// The name of a time zone as people write it, checked before it is taken for a path.
///
/// Names come from facts and preferences, so a name must not be able to leave the database's directory or
/// to reach what lies in it and is no zone. `localtime` is refused because it means another zone on every
/// machine, `right/…` because it counts leap seconds, `posix/…` because it repeats the names without it.
struct ZoneName: Hashable, Sendable {
    let text: String

    static let longest = 64

    init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.longest, text.utf8.allSatisfy(Self.allows) else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: \.isEmpty), !Self.reserved.contains(parts[0]) else { return nil }
        self.text = text
    }

    /// No dot: neither `..` nor `zone.tab` is a name.
    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static let reserved: Set<Substring> = [
        "localtime", "posixrules", "posix", "right", "Factory", "leapseconds", "+VERSION",
    ]
}
