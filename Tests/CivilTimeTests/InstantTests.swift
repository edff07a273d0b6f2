import CivilTime
import Testing

@Suite("Instants: RFC 3339 in, RFC 3339 out")
struct InstantTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-03-02T14:00:00Z", 1_772_460_000_000),
        ("2026-03-02t14:00:00z", 1_772_460_000_000),
        ("2026-03-02T15:00:00+01:00", 1_772_460_000_000),
        ("2026-03-02T13:30:00-00:30", 1_772_460_000_000),
        ("2026-03-02T14:00:00-00:00", 1_772_460_000_000),
        ("2026-03-02T15:00+01:00", 1_772_460_000_000),
        ("2026-03-02T14:00Z", 1_772_460_000_000),
        ("2026-03-02T14:00:00.5Z", 1_772_460_000_500),
        ("2026-03-02T14:00:00.05Z", 1_772_460_000_050),
        ("2026-03-02T14:00:00.005Z", 1_772_460_000_005),
        ("2026-03-02T14:00:00.999999999Z", 1_772_460_000_999),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000),
        ("1969-12-31T23:59:59.999Z", -1),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
    func `is read`(text: String, milliseconds: Int64) throws {
        #expect(try Instant(rfc3339: text).milliseconds == milliseconds)
        #expect(try Instant(rfc3339: "<\(text)>".dropFirst().dropLast()).milliseconds == milliseconds)
        let fromBytes = try Array(text.utf8).withUnsafeBytes { try Instant(rfc3339: $0) }
        #expect(fromBytes.milliseconds == milliseconds)
    }

    @Test(arguments: [
        ("", InstantError.malformed("")),
        ("now", .malformed("now")),
        ("2026-03-02", .malformed("2026-03-02")),
        ("2026-03-02 14:00:00Z", .malformed("2026-03-02 14:00:00Z")),
        ("2026-3-2T14:00:00Z", .malformed("2026-3-2T14:00:00Z")),
        ("2026-03-02T14:00:00.Z", .malformed("2026-03-02T14:00:00.Z")),
        ("2026-03-02T14:00:00.0123456789Z", .malformed("2026-03-02T14:00:00.0123456789Z")),
        ("2026-03-02T14:00:00Z ", .malformed("2026-03-02T14:00:00Z ")),
        ("2026-03-02T14:00:00+0100", .malformed("2026-03-02T14:00:00+0100")),
        ("2026-03-02T14:00:00+01:00Z", .malformed("2026-03-02T14:00:00+01:00Z")),
        ("+2026-03-02T14:00:00Z", .malformed("+2026-03-02T14:00:00Z")),
        ("２０２６-03-02T14:00:00Z", .malformed("２０２６-03-02T14:00:00Z")),
        ("2026-03-02T14:00:00", .noOffset("2026-03-02T14:00:00")),
        ("2026-03-02T14:00:00.123", .noOffset("2026-03-02T14:00:00.123")),
        ("2026-02-29T14:00:00Z", .noSuchDate("2026-02-29T14:00:00Z")),
        ("2100-02-29T14:00:00Z", .noSuchDate("2100-02-29T14:00:00Z")),
        ("2026-13-01T14:00:00Z", .noSuchDate("2026-13-01T14:00:00Z")),
        ("2026-00-01T14:00:00Z", .noSuchDate("2026-00-01T14:00:00Z")),
        ("2026-04-31T14:00:00Z", .noSuchDate("2026-04-31T14:00:00Z")),
        ("2026-04-00T14:00:00Z", .noSuchDate("2026-04-00T14:00:00Z")),
        ("2026-03-02T24:00:00Z", .noSuchTime("2026-03-02T24:00:00Z")),
        ("2026-03-02T23:60:00Z", .noSuchTime("2026-03-02T23:60:00Z")),
        ("2026-03-02T23:59:61Z", .noSuchTime("2026-03-02T23:59:61Z")),
        ("2016-12-31T23:59:60Z", .leapSecond("2016-12-31T23:59:60Z")),
        ("2026-03-02T14:00:00+24:00", .noSuchOffset("2026-03-02T14:00:00+24:00")),
        ("2026-03-02T14:00:00+01:60", .noSuchOffset("2026-03-02T14:00:00+01:60")),
        ("0000-12-31T23:59:59Z", .outOfRange("0000-12-31T23:59:59Z")),
        ("0001-01-01T00:00:00+00:01", .outOfRange("0001-01-01T00:00:00+00:01")),
        ("9999-12-31T23:59:59-00:01", .outOfRange("9999-12-31T23:59:59-00:01")),
    ])
    func `is refused with its reason`(text: String, error: InstantError) {
        #expect(throws: error) { try Instant(rfc3339: text) }
        #expect(error.description.hasPrefix("\"\(text)\" "))
    }

    @Test func `a refusal quotes no more than the beginning`() {
        let text = String(repeating: "x", count: 10_000)
        #expect(throws: InstantError.malformed(String(text.prefix(48)))) { try Instant(rfc3339: text) }
    }

    @Test func `is always written with three digits, in UTC`() {
        #expect("\(Instant(milliseconds: 0))" == "1970-01-01T00:00:00.000Z")
        #expect("\(Instant(milliseconds: -1))" == "1969-12-31T23:59:59.999Z")
        #expect("\("2026-03-02T15:00:00.07+01:00" as Instant)" == "2026-03-02T14:00:00.070Z")
        #expect("\(Instant.distantPast)" == "0001-01-01T00:00:00.000Z")
        #expect("\(Instant.distantFuture)" == "9999-12-31T23:59:59.999Z")
    }

    @Test func `what was written is read again`() throws {
        var dice = Dice(seed: 1)
        var line = Array("at ".utf8)
        for _ in 0..<20_000 {
            let instant = Instant(milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &dice))
            #expect(try Instant(rfc3339: instant.description) == instant)
            line.removeSubrange(3...)
            instant.writeRFC3339(into: &line)
            #expect(String(decoding: line, as: UTF8.self) == "at \(instant)")
        }
    }

    @Test func `arithmetic saturates`() {
        let noon: Instant = "2026-03-02T12:00:00Z"
        #expect(noon.advanced(byMilliseconds: 1) == "2026-03-02T12:00:00.001Z")
        #expect(noon.advanced(bySeconds: -1) == "2026-03-02T11:59:59Z")
        #expect(noon.advanced(byMinutes: 30) == "2026-03-02T12:30:00Z")
        #expect(noon.advanced(byHours: 24) == "2026-03-03T12:00:00Z")
        #expect(noon.advanced(byDays: -1) == "2026-03-01T12:00:00Z")
        #expect(noon.advanced(byDays: .max) == .distantFuture)
        #expect(noon.advanced(byDays: .min) == .distantPast)
        #expect(Instant.distantFuture.advanced(byMilliseconds: 1) == .distantFuture)
        #expect(Instant.distantPast.advanced(byHours: -1) == .distantPast)
        #expect(Instant(seconds: .max) == .distantFuture)
        #expect(Instant.distantFuture.milliseconds(since: .distantPast) == .max)
        #expect(Instant.distantPast.milliseconds(since: noon) == .min)
        #expect(noon.milliseconds(since: noon.advanced(byMinutes: 1)) == -60_000)
    }
}
