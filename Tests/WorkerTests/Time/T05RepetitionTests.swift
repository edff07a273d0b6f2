import Testing

/// When the clocks go back: a slot and a window's start are at the first occurrence, a window's end at the second.
@Suite("T5, local times that exist twice")
struct RepetitionTests {
    struct Repetition: Sendable, CustomTestStringConvertible {
        var zone: String
        var date: String
        var time: String
        var first: String
        var second: String
        /// The next noon.
        var noon: String

        var testDescription: String { zone }

        static let all = [
            Repetition(
                zone: "America/Sao_Paulo", date: "2018-02-17", time: "23:30", first: "2018-02-17T23:30-02:00",
                second: "2018-02-17T23:30-03:00", noon: "2018-02-18T12:00-03:00"),
            Repetition(
                zone: "Africa/Cairo", date: "2023-10-26", time: "23:30", first: "2023-10-26T23:30+03:00",
                second: "2023-10-26T23:30+02:00", noon: "2023-10-27T12:00+02:00"),
            Repetition(
                zone: "Asia/Beirut", date: "2022-10-29", time: "23:30", first: "2022-10-29T23:30+03:00",
                second: "2022-10-29T23:30+02:00", noon: "2022-10-30T12:00+02:00"),
            Repetition(
                zone: "Australia/Lord_Howe", date: "2026-04-05", time: "01:45", first: "2026-04-05T01:45+11:00",
                second: "2026-04-05T01:45+10:30", noon: "2026-04-05T12:00+10:30"),
            Repetition(
                zone: "America/St_Johns", date: "2010-11-06", time: "23:30", first: "2010-11-06T23:30-02:30",
                second: "2010-11-06T23:30-03:30", noon: "2010-11-07T12:00-03:30"),
            Repetition(
                zone: "Africa/Casablanca", date: "2026-02-15", time: "02:30", first: "2026-02-15T02:30+01:00",
                second: "2026-02-15T02:30Z", noon: "2026-02-15T12:00Z"),
            Repetition(
                zone: "Europe/Dublin", date: "2025-10-26", time: "01:30", first: "2025-10-26T01:30+01:00",
                second: "2025-10-26T01:30Z", noon: "2025-10-26T12:00Z"),
            Repetition(
                zone: "Antarctica/Troll", date: "2026-10-25", time: "02:30", first: "2026-10-25T02:30+02:00",
                second: "2026-10-25T02:30Z", noon: "2026-10-25T12:00Z"),
        ]
    }

    private func enrolled(_ one: Repetition, _ patch: String) -> Scenario {
        given(.enrolled(one.zone), .wants(patch), at: "\(one.date.prefix(4))-01-01T12:00Z")
    }

    @Test(arguments: Repetition.all)
    func `a slot fires at the first, and not again at the second`(one: Repetition) {
        enrolled(one, #"{"check_in_time":"\#(one.time)","frequency":"daily","quiet_hours":{"enabled":false}}"#)
            .unwatched(until: "\(one.date)T00:59\(one.first.suffix(6))")
            .later(at: justBefore(one.first)).thenNothing()
            .later(at: one.first).then("emitted check_in/\(one.date)T\(one.time) [push]")
            .later(at: one.second).thenNothing()
            .later(at: one.noon).thenNothing()
    }

    @Test(arguments: Repetition.all)
    func `quiet hours begin at the first and err on quiet until the second`(one: Repetition) {
        enrolled(one, #"{"check_ins_enabled":false,"quiet_hours":{"start":"\#(one.time)","end":"12:00"}}"#)
            .when(.requested("alert"), at: justBefore(one.first)).then("emitted alert/#3 [push]")
            .when(.requested("reminder"), at: one.first).then("held reminder/#5 until \(one.noon) quiet_hours")
            .when(.requested("urgent", priority: "high"), at: justBefore(one.second))
            .then("held urgent/#7 until \(one.noon) quiet_hours")
    }

    @Test(arguments: Repetition.all)
    func `quiet hours end at the second`(one: Repetition) {
        enrolled(one, #"{"check_ins_enabled":false,"quiet_hours":{"start":"20:00","end":"\#(one.time)"}}"#)
            .when(.requested("alert"), at: one.first).then("held alert/#3 until \(one.second) quiet_hours")
            .when(.requested("reminder"), at: justBefore(one.second))
            .then("held reminder/#5 until \(one.second) quiet_hours")
            .later(at: one.second).then("emitted alert/#3 [push]", "emitted reminder/#5 [push]")
    }
}
