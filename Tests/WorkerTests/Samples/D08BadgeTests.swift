import Notices
import Testing

/// D8: the number on the app's icon.
@Suite("D8, the badge")
struct BadgeTests {
    private static func opens(_ job: String) -> Told { Told("notice_opened", "{\"job\":\"anna/\(job)\"}") }
    private static func dismisses(_ job: String) -> Told { Told("notice_dismissed", "{\"job\":\"anna/\(job)\"}") }
    private static let seesFeed = Told("feed_seen")

    private func hasBadge(_ number: Int?, sourceLocation: SourceLocation = #_sourceLocation) -> (JobEmitted) -> Void {
        { #expect($0.badge == number, sourceLocation: sourceLocation) }
    }

    @Test func `counts what was neither opened, dismissed nor seen`() {
        given(.enrolled(), .noCheckIns, .requested("urgent"), .requested("urgent"))
            .when(.requested("urgent"), at: "2026-03-01T12:00Z").unwatched(until: "2026-03-01T12:00Z").job(hasBadge(3))
            .when(Self.opens("urgent/#3"), Self.dismisses("urgent/#5"), .requested("urgent"), at: "2026-03-01T12:01Z")
            .unwatched(until: "2026-03-01T12:01Z").job(hasBadge(2))
            .when(Self.seesFeed, .requested("urgent"), at: "2026-03-01T12:02Z")
            .unwatched(until: "2026-03-01T12:02Z").job(hasBadge(1))
            .when(Told("history_cleared"), .requested("urgent"), at: "2026-03-01T12:03Z")
            .unwatched(until: "2026-03-01T12:03Z").job(hasBadge(1))
    }

    @Test(arguments: [("2026-03-08T11:59:59.999Z", 2), ("2026-03-08T12:00:00.000Z", 1)])
    func `of the last seven days`(at: String, badge: Int) {
        given(.enrolled(), .noCheckIns, .requested("urgent"))
            .when(.requested("urgent"), at: at).unwatched(until: at).job(hasBadge(badge))
    }

    @Test func `a repeat counts once, and opening it opens both`() {
        given(.enrolled(), .noCheckIns, .requested("urgent"), .snoozes("urgent/#3", 15))
            .later(at: "2026-03-01T12:15Z").unwatched(until: "2026-03-01T12:15Z").job(hasBadge(1))
            .when(.requested("urgent"), at: "2026-03-01T12:16Z").unwatched(until: "2026-03-01T12:16Z").job(hasBadge(2))
            .when(Self.opens("urgent/#3~1"), .requested("urgent"), at: "2026-03-01T12:17Z")
            .unwatched(until: "2026-03-01T12:17Z").job(hasBadge(2))
    }

    @Test func `a slot's job is known by its slot`() {
        given(.enrolled()).later(at: "2026-03-02T09:00Z").unwatched(until: "2026-03-02T09:00Z").job(hasBadge(1))
            .when(.requested("urgent"), at: "2026-03-02T09:01Z").unwatched(until: "2026-03-02T09:01Z").job(hasBadge(2))
            .when(Self.opens("check_in/2026-03-02T09:00"), .requested("urgent"), at: "2026-03-02T09:02Z")
            .unwatched(until: "2026-03-02T09:02Z").job(hasBadge(2))
    }

    @Test func `a digest counts for what it lists`() {
        given(
            .enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#), .requested("reminder"), .requested("reminder")
        )
        .later(at: "2026-03-01T18:00Z").unwatched(until: "2026-03-01T18:00Z").job(hasBadge(2))
        .when(.requested("urgent"), at: "2026-03-01T18:01Z").unwatched(until: "2026-03-01T18:01Z").job(hasBadge(3))
    }

    @Test(arguments: [false, true])
    func `a digest that comes again counts for what it listed`(isSeen: Bool) {
        given(
            .enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#), .requested("reminder"), .requested("reminder")
        )
        .later(at: "2026-03-01T18:00Z").unwatched(until: "2026-03-01T18:00Z").job(hasBadge(2))
        .when(isSeen ? Self.seesFeed : .opensApp, .closesApp, at: "2026-03-01T18:01Z")
        .when(.snoozes("daily_digest/2026-03-01T18:00", 15), at: "2026-03-01T18:01Z")
        .later(at: "2026-03-01T18:16Z").unwatched(until: "2026-03-01T18:16Z").job(hasBadge(2))
        .when(.requested("urgent"), at: "2026-03-01T18:17Z").unwatched(until: "2026-03-01T18:17Z").job(hasBadge(3))
    }

    @Test func `under a policy with messages it is the unread ones`() {
        given(.enrolled(), .message(in: "c1"), .message(in: "c1"), policy: "messageai")
            .when(.message(in: "c2"), at: "2026-03-01T12:00Z").unwatched(until: "2026-03-01T12:00Z").job(hasBadge(3))
            .when(.reads("c1"), .message(in: "c2"), at: "2026-03-01T12:01Z").unwatched(until: "2026-03-01T12:01Z")
            .job(hasBadge(2))
            .when(.opens("c2"), .closesApp, .message(in: "c1"), at: "2026-03-01T12:02Z")
            .unwatched(until: "2026-03-01T12:02Z").job(hasBadge(1))
    }

    /// It has been read as it came.
    @Test func `what arrives before their eyes is not unread`() {
        given(.enrolled(), .opens("c1"), .message(in: "c1"), .closesApp, policy: "messageai")
            .when(.message(in: "c2"), at: "2026-03-01T12:10Z").unwatched(until: "2026-03-01T12:10Z").job(hasBadge(1))
    }
}
