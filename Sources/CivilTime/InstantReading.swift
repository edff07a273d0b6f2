extension Instant {
    /// Reads RFC 3339 text.
    ///
    /// `T` and `Z` may be lower case; the seconds may be left out; a fraction has one to nine digits, of which
    /// those beyond the millisecond are cut off (an instant never moves into the future by being read).
    /// `-00:00` is UTC. Leap seconds and anything outside the years 0001–9999 UTC are refused.
    public init(rfc3339 text: String) throws(InstantError) {
        var text = text
        self = try text.withUTF8 { Instant.reading($0) }.get()
    }

    public init(rfc3339 text: Substring) throws(InstantError) {
        var text = text
        self = try text.withUTF8 { Instant.reading($0) }.get()
    }

    /// Reads the same from bytes where they lie.
    public init(rfc3339 bytes: UnsafeBufferPointer<UInt8>) throws(InstantError) {
        self = try Instant.reading(bytes).get()
    }

    public init(rfc3339 bytes: UnsafeRawBufferPointer) throws(InstantError) {
        self = try bytes.withMemoryRebound(to: UInt8.self) { Instant.reading($0) }.get()
    }

    private static func reading(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<Instant, InstantError> {
        var scanner = TextScanner(bytes.makeIterator())
        switch instant(&scanner) {
        case .success(let instant):
            return .success(instant)
        case .failure(let flaw):
            return .failure(flaw.error(String(decoding: bytes.prefix(48), as: UTF8.self)))
        }
    }

    private typealias Scanner = TextScanner<UnsafeBufferPointer<UInt8>.Iterator>

    private static func instant(_ scanner: inout Scanner) -> Result<Instant, Flaw> {
        guard let year = scanner.number(digits: 4), scanner.take(UInt8(ascii: "-")),
            let month = scanner.number(digits: 2), scanner.take(UInt8(ascii: "-")),
            let day = scanner.number(digits: 2),
            scanner.take(UInt8(ascii: "T")) || scanner.take(UInt8(ascii: "t")),
            let hour = scanner.number(digits: 2), scanner.take(UInt8(ascii: ":")),
            let minute = scanner.number(digits: 2)
        else { return .failure(.malformed) }
        var second = 0
        var millisecond = 0
        if scanner.take(UInt8(ascii: ":")) {
            guard let seconds = scanner.number(digits: 2) else { return .failure(.malformed) }
            second = seconds
            if scanner.take(UInt8(ascii: ".")) {
                guard let fraction = milliseconds(ofFraction: &scanner) else { return .failure(.malformed) }
                millisecond = fraction
            }
        }
        guard GregorianCalendar.hasDay(year: year, month: month, day: day) else { return .failure(.noSuchDate) }
        guard hour < 24, minute < 60, second <= 60 else { return .failure(.noSuchTime) }
        guard second < 60 else { return .failure(.leapSecond) }
        let offset: Int
        switch offsetSeconds(&scanner) {
        case .success(let seconds): offset = seconds
        case .failure(let flaw): return .failure(flaw)
        }
        let days = GregorianCalendar.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        let instant = Instant(milliseconds: Int64(seconds * 1000 + millisecond))
        guard year > 0, instant.isWritable else { return .failure(.outOfRange) }
        return .success(instant)
    }

    /// One to nine digits after the point, cut off after the third.
    @inline(__always)
    private static func milliseconds(ofFraction scanner: inout Scanner) -> Int? {
        var value = 0
        var digits = 0
        while let digit = scanner.digit() {
            digits += 1
            if digits <= 3 { value = value * 10 + digit }
        }
        switch digits {
        case 1: return value * 100
        case 2: return value * 10
        case 3...9: return value
        default: return nil
        }
    }

    /// `Z`, or hours and minutes ahead of UTC, and then the end of the text.
    @inline(__always)
    private static func offsetSeconds(_ scanner: inout Scanner) -> Result<Int, Flaw> {
        if scanner.isAtEnd { return .failure(.noOffset) }
        if scanner.take(UInt8(ascii: "Z")) || scanner.take(UInt8(ascii: "z")) {
            return scanner.isAtEnd ? .success(0) : .failure(.malformed)
        }
        let sign: Int
        if scanner.take(UInt8(ascii: "+")) {
            sign = 1
        } else if scanner.take(UInt8(ascii: "-")) {
            sign = -1
        } else {
            return .failure(.malformed)
        }
        guard let hours = scanner.number(digits: 2), scanner.take(UInt8(ascii: ":")),
            let minutes = scanner.number(digits: 2), scanner.isAtEnd
        else { return .failure(.malformed) }
        guard hours < 24, minutes < 60 else { return .failure(.noSuchOffset) }
        return .success(sign * (hours * 3600 + minutes * 60))
    }
}

/// What is wrong with a text, before it is put in words: naming it costs nothing until it is reported.
private enum Flaw: Error {
    case malformed, noSuchDate, noSuchTime, leapSecond, noOffset, noSuchOffset, outOfRange

    func error(_ text: String) -> InstantError {
        switch self {
        case .malformed: .malformed(text)
        case .noSuchDate: .noSuchDate(text)
        case .noSuchTime: .noSuchTime(text)
        case .leapSecond: .leapSecond(text)
        case .noOffset: .noOffset(text)
        case .noSuchOffset: .noSuchOffset(text)
        case .outOfRange: .outOfRange(text)
        }
    }
}
