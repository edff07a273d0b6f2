import CivilTime
import Notices
import Simulation
import Testing

/// SPEC §3, "a change can be tried".
@Suite("§3, a change that is tried")
struct PreferenceTrialTests {
    private func trial(
        _ patch: String, after scenario: Scenario, at text: String
    ) throws -> PreferenceTrial {
        var change = PreferencesChanged()
        change.patch = try PreferencesPatch(reading: patch)
        return try scenario.trial(of: .preferencesChanged(change), at: text)
    }

    private func fates(_ trial: PreferenceTrial) -> [String] {
        trial.waiting.map { "\($0.notice) \($0.fate)" }
    }

    private var night: Scenario {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), .requested("alert"), at: "2026-03-02T23:00Z")
            .then(
                "held reminder/#3 until 2026-03-03T08:00Z quiet_hours",
                "held alert/#5 until 2026-03-03T08:00Z quiet_hours")
    }

    @Test func `it gives the document, every change in a sentence and every warning`() throws {
        let trial = try trial(
            #"{"check_ins_enabled":true,"check_in_time":"23:00"}"#, after: night, at: "2026-03-02T23:30Z")
        #expect(trial.document["check_in_time"] == .string("23:00"))
        #expect(trial.document["timezone"] == .string("UTC"))
        #expect(
            trial.changes.map(\.sentence) == [
                "Turns on check-ins", "Check-ins come at 23:00 instead of 09:00",
            ])
        #expect(
            trial.warnings.map(\.sentence) == [
                "your quiet hours overlap with the check-in time 23:00 on Monday, Wednesday and Friday: check-ins wait until they end at 08:00"
            ])
        #expect(fates(trial) == [])
    }

    @Test func `what waits is dropped, held otherwise or released as the change would have it`() throws {
        let dropped = try trial(#"{"kinds":{"reminder":{"enabled":false}}}"#, after: night, at: "2026-03-02T23:30Z")
        #expect(fates(dropped) == ["anna/reminder/#3 dropped(Notices.Reason.kindOff)"])
        let held = try trial(#"{"quiet_hours":{"end":"09:00"}}"#, after: night, at: "2026-03-02T23:30Z")
        #expect(
            held.waiting.map(\.fate)
                == Array(
                    repeating: .held(until: Instant(local: "2026-03-03T09:00Z"), .quietHours), count: 2))
        let released = try trial(#"{"quiet_hours":{"enabled":false}}"#, after: night, at: "2026-03-02T23:30Z")
        #expect(released.waiting.map(\.fate) == [.released([.push]), .released([.push])])
        let gathered = try trial(
            #"{"digest_mode":true,"quiet_hours":{"enabled":false}}"#, after: night, at: "2026-03-02T23:30Z")
        #expect(
            gathered.waiting.map(\.fate) == [
                .gathered(into: "anna/daily_digest/2026-03-03T18:00", .digestMode), .released([.push]),
            ])
    }

    @Test func `what was gathered and would be left out of its digest is told as well`() throws {
        let scenario = given(.enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z")
            .then("gathered reminder/#4 into daily_digest/2026-03-02T18:00 digest_mode")
        let off = try trial(#"{"kinds":{"reminder":{"enabled":false}}}"#, after: scenario, at: "2026-03-02T10:00Z")
        #expect(off.waiting.map(\.fate) == [.droppedFromDigest(.kindOff)])
        // Digest mode or not, it waits for the digest it was gathered for.
        #expect(
            try trial(#"{"digest_mode":false}"#, after: scenario, at: "2026-03-02T10:00Z").waiting.isEmpty)
        scenario.later(at: "2026-03-02T18:00Z")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#4) [push] {notices 1}")
    }

    @Test func `a repeat that came late and is held waits as well (S1)`() throws {
        let scenario = given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T21:30Z").then("emitted reminder/#3 [push]")
            .when(.snoozes("reminder/#3", 15), at: "2026-03-02T21:30Z")
            .asleep(until: "2026-03-03T03:10Z").then("held reminder/#3~1 until 2026-03-03T08:00Z quiet_hours")
        func waiting(_ patch: String) throws -> [PreferenceTrial.Waiting] {
            try trial(patch, after: scenario, at: "2026-03-03T03:20Z").waiting
        }
        let dropped = try waiting(#"{"kinds":{"reminder":{"enabled":false}}}"#)
        #expect(dropped.map(\.notice) == ["anna/reminder/#3~1"] && dropped.map(\.kind) == ["reminder"])
        #expect(dropped.map(\.fate) == [.dropped(.kindOff)])
        let held = try waiting(#"{"quiet_hours":{"end":"09:00"}}"#)
        #expect(held.map(\.fate) == [.held(until: Instant(local: "2026-03-03T09:00Z"), .quietHours)])
        #expect(try waiting(#"{"quiet_hours":{"enabled":false}}"#).map(\.fate) == [.released([.push])])
        #expect(try waiting(#"{"digest_mode":true}"#).isEmpty)
    }

    @Test func `a journey moves holds, and is one of the changes`() throws {
        let trial = try trial(#"{"timezone":"Europe/Paris"}"#, after: night, at: "2026-03-02T23:30Z")
        #expect(trial.changes.map(\.path) == ["timezone"])
        #expect(trial.document["timezone"] == .string("Europe/Paris"))
        #expect(
            trial.waiting.allSatisfy { $0.fate == .held(until: Instant(local: "2026-03-03T08:00+01:00"), .quietHours) })
        #expect(trial.waiting.count == 2)
    }

    @Test func `nothing of it is recorded, and what it tells is what happens`() throws {
        let scenario = night
        let before = scenario.log.count
        let told = try trial(#"{"kinds":{"reminder":{"enabled":false}}}"#, after: scenario, at: "2026-03-02T23:30Z")
        #expect(fates(told) == ["anna/reminder/#3 dropped(Notices.Reason.kindOff)"])
        #expect(scenario.log.count == before)
        scenario.when(.wants(#"{"kinds":{"reminder":{"enabled":false}}}"#), at: "2026-03-02T23:30Z")
            .then("dropped reminder/#3 kind_off")
    }

    @Test func `what would be refused is refused`() throws {
        #expect(throws: FieldError.self) {
            _ = try trial(#"{"kinds":{"remindr":{"enabled":false}}}"#, after: night, at: "2026-03-02T23:30Z")
        }
    }
}
