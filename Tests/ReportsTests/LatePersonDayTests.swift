import CivilTime
import Notices
import Testing
import Worker

@testable import Reports

/// What was due on a day and was decided behind it.
@Suite("A person's day, decided late (V1, C5)")
struct LatePersonDayTests {
    /// The worker was away over midnight: of what was due on the day before, all is decided in one instant of the next.
    @Test
    func `a slot that was decided only after its day had ended is on its day, and the day is as it was at its end`()
        throws
    {
        let life = try Life(
            "microcommit", until: "2026-03-02T20:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#),
                ("2026-03-02T12:01:00Z", "goal_started", #"{"goal":"run","title":"Run","reminder_time":"20:30"}"#),
                ("2026-03-02T12:01:00Z", "goal_started", #"{"goal":"tea","title":"Tea","reminder_time":"23:30"}"#),
            ])
        var missed = SlotsSkipped()
        (missed.kind, missed.reason, missed.count) = (Identifier("goal_reminder"), .missed, 1)
        (missed.first, missed.last) = (LocalSlot("2026-03-02T20:30"), LocalSlot("2026-03-02T20:30"))
        missed.subject = Identifier("goal:run")
        var held = NoticeHeld()
        held.notice = NoticeName("anna/goal_reminder/goal:tea/2026-03-02T23:30")
        (held.reason, held.until) = (.quietHours, try Instant(rfc3339: "2026-03-03T08:00:00Z"))
        let (first, morning) = (
            try Instant(rfc3339: "2026-03-02T20:30:00Z"), try Instant(rfc3339: "2026-03-03T02:00:00Z")
        )
        let late = try life.followed(by: .slotsSkipped(missed), at: "2026-03-03T02:00:00Z")
            .followed(by: .noticeHeld(held), at: "2026-03-03T02:00:00Z")
        for now in ["2026-03-03T03:00:00Z", "2026-03-09T12:00:00Z"] {
            let day = try late.day("2026-03-02", now: now)
            #expect(
                day.slots.map { "\($0.at) \($0.kind) \($0.state.rawValue)" } == [
                    "2026-03-02T20:30:00.000Z goal_reminder missed", "2026-03-02T23:30:00.000Z goal_reminder fired",
                ])
            #expect(day.slots.allSatisfy { $0.decidedAt == morning })
            #expect(day.subjects.map(\.title) == ["Run", "Tea"])
            // All else is as it was at midnight.
            var before = try life.day("2026-03-02", now: now)
            #expect(before.slots.isEmpty && before.nextWake == first)
            (before.slots, before.subjects) = (day.slots, day.subjects)
            #expect(day == before)
        }
    }

    @Test func `of what comes behind a day no more is read than decides what was due of it`() throws {
        let life = try Life(
            until: "2026-03-20T12:00:00Z",
            [("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#)])
        var day = PersonDay(of: "anna", on: LocalDate("2026-03-02"), now: try Instant(rfc3339: "2026-03-20T12:00:00Z"))
        var first = Biography(of: "anna", life.plan)
        for event in life.log {
            guard day.survey(event, first) else { break }
            first.take(event)
        }
        try day.endSurvey(first)
        var (second, read) = (Biography(of: "anna", life.plan), [Event]())
        for event in life.log {
            guard day.isToTake(event, second) else { break }
            read.append(event)
            second.take(event)
        }
        let end = try Instant(rfc3339: "2026-03-03T00:00:00Z")
        #expect(read.count < life.log.count && read.allSatisfy { $0.at < end })
        #expect(!read.isEmpty)
    }
}
