import CivilTime
import Testing

@testable import Worker

@Suite("The timer's moment")
struct WakeTimerTests {
    private let now = Instant(seconds: 1_764_420_000)

    /// Dispatch counts nanoseconds in 64 bits: what it has no number for it takes for a moment that has passed.
    @Test(arguments: [
        "2116-02-20T23:53:38Z", "2262-04-11T23:47:16Z", "2262-04-12T00:00:00Z", "2554-07-21T23:34:34Z",
        "9999-12-31T00:00:00Z",
    ])
    func `a far moment is looked for once a day`(far: String) throws {
        #expect(WakeTimer.moment(for: try Instant(rfc3339: far), now: now) == now.advanced(byDays: 1))
    }

    @Test func `a near one is itself, to the millisecond, and so is one that has passed`() {
        for offset in [-86_400_000, -1, 0, 1, 999, 86_399_999] as [Int64] {
            let instant = now.advanced(byMilliseconds: offset)
            #expect(WakeTimer.moment(for: instant, now: now) == instant)
        }
    }
}
