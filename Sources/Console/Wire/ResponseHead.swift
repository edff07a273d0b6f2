internal import CivilTime

extension HTTPResponse {
    /// Status line and header fields as they are sent, with the empty line behind them.
    ///
    /// - Parameters:
    ///   - closes: whether the connection ends with this answer.
    ///   - isChunked: whether what comes in pieces is sent in chunks; otherwise it ends with the connection.
    func head(at instant: Instant, closes: Bool, isChunked: Bool = true) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\nDate: \(HTTPDate.text(instant))\r\n"
        for field in headers.fields {
            text += "\(field.name): \(field.value.withoutControls)\r\n"
        }
        // What has no body by its very status has no length either (RFC 9110, section 8.6).
        if stream != nil {
            if isChunked { text += "Transfer-Encoding: chunked\r\n" }
        } else if status >= 200, status != 204, status != 304 {
            text += "Content-Length: \(body.count)\r\n"
        }
        if closes { text += "Connection: close\r\n" }
        return Array((text + "\r\n").utf8)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 304: "Not Modified"
        // A client goes by the number; the words may be left out.
        default: RefusalStatus(rawValue: status)?.name ?? ""
        }
    }
}

extension String {
    /// As a header field can hold it: nothing in a value may end its line.
    fileprivate var withoutControls: String {
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return self }
        return String(decoding: utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    }
}

/// An instant as HTTP writes it: `Mon, 02 Mar 2026 14:00:00 GMT` (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ instant: Instant) -> String {
        let local = ZoneRules.utc.local(at: instant)
        let (year, month, day) = local.date.yearMonthDay
        let second = Int((instant.milliseconds / 1000 % 60 + 60) % 60)
        return "\(local.date.weekday.name.capitalizedWord), \(two(day)) \(months[month - 1]) \(year) "
            + "\(two(local.time.hour)):\(two(local.time.minute)):\(two(second)) GMT"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension String {
    fileprivate var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}
