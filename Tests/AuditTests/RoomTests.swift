import Audit
import CivilTime
import Testing

@Suite("G11, as the judge sees it")
struct RoomTests {
    private static let night = "2026-03-02T23:00:00Z"
    private static let morning = "2026-03-03T08:00:00Z"

    /// So many reminders in the night that wait until the morning, and one more that is not given room.
    private func found(waiting count: Int, _ after: Step...) throws -> [String] {
        var steps = [enrolled()]
        for number in 0..<count {
            steps += [
                requested(Self.night), held(Self.night, "anna/reminder/#\(2 + 2 * number)", until: Self.morning),
            ]
        }
        steps += [
            requested(Self.night), dropped(Self.night, "anna/reminder/#\(2 + 2 * count)", "overload"),
        ]
        return try History(Policies.standard, steps + after).found()
    }

    @Test func `nobody is spared a notice while there is room for it`() throws {
        #expect(try found(waiting: 999) == ["room 2001"])
        #expect(try found(waiting: 1_000) == [])
    }

    @Test func `what waits is dropped for want of room only where more waits than may`() throws {
        let one = dropped(Self.night, "anna/reminder/#2", "overload")
        #expect(try found(waiting: 1_000, one) == ["room 2004"])
        #expect(try found(waiting: 1_001, one) == [])
    }
}
