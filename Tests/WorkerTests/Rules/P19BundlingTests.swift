import Testing

@Suite("P19, bundles")
struct BundlingTests {
    @Test func `those released together share a job`() {
        given(.enrolled(), .noCheckIns, .goal("g1"), .goal("g2"))
            .when(
                .requested("reminder", "goal:g1"), .requested("reminder", "goal:g2"), .requested("alert"),
                at: "2026-03-02T23:00Z"
            )
            .unwatched(until: "2026-03-03T07:00Z")
            .later(at: "2026-03-03T08:00Z")
            .then(
                "emitted alert/#9 [push]",
                "emitted reminder/goal:g1/#5 (reminder/goal:g1/#5, reminder/goal:g2/#7) [push]"
            )
            .says("2 reminders", "Tap to see them all.")
    }

    @Test func `the cap does not stop what joins`() {
        let scenario = given(.enrolled(), .noCheckIns)
        scenario.when(.requested("reminder"), .requested("reminder"), at: "2026-03-02T23:00Z")
            .unwatched(until: "2026-03-03T07:00Z")
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/#3 (reminder/#3, reminder/#5) [push]")
            .when(.requested("alert"), at: "2026-03-03T09:00Z").then("emitted alert/#8 [push]")
            .when(.requested("alert"), at: "2026-03-03T10:00Z").then("emitted alert/#10 [push]")
        // The bundle is the third and last job of the day: by itself the second reminder would be over the cap.
        given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"start":"10:00","end":"12:00"}}"#))
            .when(.requested("alert"), at: "2026-03-02T08:10Z").then("emitted alert/#4 [push]")
            .when(.requested("alert"), at: "2026-03-02T08:45Z").then("emitted alert/#6 [push]")
            .when(.requested("reminder"), .requested("reminder"), at: "2026-03-02T10:30Z")
            .then(
                "held reminder/#8 until 2026-03-02T12:00Z quiet_hours",
                "held reminder/#10 until 2026-03-02T12:00Z quiet_hours"
            )
            .later(at: "2026-03-02T12:00Z").then("emitted reminder/#8 (reminder/#8, reminder/#10) [push]")
            .when(.requested("alert"), at: "2026-03-02T13:00Z")
            .then("gathered alert/#13 into daily_digest/2026-03-02T18:00 daily_cap")
    }

    @Test func `what another rule stops does not join`() {
        given(.enrolled(), .noCheckIns)
            .when(
                .requested("reminder"), .requested("reminder", expires: "2026-03-03T08:00:00Z"), .requested("reminder"),
                at: "2026-03-02T23:00Z"
            )
            .unwatched(until: "2026-03-03T07:00Z")
            .later(at: "2026-03-03T08:00Z")
            .then("emitted reminder/#3 (reminder/#3, reminder/#7) [push]", "dropped reminder/#5 expired")
    }

    @Test func `a kind that does not bundle goes one by one`() {
        given(.enrolled(), policy: "screentime")
            .when(.requested("goal_achieved", "child:k1"), .requested("streak_achieved"), at: "2026-03-02T21:00Z")
            .when(.requested("goal_achieved", "child:k2"), at: "2026-03-02T21:00Z")
            .unwatched(until: "2026-03-03T07:00Z")
            .later(at: "2026-03-03T08:00Z")
            .then(
                "emitted goal_achieved/child:k1/#2 [push]",
                "held goal_achieved/child:k2/#6 until 2026-03-03T08:30Z cooldown", "emitted streak_achieved/#4 [push]")
    }

    /// The goals' reminders are 08:00 and a time in the following quarter of an hour, or not.
    @Test(arguments: [("08:01", true), ("08:15", true), ("08:16", false)])
    func `slots of the following 15 minutes are pulled forward`(time: String, joins: Bool) {
        let scenario = given(
            .enrolled("Asia/Kathmandu"), .goal("g1"), .goal("g2", #""reminder_time":"\#(time)""#), policy: "goals"
        )
        scenario.later(at: "2026-03-02T08:00+05:45")
        if joins {
            scenario.then(
                "emitted goal_reminder/goal:g1/2026-03-02T08:00 (goal_reminder/goal:g1/2026-03-02T08:00, goal_reminder/goal:g2/2026-03-02T\(time)) [push]"
            )
            .says("Time to check in on 2 goals", "Tap to see list")
            .later(at: "2026-03-02T09:00+05:45").thenNothing()
        } else {
            scenario.then("emitted goal_reminder/goal:g1/2026-03-02T08:00 [push]")
                .says("Time to check in on Goal g1", "Tap to check in.")
                .later(at: "2026-03-02T08:16+05:45")
                .then("emitted goal_reminder/goal:g2/2026-03-02T08:16 [push]")
        }
    }

    @Test func `or as many minutes as the policy says`() {
        let policy = """
            {"name":"p","bundle_minutes":5,"cooldown_minutes":0,"kinds":[
             {"name":"goal_reminder","schedule":{"on":"goal","at":"08:00"},"bundling":true}]}
            """
        given(
            .enrolled(), .goal("g1"), .goal("g2", #""reminder_time":"08:05""#),
            .goal("g3", #""reminder_time":"08:06""#), policy: policy
        )
        .later(at: "2026-03-02T08:00Z")
        .then(
            "emitted goal_reminder/goal:g1/2026-03-02T08:00 (goal_reminder/goal:g1/2026-03-02T08:00, goal_reminder/goal:g2/2026-03-02T08:05) [push]"
        )
        .later(at: justBefore("2026-03-02T08:06Z")).thenNothing()
        .later(at: "2026-03-02T08:06Z").then("emitted goal_reminder/goal:g3/2026-03-02T08:06 [push]")
    }

    /// Its reminder at 09:00 and a repeat at 09:05.
    @Test func `of one goal all slots of those minutes are pulled forward`() {
        given(
            .enrolled(), .goal("g1", #""reminder_time":"09:00","deadline":"2026-03-02T12:05:00Z""#),
            .goal("g2", #""reminder_time":"08:58""#),
            .wants(
                #"{"goals":{"g1":{"repeat":"hourly_before_deadline","kinds":{"deadline_warning":{"enabled":false}}}}}"#),
            policy: "goals"
        )
        .unwatched(until: "2026-03-02T08:57Z")
        .later(at: "2026-03-02T08:58Z")
        .then(
            "emitted goal_reminder/goal:g2/2026-03-02T08:58 (goal_reminder/goal:g2/2026-03-02T08:58, goal_reminder/goal:g1/2026-03-02T09:00, goal_reminder/goal:g1/2026-03-02T09:05) [push]"
        )
        .says("Time to check in on 2 goals", "Tap to see list")
        .later(at: "2026-03-02T10:04Z").thenNothing()
    }

    @Test func `a slot that another rule would stop keeps its own time`() {
        given(
            .enrolled(), .goal("g1"), .goal("g2", #""reminder_time":"08:10""#),
            .wants(#"{"goals":{"g2":{"kinds":{"goal_reminder":{"enabled":false}}}}}"#), policy: "goals"
        )
        .later(at: "2026-03-02T08:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T08:00 [push]")
        .later(at: "2026-03-02T08:10Z").then("dropped goal_reminder/goal:g2/2026-03-02T08:10 kind_off")
    }

    @Test func `yesterday's reminder of a goal and today's are one, and speak of that goal`() {
        given(
            .enrolled(), .goal("g1", #""reminder_time":"08:10""#, title: "Run"),
            .wants(#"{"schedule":{"sun":[["10:00","12:00"]]}}"#), policy: "goals"
        )
        .unwatched(until: "2026-03-02T08:10Z")
        .when(.wants(#"{"schedule":null}"#), at: "2026-03-03T08:00Z")
        .then(
            "emitted goal_reminder/goal:g1/2026-03-02T08:10 (goal_reminder/goal:g1/2026-03-02T08:10, goal_reminder/goal:g1/2026-03-03T08:10) [push]"
        )
        .says("Time to check in on Run", "Tap to check in.")
    }

    @Test func `what an app asked for in its own words is told, whatever it is about`() {
        let policy = #"""
            {"name":"listing","kinds":[{"name":"n","on_request":true,"bundling":true,
            "copy":{"title":"T","body":"B","bundle_title":"{count} things","bundle_body":"{items}"}}]}
            """#
        func told(_ requests: Told...) -> Scenario {
            let scenario = given(.enrolled(), .noCheckIns, policy: policy)
            for request in requests { scenario.when(request, at: "2026-03-02T23:00Z") }
            return scenario.unwatched(until: "2026-03-03T08:00Z").isInThread("thing:x")
        }
        let first = Told.requested("n", "thing:x", and: #""title":"First""#)
        let second = Told.requested("n", "thing:x", and: #""title":"Second","body":"More""#)
        let text = Told.requested("n", "thing:x", and: #""body":"Only a text""#)
        told(first, second).says("2 things", "First, Second")
        told(first, text, second).says("3 things", "First, Only a text, Second")
        // The same once more is nothing else, and what has no words is one thing.
        told(first, first).says("First", "B")
        told(.requested("n", "thing:x"), .requested("n", "thing:x")).says("T", "B")
    }

    @Test func `three goals at one time are one job`() {
        given(.enrolled(), .goal("g1"), .goal("g2"), .goal("g3"), policy: "goals")
            .later(at: "2026-03-02T08:00Z")
            .then(
                "emitted goal_reminder/goal:g1/2026-03-02T08:00 (goal_reminder/goal:g1/2026-03-02T08:00, goal_reminder/goal:g2/2026-03-02T08:00, goal_reminder/goal:g3/2026-03-02T08:00) [push]"
            )
            .says("Time to check in on 3 goals", "Tap to see list")
    }
}
