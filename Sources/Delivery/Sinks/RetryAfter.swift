internal import CivilTime

/// The header `Retry-After` (RFC 9110 §10.2.3): so many seconds, or a date.
enum RetryAfter {
    /// No server makes a job wait longer than this.
    static let secondsMax = 3600

    /// The seconds to wait from `now` on; `nil` for what says neither.
    static func seconds(_ value: String, at now: Instant) -> Int? {
        if !value.isEmpty, value.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) {
            return min(Int(value) ?? secondsMax, secondsMax)
        }
        guard let date = date(value) else { return nil }
        // A part of a second is waited for too: never before the date.
        let wait = (date.milliseconds(since: now) + 999) / 1000
        return min(max(Int(wait), 0), secondsMax)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`: the only form that is still written. The weekday is not believed.
    private static func date(_ value: String) -> Instant? {
        let parts = value.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[1].count == 2, parts[3].count == 4, parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return try? Instant(rfc3339: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
