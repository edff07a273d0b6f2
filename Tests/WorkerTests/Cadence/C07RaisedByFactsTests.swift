import Notices
import Testing

/// C7: what facts raise by themselves, and that nothing of it comes twice.
@Suite("C7, notices that facts raise")
struct RaisedByFactsTests {
    private static let policy = """
        {"name":"p","cooldown_minutes":0,"daily_cap":100,"kinds":[
          {"name":"life","on_request":true,
           "subtypes":[{"name":"begun"},{"name":"done"},{"name":"lost"},{"name":"late"}],
           "raised_by":[
             {"on":"goal_started","subtype":"begun","title":"{title} begins","body":"For {name}"},
             {"on":"goal_ended","outcome":"completed","subtype":"done"},
             {"on":"goal_ended","outcome":"failed","subtype":"lost"},
             {"on":"goal_overdue","subtype":"late","title":"{title} is late"}]},
          {"name":"ended","raised_by":[{"on":"goal_ended"}]},
          {"name":"streak","raised_by":[{"on":"streak","days":[2,3],"title":"{count} days"}]},
          {"name":"total","raised_by":[{"on":"points","totals":[10,50],"title":"{points} points"}]}]}
        """

    private static func given(_ facts: Told...) -> Scenario {
        let told = WorkerTests.given(
            .enrolled("UTC", #""name":"Anna""#), .wants(#"{"quiet_hours":{"enabled":false}}"#), policy: policy)
        for fact in facts { told.when(fact, at: "2026-03-01T12:00Z") }
        return told
    }

    private static func asks(_ subtype: String?, _ goal: String = "g1") -> Told {
        .requested("life", "goal:\(goal)", and: subtype.map { "\"data\":{\"subtype\":\"\($0)\"}" } ?? "")
    }

    @Test func `words that stand with the kind name the days and the total too`() {
        let policy = """
            {"name":"p","cooldown_minutes":0,"daily_cap":100,"kinds":[
              {"name":"streak","raised_by":[{"on":"streak","days":[2]}],
               "copy":{"title":"{count} {count|day|days} in a row","body":"Go on"}},
              {"name":"total","raised_by":[{"on":"points","totals":[10]}],
               "copy":{"title":"{points} points","body":"For {name}"}}]}
            """
        WorkerTests.given(
            .enrolled("UTC", #""name":"Anna""#), .wants(#"{"quiet_hours":{"enabled":false}}"#), policy: policy
        )
        .when(.earned(12), at: "2026-03-01T12:00Z").then("emitted total/#3 [push]").says("10 points", "For Anna")
        .when(.checkedIn(), at: "2026-03-01T12:00Z").thenNothing()
        .when(.checkedIn(), at: "2026-03-02T12:00Z").then("emitted streak/#6 [push]").says("2 days in a row", "Go on")
    }

    @Test func `words that stand with the fact know all that others know`() {
        let policy = """
            {"name":"p","cooldown_minutes":0,"daily_cap":100,
             "choices":[{"name":"tone","type":"one_of","values":["calm","loud"],"default":"calm"}],
             "kinds":[
              {"name":"total","raised_by":[{"on":"points","totals":[10,20],
                "title":"{subject|Somebody}: {points}","body":"{choices.tone}, {name|you}"}]},
              {"name":"begun","raised_by":[
                {"on":"goal_started","title":"{title}: {left|no hurry}"}, {"on":"goal_started","title":"again"}]}]}
            """
        WorkerTests.given(.enrolled("UTC"), .wants(#"{"quiet_hours":{"enabled":false}}"#), policy: policy)
            .when(.earned(12, for: "child:3f"), at: "2026-03-01T12:00Z").then("emitted total/child:3f/#3 [push]")
            .says("Somebody: 10", "calm, you")
            .when(
                .named("child:3f", "Lea"),
                .wants(#"{"choices":{"tone":"loud"}}"#), .earned(12, for: "child:3f"), at: "2026-03-01T13:00Z"
            )
            .then("emitted total/child:3f/#7 [push]").says("Lea: 20", "loud, you")
            // Two entries at one fact raise one notice.
            .when(.goal("g1", title: "Run"), at: "2026-03-01T14:00Z").then("emitted begun/goal:g1/#9 [push]")
            .says("Run: no hurry", "")
            .when(.goal("g2", #""deadline":"2026-03-03T14:00:00Z""#, title: "Swim"), at: "2026-03-01T14:00Z")
            .then("emitted begun/goal:g2/#11 [push]").says("Swim: 2 days", "")
    }

    @Test func `a goal's life is told, each fact once`() {
        Self.given(.goal("g1", title: "Run")).then("emitted life/goal:g1/#3 [push]")
            .says("Run begins", "For Anna").carries(["subtype": "begun"])
            .when(.goalEnded("g1"), at: "2026-03-02T12:00Z")
            .then("emitted life/goal:g1/#5 [push]", "emitted ended/goal:g1/#5 [push]")
            .when(.goalEnded("g1", "failed"), at: "2026-03-02T13:00Z").thenNothing()
            .when(.goal("g2"), .goalEnded("g2", "failed"), at: "2026-03-02T14:00Z")
            .then(
                "emitted life/goal:g2/#9 [push]", "emitted life/goal:g2/#11 [push]", "emitted ended/goal:g2/#11 [push]"
            )
            .when(.goal("g3"), .goalEnded("g3", "cancelled"), at: "2026-03-02T15:00Z")
            .then("emitted life/goal:g3/#14 [push]", "emitted ended/goal:g3/#16 [push]")
    }

    @Test func `a goal that has not ended by its deadline is overdue, at that instant`() {
        let deadline = #""deadline":"2026-03-02T18:00:00Z""#
        Self.given(.goal("g1", deadline, title: "Run"), .goal("g2", deadline)).unwatched(until: "2026-03-02T17:00Z")
            .when(.goalEnded("g2", "cancelled"), at: "2026-03-02T17:00Z").unwatched(
                until: justBefore("2026-03-02T18:00Z")
            )
            .later(at: "2026-03-02T18:00Z").then("emitted life/goal:g1/2026-03-02T18:00 [push]").says("Run is late", "")
            .later(at: "2026-03-09T18:00Z").thenNothing()
    }

    @Test func `also where something was heard of them a moment before`() {
        Self.given(.goal("g1", #""deadline":"2026-03-02T18:00:00Z""#)).unwatched(until: "2026-03-02T17:00Z")
            .when(.device("phone"), at: justBefore("2026-03-02T18:00Z")).thenNothing()
            .later(at: "2026-03-02T18:00Z").then("emitted life/goal:g1/2026-03-02T18:00 [push]")
    }

    @Test func `a part that is off is not told`() {
        Self.given(.wants(#"{"kinds":{"life":{"subtypes":{"begun":false}}}}"#), .goal("g1"))
            .then("dropped life/goal:g1/#4 kind_off")
    }

    // MARK: Nothing comes twice

    @Test func `what a fact has told, an app that asks for it that day is told to be a duplicate`() {
        Self.given(.goal("g1")).unwatched(until: "2026-03-01T12:00Z")
            .repeats(Self.asks("begun"), at: "2026-03-01T23:59:59.999Z", 3)
            .repeats(Self.asks(nil), at: "2026-03-01T23:59:59.999Z", 3)
            .when(Self.asks("done"), Self.asks("begun", "g9"), at: "2026-03-01T23:59:59.999Z")
            .then("emitted life/goal:g1/#5 [push]", "emitted life/goal:g9/#7 [push]")
            .when(Self.asks("begun"), at: "2026-03-02T00:00Z").then("emitted life/goal:g1/#9 [push]")
    }

    @Test func `what an app has asked for that day, the fact does not raise`() {
        Self.given(.goal("g1", #""deadline":"2026-03-03T18:00:00Z""#), .goal("g2"), .goal("g3"))
            .unwatched(until: "2026-03-02T09:00Z")
            .when(Self.asks("done"), .goalEnded("g1"), at: "2026-03-02T09:00Z")
            .then("emitted life/goal:g1/#9 [push]", "emitted ended/goal:g1/#11 [push]")
            .when(Self.asks(nil, "g2"), .goalEnded("g2"), at: "2026-03-02T10:00Z")
            .then("emitted life/goal:g2/#13 [push]", "emitted ended/goal:g2/#15 [push]")
            .when(Self.asks("done", "g3"), at: "2026-03-02T11:00Z").then("emitted life/goal:g3/#17 [push]")
            .when(.goalEnded("g3"), at: "2026-03-03T00:00Z")
            .then("emitted life/goal:g3/#19 [push]", "emitted ended/goal:g3/#19 [push]")
    }

    @Test func `a deadline that the app came before is not missed either when somebody looks later (G1)`() {
        Self.given(.goal("g1", #""deadline":"2026-03-02T18:00:00Z""#)).unwatched(until: "2026-03-02T17:00Z")
            .when(Self.asks("late"), at: "2026-03-02T17:00Z").unwatched(until: "2026-03-02T18:00Z")
            .when(.opensApp, at: "2026-03-04T12:00Z").thenNothing()
    }

    @Test func `so it is with a deadline`() {
        let deadline = #""deadline":"2026-03-02T18:00:00Z""#
        Self.given(.goal("g1", deadline), .goal("g2", deadline)).unwatched(until: "2026-03-02T17:00Z")
            .when(Self.asks("late", "g2"), at: "2026-03-02T17:00Z").then("emitted life/goal:g2/#7 [push]")
            .later(at: "2026-03-02T18:00Z").then("emitted life/goal:g1/2026-03-02T18:00 [push]")
            .repeats(Self.asks("late"), at: "2026-03-02T19:00Z", 3)
    }

    @Test func `to the millisecond: who asks a moment before the deadline comes first, who asks at it is told`() {
        let goal = Told.goal("g1", #""deadline":"2026-03-02T18:00:00Z""#)
        Self.given(goal).unwatched(until: "2026-03-02T17:00Z")
            .when(Self.asks("late"), at: justBefore("2026-03-02T18:00Z")).then("emitted life/goal:g1/#5 [push]")
        Self.given(goal).unwatched(until: "2026-03-02T17:00Z")
            .repeats(Self.asks("late"), at: "2026-03-02T18:00Z", 3)
    }

    @Test func `a goal that ends at its deadline was late, and one that ends a moment before was not`() {
        let goal = Told.goal("g1", #""deadline":"2026-03-02T18:00:00Z""#)
        Self.given(goal).unwatched(until: "2026-03-02T17:00Z")
            .when(.goalEnded("g1", "failed"), at: "2026-03-02T18:00Z").unwatched(until: "2026-03-02T18:30Z")
            .repeats(Self.asks("late"), at: "2026-03-02T19:00Z", 3)
        Self.given(goal).unwatched(until: "2026-03-02T17:00Z")
            .when(.goalEnded("g1", "failed"), at: justBefore("2026-03-02T18:00Z")).unwatched(until: "2026-03-02T18:30Z")
            .when(Self.asks("late"), at: "2026-03-02T19:00Z").then("emitted life/goal:g1/#8 [push]")
    }

    @Test func `a deadline that is given a moment before it comes is one, at that moment it is none (T10)`() {
        let changed = Told.goalChanged("g1", #""deadline":"2026-03-02T18:00:00Z""#)
        Self.given(.goal("g1")).unwatched(until: "2026-03-02T17:00Z")
            .when(changed, at: justBefore("2026-03-02T18:00Z"))
            .later(at: "2026-03-02T18:00Z").then("emitted life/goal:g1/2026-03-02T18:00 [push]")
            .repeats(Self.asks("late"), at: "2026-03-02T19:00Z", 5)
        Self.given(.goal("g1")).unwatched(until: "2026-03-02T17:00Z")
            .when(changed, at: "2026-03-02T18:00Z").thenNothing()
            .when(Self.asks("late"), at: "2026-03-02T19:00Z").then("emitted life/goal:g1/#6 [push]")
    }

    // MARK: Streaks and totals

    @Test func `days in a row are local days, each counted once`() {
        Self.given(.checkedIn(), .moved(to: "Europe/Paris"))
            .when(.checkedIn(), at: "2026-03-01T22:59Z").thenNothing()
            .when(.checkedIn(), at: "2026-03-01T23:00Z").then("emitted streak/#6 [push]").says("2 days", "")
            .carries(["days": "2"])
            .when(.checkedIn(), at: "2026-03-02T12:00Z").thenNothing()
            .when(.checkedIn(), at: "2026-03-03T12:00Z").then("emitted streak/#9 [push]")
            .when(.checkedIn(), at: "2026-03-05T12:00Z").thenNothing()
            .when(.checkedIn(), at: "2026-03-06T12:00Z").then("emitted streak/#12 [push]")
    }

    @Test func `a streak that has begun goes on under a policy that tells of none`() {
        let other = Told.adopts(#"{"name":"o","kinds":[{"name":"told","raised_by":[{"on":"goal_started"}]}]}"#)
        let first = Told.adopts(Self.policy.split(separator: "\n").joined(separator: " "))
        Self.given(.checkedIn()).when(other, at: "2026-03-01T13:00Z")
            .when(.checkedIn(), at: "2026-03-02T12:00Z").thenNothing()
            .when(first, at: "2026-03-02T13:00Z")
            .when(.checkedIn(), at: "2026-03-03T12:00Z").then("emitted streak/#7 [push]").says("3 days", "")
    }

    @Test func `a goal has a streak of its own`() {
        Self.given(.goal("g1"), .goal("g2"), .checkedIn("g1")).unwatched(until: "2026-03-02T12:00Z")
            .when(.checkedIn("g2"), .checkedIn(), at: "2026-03-02T12:00Z").thenNothing()
            .when(.checkedIn("g2"), at: "2026-03-03T12:00Z").then("emitted streak/goal:g2/#10 [push]")
    }

    /// Samoa went over the date line and had no 30 December 2011 (T6).
    @Test func `a date that the zone skipped interrupts nothing`() {
        WorkerTests.given(.enrolled("Pacific/Apia"), .checkedIn(), policy: Self.policy, at: "2011-12-29T20:00-10:00")
            .when(.checkedIn(), at: "2011-12-31T12:00+14:00").then("emitted streak/#3 [push]")
    }

    @Test func `a total is told when it is reached, of each subject by itself, the highest of several`() {
        Self.given(.earned(9)).when(.earned(1), at: "2026-03-02T12:00Z").then("emitted total/#4 [push]").says(
            "10 points", ""
        )
        .when(.earned(200, for: "child:k1"), at: "2026-03-02T12:00Z").then("emitted total/child:k1/#6 [push]")
        .says("50 points", "").carries(["points": "50"])
        .when(.earned(1, for: "child:k1"), .earned(1), at: "2026-03-02T13:00Z").thenNothing()
    }
}
