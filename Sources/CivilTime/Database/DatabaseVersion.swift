/// Tells which release of the tz database a directory holds.
struct DatabaseVersion {
    /// The release's name, from `+VERSION` or the first line of `tzdata.zi`. A database that does not say is
    /// named by its content, so that a change of it is still noticed (T1). `nil` where there is no database.
    static func of(_ files: ZoneDirectory) -> String? {
        guard hasZones(files) else { return nil }
        if let text = firstLine(of: "+VERSION", in: files), isRelease(text) { return text }
        if let line = firstLine(of: "tzdata.zi", in: files), line.hasPrefix("# version ") {
            let text = String(line.dropFirst("# version ".count))
            if isRelease(text) { return text }
        }
        return digest(files)
    }

    private static func hasZones(_ files: ZoneDirectory) -> Bool {
        ["UTC", "Etc/UTC", "Europe/London"].contains { name in
            (try? files.contents(of: name))?.starts(with: "TZif".utf8) ?? false
        }
    }

    private static func firstLine(of name: String, in files: ZoneDirectory) -> String? {
        guard let bytes = try? files.contents(of: name) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    /// `2025b`, `2025b-0+deb12u2`, `2024a-12-gabcdef`: one short word.
    private static func isRelease(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// FNV-1a over every zone's name and bytes.
    private static func digest(_ files: ZoneDirectory) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        for name in files.zoneNames() {
            mix(name.utf8)
            mix((try? files.contents(of: name)) ?? [])
        }
        let digits = String(hash, radix: 16)
        return "content-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
