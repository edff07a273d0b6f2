/// Finds the name somebody most likely meant.
public enum NearestName {
    /// The name of `names` nearest to `text`, or `nil` where none is near enough to be meant.
    ///
    /// Case and the space or underscore between words count for nothing; a city alone finds its zone. Ties go
    /// to the first in order.
    public static func of(_ text: String, among names: [String]) -> String? {
        let wanted = folded(text)
        guard !wanted.isEmpty else { return nil }
        var best: (distance: Int, name: String)?
        for name in names {
            let candidate = folded(name)
            var distance = distance(wanted, candidate, limit: best?.distance ?? tolerance(wanted) + 1)
            if let slash = candidate.lastIndex(of: UInt8(ascii: "/")), !wanted.contains(UInt8(ascii: "/")) {
                let city = Array(candidate[(slash + 1)...])
                distance = min(distance, self.distance(wanted, city, limit: distance))
            }
            if distance <= tolerance(wanted), distance < best?.distance ?? .max { best = (distance, name) }
        }
        return best?.name
    }

    /// One slip in four letters, three at most.
    private static func tolerance(_ text: [UInt8]) -> Int { min(3, max(1, text.count / 4)) }

    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            case UInt8(ascii: " "): UInt8(ascii: "_")
            default: byte
            }
        }
    }

    /// Levenshtein's distance; `limit` where it is that or more.
    private static func distance(_ left: [UInt8], _ right: [UInt8], limit: Int) -> Int {
        guard abs(left.count - right.count) < limit else { return limit }
        var row = Array(0...right.count)
        for (i, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            var smallest = row[0]
            for (j, other) in right.enumerated() {
                let substituted = diagonal + (byte == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, diagonal + 1, row[j] + 1)
                smallest = min(smallest, row[j + 1])
            }
            if smallest >= limit { return limit }
        }
        return min(limit, row[right.count])
    }
}
