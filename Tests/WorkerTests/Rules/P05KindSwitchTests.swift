import Testing

@Suite("P5, a kind, a subtype or a goal switched off")
struct KindSwitchTests {
    @Test func `a kind that is off is dropped, others go out`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"kinds":{"reminder":{"enabled":false}}}"#))
            .when(.requested("reminder"), .requested("alert"), at: "2026-03-02T09:00Z")
            .then("dropped reminder/#4 kind_off", "emitted alert/#6 [push]")
    }

    @Test(arguments: [
        ("2026-03-03T07:59:59.999Z", "dropped reminder/#3 kind_off"),
        ("2026-03-03T08:00Z", "emitted reminder/#3 [push]"),
    ])
    func `switching a kind off drops what is held of it`(at: String, outcome: String) {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.wants(#"{"kinds":{"reminder":{"enabled":false}}}"#), at: at)
            .then(outcome)
    }

    @Test func `check_ins_enabled is the switch of the check-in kind (C2)`() {
        given(.enrolled(), .wants(#"{"check_in_time":"07:00"}"#))
            .later(at: "2026-03-02T07:30Z")
            .then("2026-03-02T07:00Z held check_in/2026-03-02T07:00 until 2026-03-02T08:00Z quiet_hours")
            .when(.noCheckIns, at: "2026-03-02T07:30Z")
            .then("dropped check_in/2026-03-02T07:00 kind_off")
    }

    @Test func `slots of a kind that is off come and are dropped`() {
        given(.enrolled(), .wants(#"{"kinds":{"check_in":{"enabled":false}}}"#))
            .later(at: "2026-03-02T09:00Z")
            .then("dropped check_in/2026-03-02T09:00 kind_off")
    }

    @Test func `a subtype that is off is dropped, its kind goes on`() {
        given(.enrolled(), policy: "goals")
            .when(.requested("referee", and: #""data":{"subtype":"availability"}"#), at: "2026-03-02T09:00Z")
            .then("dropped referee/#2 kind_off")
            .when(.requested("referee", and: #""data":{"subtype":"comment"}"#), at: "2026-03-02T09:00Z")
            .then("emitted referee/#4 [push]")
            .when(.wants(#"{"kinds":{"referee":{"subtypes":{"availability":true}}}}"#), at: "2026-03-02T09:01Z")
            .when(.requested("referee", and: #""data":{"subtype":"availability"}"#), at: "2026-03-02T09:02Z")
            .then("emitted referee/#7 [push]")
    }

    @Test func `a goal may have a kind off that others have on`() {
        given(
            .enrolled(), .goal("g1"), .goal("g2"),
            .wants(#"{"goals":{"g1":{"kinds":{"referee":{"enabled":false}}}}}"#), policy: "goals"
        )
        .when(.requested("referee", "goal:g1"), .requested("referee", "goal:g2"), at: "2026-03-01T12:00Z")
        .then("dropped referee/goal:g1/#5 kind_off", "emitted referee/goal:g2/#7 [push]")
    }

    @Test func `a subject may have a kind or a part of it off that others have on`() {
        given(
            .enrolled(),
            .wants(
                #"{"subjects":{"order:7":{"kinds":{"referee":{"subtypes":{"comment":false}},"achievement":{"enabled":false}}}}}"#
            ), policy: "microcommit"
        )
        .when(
            .requested("achievement", "order:7"), .requested("achievement", "order:8"),
            .requested("referee", "order:7", and: #""data":{"subtype":"comment"}"#),
            .requested("referee", "order:7", and: #""data":{"subtype":"new_request"}"#),
            .requested("referee", "order:8", and: #""data":{"subtype":"comment"}"#), at: "2026-03-02T09:00Z"
        )
        .then(
            "dropped achievement/order:7/#3 kind_off", "emitted achievement/order:8/#5 [push]",
            "dropped referee/order:7/#7 kind_off", "emitted referee/order:7/#9 [push]",
            "emitted referee/order:8/#11 [push]")
    }

    @Test func `a goal that is switched as a subject is switched like a goal`() {
        given(
            .enrolled(), .goal("g1", #""deadline":"2026-03-04T12:00:00Z""#),
            .wants(
                #"{"subjects":{"goal:g1":{"kinds":{"goal_reminder":{"enabled":false},"deadline_warning":{"subtypes":{"24_hours":false}}}}}}"#
            ),
            policy: "goals"
        )
        .later(at: "2026-03-02T08:00Z").then("dropped goal_reminder/goal:g1/2026-03-02T08:00 kind_off")
        .unwatched(until: "2026-03-03T11:00Z")
        .later(at: "2026-03-03T12:00Z").thenNothing()
        .unwatched(until: "2026-03-04T05:00Z")
        .later(at: "2026-03-04T06:00Z")
        .then("held deadline_warning/goal:g1/2026-03-04T06:00 until 2026-03-04T08:00Z quiet_hours")
    }

    @Test(arguments: [
        ("2026-03-03T07:59:59.999Z", "dropped alert/child:k1/#3 kind_off"),
        ("2026-03-03T08:00Z", "emitted alert/child:k1/#3 [push]"),
    ])
    func `switching a kind off for a subject drops what is held of it`(at: String, outcome: String) {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert", "child:k1"), at: "2026-03-02T23:00Z")
            .then("held alert/child:k1/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.wants(#"{"subjects":{"child:k1":{"kinds":{"alert":{"enabled":false}}}}}"#), at: at)
            .then(outcome)
    }

    @Test func `a kind that a new policy no longer has is off`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.adopts(#"{"name":"other","kinds":[{"name":"note","on_request":true}]}"#), at: "2026-03-03T01:00Z")
            .then("dropped reminder/#3 kind_off")
    }
}
