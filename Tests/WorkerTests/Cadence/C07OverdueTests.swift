import Testing

/// C6, C7: what tells of a deadline that has passed tells of no other.
@Suite("C7, deadlines that have passed")
struct OverdueTests {
    private static let policy = """
        {"name":"p","cooldown_minutes":0,"daily_cap":100,"kinds":[
          {"name":"late","bundling":true,"raised_by":[{"on":"goal_overdue","title":"{title} is overdue"}],
           "copy":{"title":"Goal update","body":"There is news about your goal.",
                   "bundle_title":"{count} goals are overdue","bundle_body":"{items}"}}]}
        """

    private static func deadline(_ time: String) -> String { "\"deadline\":\"2026-03-02T\(time):00Z\"" }

    private static func goal(_ goal: String, _ title: String, at time: String = "18:00") -> Told {
        .goal(goal, deadline(time), title: title)
    }

    private static func given(_ goals: Told...) -> Scenario {
        let told = WorkerTests.given(
            .enrolled(), .wants(#"{"quiet_hours":{"enabled":false}}"#), policy: policy)
        for goal in goals { told.when(goal, at: "2026-03-01T12:00Z") }
        return told
    }

    private static let run = "late/goal:g1/2026-03-02T18:00"

    // MARK: Bundles

    @Test func `one that is still to come is not told with one that has (P19)`() {
        Self.given(Self.goal("g1", "Run"), Self.goal("g2", "Swim", at: "18:10"))
            .later(at: "2026-03-02T18:00Z").then("emitted \(Self.run) [push]")
            .says("Run is overdue", "There is news about your goal.")
            .later(at: justBefore("2026-03-02T18:10Z")).thenNothing()
            .later(at: "2026-03-02T18:10Z").then("emitted late/goal:g2/2026-03-02T18:10 [push]")
            .says("Swim is overdue", "There is news about your goal.")
    }

    @Test func `those that have are told together`() {
        Self.given(Self.goal("g1", "Run"), Self.goal("g3", "Row"))
            .later(at: "2026-03-02T18:00Z")
            .then("emitted \(Self.run) (\(Self.run), late/goal:g3/2026-03-02T18:00) [push]")
            .says("2 goals are overdue", "Run is overdue, Row is overdue")
    }

    @Test(arguments: [false, true]) func `none is told by a run before it has passed, and its slot is not used up (T8)`(
        force: Bool
    ) {
        Self.given(Self.goal("g1", "Run"))
            .when(.run("late", force: force), at: "2026-03-02T12:00Z").thenNothing()
            .later(at: "2026-03-02T18:00Z").then("emitted \(Self.run) [push]")
            .says("Run is overdue", "There is news about your goal.")
            .when(.run("late", force: force), at: "2026-03-02T18:10Z").thenNothing()
    }

    // MARK: Repeats

    @Test func `it comes again in its own words (S1)`() {
        Self.given(Self.goal("g1", "Run")).unwatched(until: "2026-03-02T18:00Z")
            .when(.snoozes(Self.run, 60), at: "2026-03-02T18:05Z")
            .later(at: "2026-03-02T19:05Z").then("emitted \(Self.run)~1 [push]")
            .says("Run is overdue", "There is news about your goal.")
    }

    private static let moved = Told.goalChanged("g1", #""deadline":"2026-03-05T18:00:00Z""#)

    @Test func `and not where its deadline was moved since (P2)`() {
        Self.given(Self.goal("g1", "Run")).unwatched(until: "2026-03-02T18:00Z")
            .when(.snoozes(Self.run, 60), at: "2026-03-02T18:05Z").when(Self.moved, at: "2026-03-02T18:30Z")
            .later(at: "2026-03-02T19:05Z").then("dropped \(Self.run)~1 settled")
        Self.given(Self.goal("g1", "Run")).unwatched(until: "2026-03-02T18:00Z")
            .when(.snoozes(Self.run, 60), at: "2026-03-02T18:05Z")
            .when(.goalChanged("g1", Self.deadline("18:00")), at: "2026-03-02T18:30Z")
            .later(at: "2026-03-02T19:05Z").then("emitted \(Self.run)~1 [push]")
            .when(.snoozes("\(Self.run)~1", 60), at: "2026-03-02T19:10Z").when(Self.moved, at: "2026-03-02T19:30Z")
            .later(at: "2026-03-02T20:10Z").then("dropped \(Self.run)~2 settled")
    }

    @Test func `of several it comes for those whose deadline stands`() {
        Self.given(Self.goal("g1", "Run"), Self.goal("g3", "Row")).unwatched(until: "2026-03-02T18:00Z")
            .when(.snoozes(Self.run, 60), at: "2026-03-02T18:05Z").when(Self.moved, at: "2026-03-02T18:30Z")
            .later(at: "2026-03-02T19:05Z").then("emitted \(Self.run)~1 [push]")
            .says("Row is overdue", "There is news about your goal.").isInThread("goal:g3")
    }
}
