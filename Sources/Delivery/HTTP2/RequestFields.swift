internal import CHTTP2

/// The fields of a request as HTTP/2 sends them: names in small letters, those of the address first.
struct RequestFields {
    private struct Field {
        var name: Range<Int>
        var value: Range<Int>
        var isPassing: Bool
    }

    private var text: [UInt8] = []
    private var fields: [Field] = []

    /// Values that differ from call to call: they would push what is always the same out of the table that both sides keep.
    private static let passing: Set = [
        ":path", "apns-id", "apns-collapse-id", "apns-expiration", "content-length", "topic",
    ]

    init(_ call: HTTPCall, _ path: String, _ place: SharedPlace) throws(HTTPFailure) {
        text.reserveCapacity(1024)
        fields.reserveCapacity(call.headers.count + 5)
        add(":method", call.method.rawValue)
        add(":scheme", "https")
        add(":authority", place.authority)
        add(":path", path)
        for (name, value) in call.headers {
            try HTTPCall.check(name, value)
            add(name.lowercased(), value)
        }
        if call.method != .get { add("content-length", "\(call.body.count)") }
    }

    private mutating func add(_ name: String, _ value: String) {
        let start = text.count
        text.append(contentsOf: name.utf8)
        let middle = text.count
        text.append(contentsOf: value.utf8)
        fields.append(
            Field(name: start..<middle, value: middle..<text.count, isPassing: Self.passing.contains(name)))
    }

    /// The fields as nghttp2 takes them, which copies them.
    func withFields<Result>(_ use: (UnsafeBufferPointer<nghttp2_nv>) -> Result) -> Result {
        text.withUnsafeBufferPointer { text in
            let all = fields.map { field in
                belfry_h2_field(
                    text.baseAddress?.advanced(by: field.name.lowerBound), field.name.count,
                    text.baseAddress?.advanced(by: field.value.lowerBound), field.value.count, field.isPassing ? 1 : 0)
            }
            return all.withUnsafeBufferPointer(use)
        }
    }
}
