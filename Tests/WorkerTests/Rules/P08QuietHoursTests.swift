import Testing

@Suite("P8, quiet hours")
struct QuietHoursTests {
    @Test func `a notice in the night waits for the morning`() {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:30+01:00")
            .then("held reminder/#3 until 2026-03-03T08:00+01:00 quiet_hours")
            .later(at: "2026-03-03T07:59:59.999+01:00").thenNothing()
            .later(at: "2026-03-03T08:00+01:00")
            .then("emitted reminder/#3 [push]")
    }
}
