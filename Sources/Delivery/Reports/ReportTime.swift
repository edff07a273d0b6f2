internal import CivilTime

/// When something happened, as providers write it. What is none, or of no year that anybody lives in, is left out: the
/// report counts from when it came.
enum ReportTime {
    /// RFC 3339, with more digits of the second than we keep in some providers' reports.
    static func instant(_ text: String) -> Instant? {
        guard let dot = text.lastIndex(of: ".") else { return known(try? Instant(rfc3339: text)) }
        let digits = text[text.index(after: dot)...].prefix { $0.isWholeNumber }
        let short = text[..<dot] + "." + digits.prefix(3) + text[digits.endIndex...]
        return known(try? Instant(rfc3339: String(short)))
    }

    static func instant(seconds: Int) -> Instant? {
        // Not `abs`, which the least number has none of.
        guard seconds.magnitude < 1 << 40 else { return nil }
        return known(Instant(seconds: Int64(seconds)))
    }

    private static func known(_ instant: Instant?) -> Instant? {
        guard let instant, years.contains(instant.wholeSeconds) else { return nil }
        return instant
    }

    /// 2000 to 2100.
    private static let years: Range<Int64> = 946_684_800..<4_102_444_800
}
