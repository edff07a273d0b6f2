import CivilTime
import Notices
import Simulation
import Testing
import Worker

@Suite("what-if: the recorded facts under another policy (SPEC §13)")
struct WhatIfTests {
    private let calm = given(.enrolled(), .noCheckIns)

    /// Four mornings with a check-in, and a log that goes on until noon.
    private let daily = given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
        .unwatched(until: "2026-03-05T12:00Z").when(.opensApp, at: "2026-03-05T12:00Z")

    /// `standard`, with one part of its document in other words.
    private func standard(_ part: String, _ other: String) -> String {
        let text = ShippedPolicies.text(of: "standard") ?? ""
        precondition(text.contains(part), "standard does not say \(part)")
        return text.replacing(part, with: other)
    }

    private func ask(
        _ scenario: Scenario, _ document: String, from: String? = nil, to: String? = nil
    ) throws -> WhatIfReport {
        let report = try WhatIf.asked(
            scenario.log, document, from: from.map(Instant.init(local:)), to: to.map(Instant.init(local:)))
        return try #require(report)
    }

    @Test func `under the same policy nothing changes, be it at night, in digests or after snoozes`() throws {
        calm.when(.requested("alert"), .requested("alert"), at: "2026-03-02T10:00Z")
            .when(.snoozes("alert/#3", 15), at: "2026-03-02T10:05Z")
            .when(.requested("reminder"), at: "2026-03-02T22:30Z")
            .when(.wants(#"{"digest_mode":true}"#), .requested("reminder"), at: "2026-03-04T12:00Z")
            .unwatched(until: "2026-03-09T12:00Z")
        let report = try ask(calm, ShippedPolicies.text(of: "standard") ?? "")
        #expect(report.total.changed == 0)
        #expect((report.total.recorded, report.total.decided) == (5, 5))
        #expect(report.refused.isEmpty && report.affected.isEmpty)
    }

    @Test func `samples are not compared (N8)`() throws {
        calm.when(.requested("alert"), Told("test_requested", #"{"kind":"alert"}"#), at: "2026-03-02T10:00Z")
        let report = try ask(calm, ShippedPolicies.text(of: "standard") ?? "")
        #expect((report.total.recorded, report.total.decided, report.total.changed) == (1, 1, 0))
    }

    @Test func `a slot at another time of its day is moved (T8)`() throws {
        let eager = daily
        let later = standard(#""check_in_time": "09:00""#, #""check_in_time": "10:30""#)
        let report = try ask(eager, later)
        #expect(report.total.recorded == 4 && report.total.decided == 4)
        #expect(report.total.moved == 4 && report.total.gained == 0 && report.total.lost == 0)
        #expect((report.moves.later, report.moves.laterMedianMs) == (4, 90 * 60_000))
        #expect((report.moves.earlier, report.moves.earlierMedianMs) == (0, 0))
        let earlier = try ask(eager, standard(#""check_in_time": "09:00""#, #""check_in_time": "08:30""#))
        #expect((earlier.moves.earlier, earlier.moves.earlierMedianMs) == (4, 30 * 60_000))
    }

    @Test func `a minute later is not moved, more is`() throws {
        let held = calm.when(.requested("alert"), .requested("alert"), at: "2026-03-02T10:00Z")
            .unwatched(until: "2026-03-02T12:00Z").when(.opensApp, at: "2026-03-02T12:00Z")
        func moved(_ minutes: Int) throws -> Int {
            try ask(held, standard(#""cooldown_minutes": 30"#, #""cooldown_minutes": \#(minutes)"#)).total.moved
        }
        #expect(try [28, 29, 31, 32].map { try moved($0) } == [1, 0, 0, 1])
    }

    @Test func `what the other cap stops is lost, what it lets through is gained`() throws {
        let busy = calm.when(.requested("alert"), at: "2026-03-02T10:00Z")
            .when(.requested("alert"), at: "2026-03-02T11:00Z")
            .when(.requested("alert"), at: "2026-03-02T12:00Z")
            .when(.requested("alert"), at: "2026-03-02T13:00Z")
            .unwatched(until: "2026-03-03T20:00Z")
        // The fourth is kept for a digest, which there is room for on the next day (P13, D2).
        let wide = try ask(busy, standard(#""daily_cap": 3"#, #""daily_cap": 9"#))
        #expect((wide.total.recorded, wide.total.decided) == (4, 4))
        let alerts = try #require(wide.kinds.first { $0.name == "alert" })
        #expect((alerts.tally.gained, alerts.tally.lost, alerts.tally.recorded) == (1, 0, 3))
        let digests = try #require(wide.kinds.first { $0.name == "daily_digest" })
        #expect((digests.tally.gained, digests.tally.lost) == (0, 1))
        #expect(wide.affected.map(\.user) == ["anna"])
        #expect(wide.affected.first?.tally == wide.total)
        let narrow = try ask(busy, standard(#""daily_cap": 3"#, #""daily_cap": 1"#))
        #expect((narrow.total.lost, narrow.total.gained) == (2, 0))
    }

    @Test func `facts that the other policy refuses are counted by what they ask for`() throws {
        let busy = calm.when(.requested("alert"), at: "2026-03-02T10:00Z")
            .when(.delivered("alert/#3"), at: "2026-03-02T10:01Z")
            .when(.requested("reminder"), .requested("alert"), at: "2026-03-02T11:00Z")
        let report = try ask(busy, ShippedPolicies.text(of: "coachme") ?? "")
        #expect(
            report.refused.map { "\($0.count) \($0.type) \($0.kind ?? "-") \($0.first)" } == [
                "2 notice_requested alert 3", "1 job_delivered - 5", "1 notice_requested reminder 6",
            ])
        #expect(report.refused.first?.problem.contains("\"alert\" is not a kind of this policy") == true)
        #expect(report.total.lost == 3 && report.total.decided == 0)
    }

    /// What a worker says of its own jobs is never asked, so its log holds it however old the job is.
    @Test(arguments: [
        ("job_failed", #"{"job":"anna/alert/#3","channel":"push","reason":"too_late","permanent":true}"#),
        ("job_delivered", #"{"job":"anna/alert/#3","channel":"push"}"#),
        ("delivery_reported", #"{"job":"anna/alert/#3","channel":"push","status":"delivered","permanent":false}"#),
    ]) func `what became of a job is refused only where the job is lost, however late it is told`(
        type: String, data: String
    ) throws {
        var log = calm.when(.requested("alert"), at: "2026-03-02T10:00Z").log
        let told = try FactReader { _ in nil }.read(#"{"type":"\#(type)","user":"anna","data":\#(data)}"#)
        let seq = try #require(log.last).seq + 1
        log.append(Event(seq: seq, at: Instant(local: "2026-03-12T10:00Z"), user: "anna", payload: told.payload))
        for from in [nil, Instant(local: "2026-03-04T00:00Z")] {
            let same = try #require(try WhatIf.asked(log, ShippedPolicies.text(of: "standard") ?? "", from: from))
            #expect(same.refused.isEmpty && same.total.changed == 0)
        }
        let other = try #require(try WhatIf.asked(log, ShippedPolicies.text(of: "coachme") ?? ""))
        #expect(other.refused.map(\.type) == ["notice_requested", type])
    }

    @Test func `policies that the log adopts are left out`() throws {
        let document = standard(#""daily_cap": 3"#, #""daily_cap": 1"#)
        let changing = calm.when(.adopts(oneLine(document)), at: "2026-03-02T09:00Z")
            .when(.requested("alert"), at: "2026-03-02T10:00Z")
            .when(.requested("reminder"), at: "2026-03-02T11:00Z")
            .unwatched(until: "2026-03-03T12:00Z")
        let report = try ask(changing, ShippedPolicies.text(of: "standard") ?? "")
        #expect(report.kinds.first { $0.name == "reminder" }?.tally.gained == 1)
        #expect(report.refused.isEmpty)
    }

    // MARK: From and to

    @Test func `from an instant on the other policy is in force, and nothing earlier is counted`() throws {
        let eager = daily
        let later = standard(#""check_in_time": "09:00""#, #""check_in_time": "10:30""#)
        let report = try ask(eager, later, from: "2026-03-04T00:00Z")
        #expect((report.total.recorded, report.total.moved) == (2, 2))
        // What is due at that instant is decided before (T10).
        #expect(try ask(eager, later, from: "2026-03-04T09:00Z").total.moved == 1)
        #expect(try ask(eager, later, from: "2026-03-04T09:00Z").total.recorded == 2)
    }

    @Test func `what waits when the other policy comes is decided by it`() throws {
        let night = calm.when(.requested("reminder"), at: "2026-03-02T23:00Z").unwatched(until: "2026-03-03T12:00Z")
        let short = standard(#""end": "08:00""#, #""end": "06:00""#)
        let report = try ask(night, short, from: "2026-03-02T23:30Z")
        #expect((report.moves.earlier, report.moves.earlierMedianMs) == (1, 120 * 60_000))
    }

    @Test func `to an instant, included`() throws {
        let eager = daily
        let same = ShippedPolicies.text(of: "standard") ?? ""
        for (to, count) in [("2026-03-03T09:00Z", 2), (justBefore("2026-03-03T09:00Z"), 1)] {
            let report = try ask(eager, same, to: to)
            #expect((report.total.recorded, report.total.decided) == (count, count))
        }
    }

    @Test func `a log that ends before the other policy comes has no answer`() throws {
        let from = Instant(local: "2026-03-09T00:00Z")
        #expect(try WhatIf.asked(calm.log, ShippedPolicies.text(of: "standard") ?? "", from: from) == nil)
        #expect(try WhatIf.asked([], ShippedPolicies.text(of: "standard") ?? "") == nil)
    }

    // MARK: Names that hang on what was decided

    @Test func `an outcome finds the job that takes the place of the one it names`() throws {
        let patient = (ShippedPolicies.text(of: "messageai") ?? "").replacing(
            #""pause_threshold_seconds": 120"#, with: #""pause_threshold_seconds": 240"#)
        let smart = given(.enrolled(), .consent(), policy: "messageai")
            .when(.message(in: "c1", "one", mentions: true), at: "2026-03-02T10:00Z")
            // Comes between the two analyses, so that they have other numbers.
            .when(Told.opensApp.of("bert"), at: "2026-03-02T10:03Z")
            .unwatched(until: "2026-03-02T10:10Z")
        var name = ""
        smart.job { name = String($0.job.text.dropFirst("anna/".count)) }
        smart.when(.delivered(name), at: "2026-03-02T10:11Z").when(.snoozes(name, 15), at: "2026-03-02T10:12Z")
            .unwatched(until: "2026-03-02T11:00Z")
        let report = try ask(smart, patient)
        #expect(report.refused.isEmpty)
        #expect((report.total.recorded, report.total.decided, report.total.changed) == (2, 2, 1))
        #expect((report.moves.later, report.moves.laterMedianMs) == (1, 120_000))
    }

    /// What is decided about others moves the numbers of decisions along, until an earlier job has the name of a later one.
    @Test(arguments: 1...12) func `an answer is not taken for one to a job that has the same number by chance`(
        others: Int
    ) throws {
        let summing = (ShippedPolicies.text(of: "messageai") ?? "").replacing(
            #""overload": {"jobs": 10"#, with: #""overload": {"jobs": 2"#)
        let busy = given(.enrolled(), .consent(), policy: "messageai")
        // Whose summaries are due between the message to Anna and its analysis.
        for other in 0..<others {
            for conversation in 0..<4 {
                busy.when(Told.message(in: "b\(conversation)", "one").of("b\(other)"), at: "2026-03-04T09:01Z")
            }
        }
        busy.when(.message(in: "c1", "one", mentions: true), at: "2026-03-04T10:00Z")
            .unwatched(until: "2026-03-04T10:10Z")
            .when(.message(in: "c1", "two", mentions: true), at: "2026-03-04T11:00Z")
            .unwatched(until: "2026-03-04T11:10Z")
        let jobs = busy.log.compactMap { event -> String? in
            guard event.user == "anna", case .jobEmitted(let job) = event.payload else { return nil }
            return String(job.job.text.dropFirst("anna/".count))
        }
        try #require(jobs.count == 2)
        busy.when(.snoozes(jobs[0], 15), at: "2026-03-04T11:11Z").when(.snoozes(jobs[1], 15), at: "2026-03-04T11:12Z")
            .unwatched(until: "2026-03-04T12:00Z")
        let report = try ask(busy, summing)
        let whose = report.affected.map(\.user)
        #expect(whose.count == others && !whose.contains("anna"), "\(whose)")
        #expect(report.refused.isEmpty)
    }

    // MARK: Weeks

    @Test func `jobs a week are an average of all and the most that anybody had`() throws {
        let eager = given(.enrolled(), .wants(#"{"frequency":"daily"}"#), Told.enrolled().of("bert"))
            .unwatched(until: "2026-03-15T12:00Z").when(.opensApp, at: "2026-03-15T12:00Z")
        let report = try ask(
            eager, standard(#""frequency": "few_times_a_week""#, #""frequency": "weekly""#))
        #expect(report.people == 2)
        // In two weeks Anna has fourteen check-ins as she wants, Bert six, or two as that policy has it.
        #expect(report.averageRecorded == 5 && report.highestRecorded == 7)
        #expect(report.averageDecided == 4 && report.highestDecided == 7)
    }
}

private func oneLine(_ document: String) -> String { document.split(separator: "\n").joined(separator: " ") }

extension WhatIf {
    /// The answer for a whole log; a commit for each event, which is as good.
    static func asked(
        _ log: [Event], _ document: String, from: Instant? = nil, to: Instant? = nil
    ) throws -> WhatIfReport? {
        let policy = try Policy(document: document)
        var whatIf = WhatIf(
            Question(policy: policy, document: document, from: from, to: to), ShippedPlans["standard"])
        for event in log where !whatIf.take([event], at: event.at) { break }
        return whatIf.finish().report(under: policy.name.text)
    }
}
