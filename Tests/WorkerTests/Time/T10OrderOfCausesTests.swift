import Testing

@Suite("T10, what is due comes before a fact of the same instant")
struct OrderOfCausesTests {
    @Test func `a session at the check-in's instant comes too late for it`() {
        given(.enrolled())
            .when(.session, at: "2026-03-02T08:59:59.999Z").thenNothing()
            .later(at: "2026-03-02T09:00Z").then("skipped check_in 2026-03-02T09:00 already_active_today")
        given(.enrolled())
            .when(.session, at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
    }

    @Test func `points at the digest's instant are for the next`() {
        given(.enrolled(), .noCheckIns)
            .when(.earned(5), at: "2026-03-02T17:59:59.999Z")
            .when(.earned(7), at: "2026-03-02T18:00Z").then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
            .later(at: "2026-03-03T18:00Z").then(
                "emitted daily_digest/2026-03-03T18:00 [push] {points 7, points_earlier 7}")
    }

    @Test(arguments: [("08:59:59.999", true), ("09:00:00.000", false), ("09:00:00.001", false)])
    func `slots begin after enrolment`(time: String, comes: Bool) {
        let scenario = given(.enrolled(), at: "2026-03-02T\(time)Z").later(at: "2026-03-02T12:00Z")
        if comes {
            scenario.then("2026-03-02T09:00Z emitted check_in/2026-03-02T09:00 [push]")
        } else {
            scenario.thenNothing()
        }
    }

    @Test(arguments: [("11:59:59.999", true), ("12:00:00.000", false), ("12:00:00.001", false)])
    func `a document's new slots are those after it`(time: String, comes: Bool) {
        let scenario = given(.enrolled(), .noCheckIns)
            .when(.wants(#"{"check_ins_enabled":true,"check_in_time":"12:00"}"#), at: "2026-03-02T\(time)Z")
            .later(at: "2026-03-02T23:00Z")
        if comes {
            scenario.then("2026-03-02T12:00Z emitted check_in/2026-03-02T12:00 [push]")
        } else {
            scenario.thenNothing()
        }
    }
}
