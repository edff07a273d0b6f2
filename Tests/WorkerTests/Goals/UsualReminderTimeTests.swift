import Testing

@Suite("§3, the reminder time of goals that name none")
struct UsualReminderTimeTests {
    private static let earlier = Told.wants(#"{"reminder_time":"12:30"}"#)

    @Test(arguments: [
        (Told.goal("g1"), "2026-03-02T12:30"),
        (Told.goal("g1", #""reminder_time":"15:00""#), "2026-03-02T15:00"),
    ])
    func `a goal's own time comes first`(goal: Told, slot: String) {
        given(.enrolled(), Self.earlier, goal, policy: "goals")
            .unwatched(until: "2026-03-02T10:30Z")
            .later(at: justBefore(slot + "Z")).thenNothing()
            .later(at: slot + "Z").then("emitted goal_reminder/goal:g1/\(slot) [push]")
    }

    @Test func `null puts the policy's own back`() {
        given(.enrolled(), Self.earlier, .goal("g1"), .wants(#"{"reminder_time":null}"#), policy: "goals")
            .unwatched(until: "2026-03-02T00:00Z")
            .later(at: "2026-03-02T08:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T08:00 [push]")
    }

    @Test(arguments: [
        ("2026-03-02T12:29:59.999Z", "2026-03-02T12:30"), ("2026-03-02T12:30Z", "2026-03-03T12:30"),
    ])
    func `slots that the change brings are those after it (T10)`(at: String, slot: String) {
        given(.enrolled(), .wants(#"{"reminder_time":"20:00"}"#), .goal("g1"), policy: "goals")
            // The offer of another time comes at 10:00.
            .unwatched(until: "2026-03-02T11:00Z")
            .when(Self.earlier, at: at)
            .later(at: justBefore(slot + "Z")).thenNothing()
            .later(at: slot + "Z").then("emitted goal_reminder/goal:g1/\(slot) [push]")
    }

    @Test func `what the change has passed by does not come after a journey either`() {
        given(.enrolled("UTC"), .wants(#"{"reminder_time":"20:00"}"#), .goal("g1"), policy: "goals")
            .unwatched(until: "2026-03-02T10:30Z")
            .when(Self.earlier, .moved(to: "Africa/Lagos"), at: "2026-03-02T13:00Z")
            .then("emitted timezone_adjusted/#7 [push]")
            .later(at: "2026-03-02T19:00Z").thenNothing()
    }
}
