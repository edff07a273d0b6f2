import CivilTime
import Testing

@testable import Delivery

@Suite("RFC 9110 §10.2.3, Retry-After")
struct RetryAfterTests {
    @Test(arguments: [
        ("0", 0), ("7", 7), ("3600", 3600), ("3601", 3600), ("99999999999999999999", 3600),
        ("Thu, 01 Jan 2026 00:00:30 GMT", 30), ("Wed, 31 Dec 2025 23:59:59 GMT", 0),
        ("Fri, 02 Jan 2026 00:00:00 GMT", 3600),
    ])
    func `seconds or a date, an hour at most`(value: String, seconds: Int) {
        #expect(RetryAfter.seconds(value, at: newYear) == seconds)
    }

    @Test func `a begun second is waited for`() {
        let now = newYear.advanced(byMilliseconds: 1)
        #expect(RetryAfter.seconds("Thu, 01 Jan 2026 00:00:30 GMT", at: now) == 30)
    }

    @Test(arguments: ["", "soon", "-1", "1.5", "+3", "Thu, 31 Feb 2026 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:30 CET"])
    func `anything else says nothing`(value: String) {
        #expect(RetryAfter.seconds(value, at: newYear) == nil)
    }
}
