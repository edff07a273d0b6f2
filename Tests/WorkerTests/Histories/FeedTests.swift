import CivilTime
import Notices
import Testing
import Worker

@Suite("A person's feed (V4)")
struct FeedTests {
    private let calm = given(.enrolled(), .noCheckIns)

    private func feed(_ scenario: Scenario, before: UInt64 = .max, limit: Int = 50) -> Feed {
        var feed = Feed(of: "anna", before: before, limit: limit)
        for event in scenario.log { _ = feed.take(event) }
        return feed
    }

    private func names(_ feed: Feed) -> [String] { feed.items.map { String($0.job.job.text.dropFirst("anna/".count)) } }

    @Test func `jobs are listed newest first, with what became of them`() {
        calm.when(.requested("alert"), at: "2026-03-02T10:00Z")
            .when(.requested("urgent"), at: "2026-03-02T12:00Z")
        #expect(names(feed(calm)) == ["urgent/#5", "alert/#3"])
        #expect(feed(calm).unseen == 2)
        calm.when(.delivered("alert/#3"), at: "2026-03-02T12:01Z")
        #expect(feed(calm).items.map(\.status) == [.queued, .sent])
    }

    @Test func `what waits or was dropped is not in it`() {
        calm.when(
            .requested("reminder"), .requested("reminder", expires: "2026-03-03T07:00:00Z"), at: "2026-03-02T23:30Z"
        )
        .unwatched(until: "2026-03-02T23:30Z")
        #expect(names(feed(calm)) == [])
        calm.later(at: "2026-03-03T08:00Z").then("emitted reminder/#3 [push]", "dropped reminder/#5 expired")
        #expect(names(feed(calm)) == ["reminder/#3"])
    }

    @Test func `pages go back from a number, and say whether there is more`() {
        for hour in 10...14 { calm.when(.requested("urgent"), at: "2026-03-02T\(hour):00Z") }
        let first = feed(calm, limit: 2)
        #expect(names(first).count == 2 && first.hasOlder && first.unseen == 5)
        let second = feed(calm, before: first.items[1].seq, limit: 2)
        let third = feed(calm, before: second.items[1].seq, limit: 2)
        #expect(names(first) + names(second) + names(third) == names(feed(calm)))
        #expect(!third.hasOlder && third.items.count == 1)
    }
}

extension FeedTests {
    private func opened(_ job: String) -> Told { Told("notice_opened", "{\"job\":\"anna/\(job)\"}") }
    private func dismissed(_ job: String) -> Told { Told("notice_dismissed", "{\"job\":\"anna/\(job)\"}") }

    @Test func `what was opened or dismissed is seen, and all of it when the feed was looked at`() {
        for hour in 10...12 { calm.when(.requested("urgent"), at: "2026-03-02T\(hour):00Z") }
        let jobs = names(feed(calm))
        calm.when(opened(jobs[2]), at: "2026-03-02T13:00Z").when(dismissed(jobs[1]), at: "2026-03-02T13:01Z")
        #expect(feed(calm).items.map(\.isSeen) == [false, true, true])
        #expect(feed(calm).items.map(\.isOpened) == [false, false, true])
        #expect(feed(calm).items.map(\.isDismissed) == [false, true, false])
        #expect(feed(calm).unseen == 1)
        calm.when(Told("feed_seen"), at: "2026-03-02T13:02Z")
        #expect(feed(calm).unseen == 0 && feed(calm).items.allSatisfy(\.isSeen))
    }

    @Test func `what comes again takes the place of what came before (D8)`() {
        calm.when(.requested("urgent"), at: "2026-03-02T10:00Z")
        let job = names(feed(calm))[0]
        calm.when(.snoozes(job, 15), at: "2026-03-02T10:01Z")
        #expect(feed(calm).items.map(\.snoozedUntil) == [Instant(local: "2026-03-02T10:16Z")])
        calm.later(at: "2026-03-02T10:20Z")
        #expect(names(feed(calm)) == ["\(job)~1", job])
        #expect(feed(calm).items.map(\.isSeen) == [false, true])
        #expect(feed(calm).items.map(\.snoozedUntil) == [nil, nil])
        #expect(feed(calm).unseen == 1)
    }

    @Test func `what comes again later than asked for says until when it waits (S1)`() {
        calm.when(.requested("alert"), at: "2026-03-02T21:30Z").when(.snoozes("alert/#3", 15), at: "2026-03-02T21:30Z")
            .asleep(until: "2026-03-03T03:10Z")
        #expect(feed(calm).items.map(\.snoozedUntil) == [Instant(local: "2026-03-03T08:00Z")])
        calm.later(at: "2026-03-03T08:00Z")
        #expect(feed(calm).items.map(\.snoozedUntil) == [nil, nil])
    }

    @Test func `a cleared history is an empty feed`() {
        calm.when(.requested("urgent"), at: "2026-03-02T10:00Z").when(Told("history_cleared"), at: "2026-03-02T11:00Z")
        #expect(names(feed(calm)) == [] && feed(calm).unseen == 0)
    }

    @Test func `only what changed is told as a change`() {
        var following = Feed(of: "anna", limit: 50)
        for hour in 10...11 { calm.when(.requested("urgent"), at: "2026-03-02T\(hour):00Z") }
        let before = calm.log.count
        for event in calm.log { _ = following.take(event) }
        calm.when(opened(names(feed(calm))[1]), at: "2026-03-02T13:00Z")
        let changes = calm.log[before...].map { following.take($0) }.filter { !$0.isEmpty }
        #expect(changes.map { $0.items.map(\.isOpened) } == [[true]])
        #expect(changes.first?.items.first?.changedBy == calm.log.last?.seq)
    }
}
