import Testing

@Suite("§3, warnings that come with a change")
struct WarningTests {
    @Test func `quiet hours that cover the check-in time`() {
        given(.enrolled(), .wants(#"{"quiet_hours":{"end":"09:01"}}"#))
            .warns(
                "your quiet hours overlap with the check-in time 09:00 on Monday, Wednesday and Friday: "
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

    @Test func `goals on the usual reminder time count too`() {
        let covering = Told.wants(#"{"quiet_hours":{"end":"08:01"}}"#)
        let warning =
            "your quiet hours overlap with every reminder time (08:00): reminders wait until they end at 08:01"
        given(.enrolled(), .goal("g1"), covering, policy: "microcommit").warns(warning)
        given(.enrolled(), .goal("g1"), .wants(#"{"quiet_hours":{"end":"08:00"}}"#), policy: "microcommit").warns()
        given(.enrolled(), .goal("g1"), .wants(#"{"reminder_time":"23:00"}"#), policy: "microcommit")
            .warns("your quiet hours overlap with every reminder time (23:00): reminders wait until they end at 08:00")
    }

    @Test func `what has no effect for this person`() {
        let sms = Told.wants(#"{"channels":{"sms":true}}"#)
        given(.enrolled(), sms, policy: "microcommit").warns("SMS has no effect for now: no phone number is verified")
        given(.enrolled(), .asksForCode("+14155550123"), .enters(code: "550123"), sms, policy: "microcommit").warns()
        given(.enrolled(), .wants(#"{"kinds":{"referee":{"channels":["sms"]}}}"#), policy: "microcommit")
            .warns("SMS has no effect while all notices by SMS are switched off")
        given(.enrolled(), sms).warns(
            "SMS has no effect by itself: no kind of notice is sent by SMS; only a channel that fails may fall back on it"
        )
    }

    @Test func `what has no effect under this policy`() {
        given(.enrolled(), .wants(#"{"check_in_time":"10:00"}"#), policy: "screentime")
            .warns("check_in_time has no effect: no kind of notice of screentime checks in")
        given(.enrolled(), .wants(#"{"reminder_time":"10:00"}"#))
            .warns("reminder_time has no effect: no kind of notice of standard reminds of goals")
        given(.enrolled(), .wants(#"{"pause_threshold_seconds":90}"#))
            .warns("pause_threshold_seconds has no effect: no message is analysed under standard")
        given(.enrolled(), .wants(#"{"digest_mode":true}"#), policy: "messageai")
            .warns("digest_mode has no effect: no kind of notice of messageai waits for a digest")
        given(.enrolled(), .wants(#"{"kinds":{"overload_summary":{"enabled":false}}}"#), policy: "microcommit")
            .warns(
                "switching off “Summaries of many notifications” has no effect: what would come too fast is told in one, so that nothing is lost"
            )
            // By which channels it comes is theirs to say all the same.
            .when(.wants(#"{"kinds":{"overload_summary":{"channels":["push"]}}}"#), at: "2026-03-02T09:00Z").warns()
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
