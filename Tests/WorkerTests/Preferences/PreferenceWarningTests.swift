import Testing

@Suite("§3, warnings that come with a change")
struct WarningTests {
    @Test func `quiet hours that cover the check-in time`() {
        given(.enrolled(), .wants(#"{"quiet_hours":{"end":"09:01"}}"#))
            .warns(
                "your quiet hours overlap with the check-in time 09:00 (mon,wed,fri): "
                    + "check-ins wait until they end at 09:01"
            )
            .later(at: "2026-03-02T09:00Z")
            .then("held check_in/2026-03-02T09:00 until 2026-03-02T09:01Z quiet_hours")
        given(.enrolled(), .wants(#"{"quiet_hours":{"end":"09:00"}}"#)).warns()
    }

    @Test func `quiet hours that cover every reminder time`() {
        let goals: [Told] = [.goal("g1", #""reminder_time":"21:00""#), .goal("g2", #""reminder_time":"21:30""#)]
        let covering = Told.wants(#"{"quiet_hours":{"start":"21:00"}}"#)
        given(.enrolled(), goals[0], goals[1], covering, policy: "goals")
            .warns(
                "your quiet hours overlap with every reminder time (21:00, 21:30): reminders wait until they end at 08:00"
            )
        given(.enrolled(), goals[0], .goal("g3", #""reminder_time":"12:00""#), covering, policy: "goals").warns()
    }

    @Test func `every kind off`() {
        given(.enrolled(), .wants(#"{"enabled":false}"#))
            .warns("every kind of notice is off: you may miss check-ins")
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("dropped reminder/#3 opted_out")
    }

    @Test func `nothing to warn of`() {
        given(.enrolled(), .wants(#"{"digest_mode":true}"#)).warns()
    }
}
