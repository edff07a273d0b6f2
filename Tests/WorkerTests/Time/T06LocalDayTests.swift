import Testing

@Suite("T6, local days")
struct LocalDayTests {
    private static let noNight = Told.wants(#"{"quiet_hours":{"enabled":false}}"#)

    /// Three alerts before a midnight, and a fourth around it.
    private func spent(_ zone: String, _ date: String, _ offset: String) -> Scenario {
        let scenario = given(
            .enrolled(zone), .noCheckIns, Self.noNight, at: "\(date.prefix(4))-01-01T12:00Z")
        for hour in ["09", "10", "11"] { scenario.when(.requested("alert"), at: "\(date)T\(hour):00\(offset)") }
        return scenario.unwatched(until: "\(date)T12:00\(offset)")
    }

    @Test(arguments: [
        ("America/Sao_Paulo", "2018-11-03", "-03:00", "2018-11-04T01:00-02:00"),
        ("Africa/Cairo", "2023-04-27", "+02:00", "2023-04-28T01:00+03:00"),
        ("Asia/Beirut", "2024-03-30", "+02:00", "2024-03-31T01:00+03:00"),
    ])
    func `a day whose midnight lies in a gap begins after it`(
        zone: String, date: String, offset: String, start: String
    ) {
        spent(zone, date, offset)
            .when(.requested("urgent", priority: "high"), at: justBefore(start))
            .then("gathered urgent/#10 into daily_digest/\(start.prefix(10))T18:00 daily_cap")
            .when(.requested("urgent", priority: "high"), at: start).then("emitted urgent/#12 [push] high")
    }

    /// 23:00 to 24:00 of Saturday comes twice in São Paulo; in St John's the clocks go back at 00:01 of Sunday.
    @Test(arguments: [
        ("America/Sao_Paulo", "2018-02-17", "-02:00", "2018-02-17T23:30-03:00", "2018-02-18T00:00-03:00", true),
        ("America/St_Johns", "2010-11-06", "-02:30", "2010-11-07T00:00:30-02:30", "2010-11-06T23:30-03:30", false),
    ])
    func `an evening that is repeated belongs to the day that had begun`(
        zone: String, date: String, offset: String, before: String, after: String, isNewDay: Bool
    ) {
        let scenario = spent(zone, date, offset)
            .when(.requested("urgent", priority: "high"), at: before)
        if isNewDay {
            scenario.then("gathered urgent/#10 into daily_digest/\(after.prefix(10))T18:00 daily_cap")
        } else {
            scenario.then("emitted urgent/#10 [push] high")
            // Sunday had begun at 00:00, so the second evening is Sunday's.
            scenario.when(.requested("alert"), at: "2010-11-06T23:10-03:30").then("emitted alert/#12 [push]")
        }
        scenario.when(.requested("reminder"), at: after)
            .then("emitted reminder/#\(isNewDay ? 12 : 14) [push]")
    }

    /// Samoa had no 30 December 2011, a Friday.
    @Test func `the slots of a date that was skipped do not exist (Pacific/Apia)`() {
        given(.enrolled("Pacific/Apia"), .wants(#"{"frequency":"daily"}"#), at: "2011-12-28T22:00Z")
            .later(at: "2011-12-29T09:00-10:00").then("emitted check_in/2011-12-29T09:00 [push]")
            .later(at: "2012-01-01T12:00+14:00")
            .then(
                "2011-12-31T09:00+14:00 emitted check_in/2011-12-31T09:00 [push]",
                "2012-01-01T09:00+14:00 emitted check_in/2012-01-01T09:00 [push]")
        given(.enrolled("Pacific/Apia"), at: "2011-12-28T22:00Z")
            .later(at: "2012-01-02T09:00+14:00").then("emitted check_in/2012-01-02T09:00 [push]")
    }

    @Test func `a night before a skipped date lasts into the next day there is (Pacific/Apia)`() {
        given(.enrolled("Pacific/Apia"), .noCheckIns, at: "2011-12-28T22:00Z")
            .when(.requested("alert"), at: "2011-12-29T23:00-10:00")
            .then("held alert/#3 until 2011-12-31T08:00+14:00 quiet_hours")
            .when(.requested("reminder"), at: "2011-12-31T00:00+14:00")
            .then("held reminder/#5 until 2011-12-31T08:00+14:00 quiet_hours")
    }

    @Test func `the cap of the day before a skipped date ends with it (Pacific/Apia)`() {
        spent("Pacific/Apia", "2011-12-29", "-10:00")
            .when(.requested("urgent", priority: "high"), at: "2011-12-29T23:59:59.999-10:00")
            .then("gathered urgent/#10 into daily_digest/2011-12-31T18:00 daily_cap")
            .when(.requested("urgent", priority: "high"), at: "2011-12-31T00:00+14:00")
            .then("emitted urgent/#12 [push] high")
    }
}
