import Notices
import Testing

@Suite("D6, what is counted is said as what it is")
struct DigestDayTests {
    private static let emitted = "emitted daily_summary/2026-03-03T18:00 [push]"

    @Test func `points of the slot's own day are today's, by child`() {
        given(.enrolled(), .named("child:lea", "Lea"), .named("child:tom", "Tom"), policy: "screentime")
            .when(.earned(5, for: "child:tom"), .earned(30, for: "child:lea"), .earned(1), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted daily_summary/2026-03-02T18:00 [push] {points 36}")
            .says("Today's learning", "36 points earned today: Lea 30, Tom 5, others 1.")
            .carries(["points.child:lea": "30", "points.child:tom": "5"])
    }

    @Test(arguments: [
        (
            "2026-03-02T17:59:59.999Z", "emitted daily_summary/2026-03-02T18:00 [push] {points 5}",
            "5 points earned today."
        ),
        (
            "2026-03-02T18:00Z", "emitted daily_summary/2026-03-03T18:00 [push] {points 5, points_earlier 5}",
            "5 points earned yesterday."
        ),
        ("2026-03-03T00:00Z", "emitted daily_summary/2026-03-03T18:00 [push] {points 5}", "5 points earned today."),
    ])
    func `a local day ends at its midnight`(at: String, outcome: String, words: String) {
        let scenario = given(.enrolled(), policy: "screentime").when(.earned(5), at: at)
        if outcome.contains("03-02") {
            scenario.later(at: "2026-03-02T18:00Z").then(outcome).says("Today's learning", words)
        } else {
            scenario.later(at: "2026-03-03T18:00Z").then(outcome)
                .says(words.contains("yesterday") ? "Yesterday's learning" : "Today's learning", words)
        }
    }

    @Test func `older ones are told apart, with since when`() {
        given(.enrolled(), .named("child:lea", "Lea"), policy: "screentime")
            .when(.earned(12, for: "child:lea"), at: "2026-03-02T19:00Z")
            .when(.earned(5, for: "child:lea"), .earned(2), at: "2026-03-03T09:00Z")
            .later(at: "2026-03-03T18:00Z").then("\(Self.emitted) {points 19, points_earlier 12}")
            .says(
                "Today's learning", "7 points earned today: Lea 5, others 2. 12 points earned yesterday: Lea 12."
            )
            .carries(["points.child:lea": "17", "points_since": "2026-03-02"])
    }

    @Test func `left over for days they are told since the first`() {
        let scenario = given(.enrolled(), policy: "screentime")
        for day in 2...4 {
            scenario.when(.earned(day), at: "2026-03-0\(day)T11:00Z")
                .asleep(until: "2026-03-0\(day)T23:00Z").then("skipped daily_summary 2026-03-0\(day)T18:00 missed")
        }
        scenario.later(at: "2026-03-05T18:00Z")
            .then("emitted daily_summary/2026-03-05T18:00 [push] {points 9, points_earlier 9}")
            .says("Recent learning", "9 points earned since Monday.")
    }

    @Test func `a digest that is held past midnight does not call yesterday today`() {
        given(.enrolled(), .wants(#"{"quiet_hours":{"start":"17:30","end":"08:00"}}"#), policy: "screentime")
            .when(.earned(5), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T18:00Z")
            .then("held daily_summary/2026-03-02T18:00 until 2026-03-03T08:00Z quiet_hours")
            .when(.earned(2), at: "2026-03-03T07:00Z")
            .later(at: "2026-03-03T08:00Z").then("emitted daily_summary/2026-03-02T18:00 [push] {points 7}")
            .says("Yesterday's learning", "5 points earned yesterday. 2 points earned today.")
    }

    @Test func `a held digest that lost its own day's points is called after those that are left`() {
        given(.enrolled(), .wants(#"{"quiet_hours":{"start":"17:00","end":"09:00"}}"#), policy: "screentime")
            .when(.earned(5, for: "child:a"), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-02T18:00Z")
            .then("held daily_summary/2026-03-02T18:00 until 2026-03-03T09:00Z quiet_hours")
            .when(.earned(11, for: "child:b"), at: "2026-03-03T01:00Z")
            .when(
                .wants(#"{"subjects":{"child:a":{"kinds":{"points_earned":{"enabled":false}}}}}"#),
                at: "2026-03-03T04:00Z"
            )
            .later(at: "2026-03-03T09:00Z").then("emitted daily_summary/2026-03-02T18:00 [push] {points 11}")
            .says("Today's learning", "11 points earned today: b 11.")
    }

    @Test func `names of subjects stand in lists and in words`() {
        given(.enrolled(), .named("child:lea", "Lea"), .wants(#"{"digest_mode":true}"#), policy: "screentime")
            .when(
                .requested("goal_achieved", "child:lea"), .requested("streak_achieved", "child:tom"),
                .requested("goal_achieved", "child:lea", and: #""title":"Lea read a book""#), at: "2026-03-02T09:00Z"
            )
            .unwatched(until: "2026-03-02T17:00Z").later(at: "2026-03-02T18:00Z")
            .then(
                "emitted daily_summary/2026-03-02T18:00 (daily_summary/2026-03-02T18:00, goal_achieved/child:lea/#4, streak_achieved/child:tom/#6, goal_achieved/child:lea/#8) [push] {notices 3}"
            )
            .says("Today's learning", "Learning goals achieved (Lea), Streaks achieved, Lea read a book.")
    }

    @Test func `as much is named as fits, and the rest counted`() throws {
        let scenario = given(.enrolled(), policy: "screentime")
        for number in 10..<60 { scenario.when(.earned(number, for: "child:number-\(number)"), at: "2026-03-02T09:00Z") }
        scenario.later(at: "2026-03-02T18:00Z").then("emitted daily_summary/2026-03-02T18:00 [push] {points 1725}")
        let bodies = scenario.log.compactMap { event -> String? in
            guard case .jobEmitted(let job) = event.payload else { return nil }
            return job.body.text
        }
        let body = try #require(bodies.last)
        #expect(body.count <= 240)
        #expect(body.hasPrefix("1725 points earned today: number-59 59, number-58 58, "))
        let more = try #require(body.firstMatch(of: #/ and (\d+) more\.$/#))
        #expect(body.matches(of: #/number-/#).count + (Int(more.1) ?? 0) == 50)
        #expect(body.count + ", number-10 10".count > 240)
    }
}
