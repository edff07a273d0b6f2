import CivilTime
import Notices
import Testing

@testable import belfry

@Suite("run-now, what was not sent")
struct UnsentTallyTests {
    private func held(_ reason: Reason, _ until: String) throws -> Payload {
        var held = NoticeHeld()
        held.reason = reason
        held.until = try Instant(rfc3339: until)
        return .noticeHeld(held)
    }

    private func dropped(_ reason: Reason) -> Payload {
        var dropped = NoticeDropped()
        dropped.reason = reason
        return .noticeDropped(dropped)
    }

    @Test func `nothing kept back is nothing said`() {
        var tally = UnsentTally()
        tally.take(.runRequested(RunRequested()))
        #expect(tally.text == nil)
    }

    @Test func `one is told with its reason and its end`() throws {
        var tally = UnsentTally()
        tally.take(try held(.cooldown, "2026-03-02T08:47:00Z"))
        #expect(tally.text == "1 held (one of its kind came shortly before, until 2026-03-02T08:47:00.000Z)")
    }

    @Test func `what several have counted is told as one`() throws {
        var (one, other) = (UnsentTally(), UnsentTally())
        one.take(try held(.quietHours, "2026-03-02T08:00:00Z"))
        other.take(try held(.quietHours, "2026-03-02T07:00:00Z"))
        other.take(dropped(.noChannel))
        one.take(other.withheld)
        #expect(
            one.text
                == "2 held (quiet hours, until 2026-03-02T07:00:00.000Z at the earliest, 2026-03-02T08:00:00.000Z at the latest), 1 dropped (no channel is both chosen and reachable)"
        )
    }

    @Test func `many are counted by what became of them and why`() throws {
        var tally = UnsentTally()
        for minute in 10...59 { tally.take(try held(.quietHours, "2026-03-02T08:\(minute):00Z")) }
        tally.take(try held(.cooldown, "2026-03-02T08:30:00Z"))
        for _ in 1...3 { tally.take(dropped(.noChannel)) }
        var skipped = SlotsSkipped()
        skipped.reason = .alreadyActiveToday
        skipped.count = 4
        tally.take(.slotsSkipped(skipped))
        #expect(
            tally.text
                == "51 held (50: quiet hours, until 2026-03-02T08:10:00.000Z at the earliest, 2026-03-02T08:59:00.000Z at the latest; 1: one of its kind came shortly before, until 2026-03-02T08:30:00.000Z), 3 dropped (no channel is both chosen and reachable), 4 skipped (they had been active that day)"
        )
    }
}
