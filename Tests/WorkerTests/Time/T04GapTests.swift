import Testing

/// When the clocks go forward, a time in the gap means the first instant after it.
@Suite("T4, local times that do not exist")
struct GapTests {
    struct Gap: Sendable, CustomTestStringConvertible {
        var zone: String
        var date: String
        /// A time in the gap.
        var time: String
        /// The first instant after it.
        var after: String
        /// The millisecond before.
        var before: String

        var testDescription: String { zone }

        static let all = [
            Gap(
                zone: "America/Sao_Paulo", date: "2018-11-04", time: "00:30", after: "2018-11-04T01:00-02:00",
                before: "2018-11-03T23:59:59.999-03:00"),
            Gap(
                zone: "Africa/Cairo", date: "2023-04-28", time: "00:00", after: "2023-04-28T01:00+03:00",
                before: "2023-04-27T23:59:59.999+02:00"),
            Gap(
                zone: "Asia/Beirut", date: "2024-03-31", time: "00:59", after: "2024-03-31T01:00+03:00",
                before: "2024-03-30T23:59:59.999+02:00"),
            Gap(
                zone: "Australia/Lord_Howe", date: "2025-10-05", time: "02:15", after: "2025-10-05T02:30+11:00",
                before: "2025-10-05T01:59:59.999+10:30"),
            Gap(
                zone: "America/St_Johns", date: "2011-03-13", time: "00:30", after: "2011-03-13T01:01-02:30",
                before: "2011-03-13T00:00:59.999-03:30"),
            Gap(
                zone: "Africa/Casablanca", date: "2026-03-22", time: "02:30", after: "2026-03-22T03:00+01:00",
                before: "2026-03-22T01:59:59.999Z"),
            Gap(
                zone: "Europe/Dublin", date: "2026-03-29", time: "01:30", after: "2026-03-29T02:00+01:00",
                before: "2026-03-29T00:59:59.999Z"),
            Gap(
                zone: "Antarctica/Troll", date: "2026-03-29", time: "02:00", after: "2026-03-29T03:00+02:00",
                before: "2026-03-29T00:59:59.999Z"),
        ]
    }

    private func enrolled(_ gap: Gap, _ patch: String) -> Scenario {
        let year = gap.date.prefix(4)
        return given(.enrolled(gap.zone), .wants(patch), at: "\(year)-01-01T12:00Z")
            .unwatched(until: gap.before)
    }

    @Test(arguments: Gap.all)
    func `a slot in the gap fires once, right after it`(gap: Gap) {
        enrolled(
            gap, #"{"check_in_time":"\#(gap.time)","frequency":"daily","quiet_hours":{"enabled":false}}"#
        )
        .later(at: gap.after).then("emitted check_in/\(gap.date)T\(gap.time) [push]")
        .later(at: "\(gap.date)T12:00\(gap.after.suffix(6))").thenNothing()
    }

    @Test(arguments: Gap.all)
    func `quiet hours that end in the gap end right after it`(gap: Gap) {
        enrolled(
            gap, #"{"check_ins_enabled":false,"quiet_hours":{"start":"20:00","end":"\#(gap.time)"}}"#
        )
        .when(.requested("alert"), at: gap.before)
        .then("held alert/#3 until \(gap.after) quiet_hours")
        .later(at: gap.after).then("emitted alert/#3 [push]")
    }

    @Test(arguments: Gap.all)
    func `quiet hours that begin in the gap begin right after it`(gap: Gap) {
        enrolled(
            gap, #"{"check_ins_enabled":false,"quiet_hours":{"start":"\#(gap.time)","end":"12:00"}}"#
        )
        .when(.requested("alert"), at: gap.before).then("emitted alert/#3 [push]")
        .when(.requested("reminder"), at: gap.after)
        .then("held reminder/#5 until \(gap.date)T12:00\(gap.after.suffix(6)) quiet_hours")
    }
}
