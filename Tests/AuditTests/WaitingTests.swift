import Audit
import CivilTime
import Testing

@Suite("P20, as the judge sees it")
struct WaitingTests {
    private static let night = "2026-03-02T23:00:00Z"
    private static let morning = "2026-03-03T08:00:00Z"
    private static let halfAnHourLater = "2026-03-03T08:30:00Z"
    private static let note = "anna/reminder/#2"
    private static let digest = "anna/daily_digest/2026-03-03T18:00"

    /// A reminder in the night, and what comes after.
    private func night(_ after: Step..., ending: Ending = .anywhere) throws -> [String] {
        try History(Policies.standard, [enrolled(), requested(Self.night)] + after).found(ending)
    }

    private static let hold = held(night, note, until: morning)

    @Test func `a hold ends as a job or a drop at its time`() throws {
        let later = skipped("2026-03-03T09:00:00Z", "check_in", "2026-03-02T09:00", "2026-03-02T09:00", 1)
        let end = skipped("2026-03-03T09:00:00.001Z", "daily_digest", "2026-03-02T18:00", "2026-03-02T18:00", 1)
        #expect(try night(Self.hold, job(Self.morning, Self.note), later, end) == [])
        #expect(try night(Self.hold, dropped(Self.morning, Self.note, "expired"), later, end) == [])
        #expect(try night(Self.hold, later, end).contains("waiting 3"))
        #expect(try night(Self.hold, later).contains("waiting 3"))
    }

    @Test func `what happens at one instant happens in some order`() throws {
        // The alert comes first by its priority; the reminder, due as well, right behind it.
        let alert = requested("2026-03-03T08:00:00Z", "alert")
        let first = job(Self.morning, "anna/alert/#4")
        #expect(try night(Self.hold, alert, first, job(Self.morning, Self.note)) == [])
        // But not at the next: then the hold was passed over.
        #expect(try night(Self.hold, alert, first, job("2026-03-03T08:00:00.001Z", Self.note)) == ["waiting 3"])
    }

    @Test(arguments: [
        ("2026-03-03T07:59:59.999Z", true), ("2026-03-03T08:00:00.000Z", false), ("2026-03-03T08:00:00.001Z", false),
    ]) func `at the end of the log a hold may wait for what is to come`(until: String, isClean: Bool) throws {
        let ending = Ending.decided(until: try Instant(rfc3339: until))
        #expect(try night(Self.hold, ending: ending) == (isClean ? [] : ["waiting 3"]))
    }

    @Test func `a worker that went on for a minute has decided what was due`() throws {
        let others = { (at: String) in
            dropped(at, "bert/check_in/2026-03-03T08:00", "settled").about("bert")
        }
        #expect(try night(Self.hold, others("2026-03-03T08:00:59.999Z"), ending: .worked) == [])
        #expect(try night(Self.hold, others("2026-03-03T08:01:00.000Z"), ending: .worked) == ["waiting 3"])
        // Facts that were appended with no worker running decide nothing.
        let opened = fact("2026-03-09T08:00:00Z", "app_opened")
        #expect(try night(Self.hold, opened, ending: .worked) == [])
    }

    @Test func `a notice that was asked for is considered at once`() throws {
        let other = job("2026-03-02T23:30:00Z", "anna/urgent/#3", "critical")
        let asked = requested("2026-03-02T23:30:00Z", "urgent")
        #expect(try night(asked, other) == ["waiting 2"])
        #expect(try night(ending: .decided(until: Instant(rfc3339: Self.night))) == ["waiting 2"])
        #expect(try night(ending: .decided(until: Instant(rfc3339: "2026-03-02T22:59:59.999Z"))) == [])
    }

    @Test func `a notice ends once`() throws {
        let out = job(Self.morning, Self.note)
        #expect(try night(Self.hold, out, dropped(Self.morning, Self.note, "expired")) == ["endings 5"])
        let cooling = held(Self.morning, Self.note, until: Self.halfAnHourLater, "cooldown")
        #expect(try night(Self.hold, out, cooling) == ["endings 5"])
        let twice = job(Self.morning, Self.note, notices: [Self.note, Self.note])
        #expect(try night(Self.hold, twice) == ["endings 4"])
    }

    @Test func `decisions are about notices that were raised`() throws {
        #expect(try night(Self.hold, dropped(Self.night, "anna/reminder/#1", "expired")).contains("raised 4"))
        #expect(try night(Self.hold, dropped(Self.night, "anna/alert/#2", "expired")).contains("raised 4"))
        #expect(try night(Self.hold, dropped(Self.night, "anna/reminder/goal:g/#2", "expired")).contains("raised 4"))
        #expect(try night(Self.hold, dropped(Self.night, "bert/reminder/#2", "expired")).contains("names 4"))
        #expect(try night(Self.hold, dropped(Self.night, "anna/reminder", "expired")).contains("names 4"))
    }

    @Test func `a hold ends later, and is recorded again only when it changed`() throws {
        #expect(try night(held(Self.night, Self.note, until: Self.night)) == ["holds 3", "waiting 3"])
        let again = held("2026-03-02T23:30:00Z", Self.note, until: Self.morning)
        #expect(try night(Self.hold, again) == ["holds 4"])
        let sooner = held("2026-03-02T23:30:00Z", Self.note, until: "2026-03-03T07:00:00Z")
        let wish = wants(#"{"quiet_hours":{"end":"07:00"}}"#, at: "2026-03-02T23:30:00Z")
        #expect(try night(Self.hold, wish, sooner) == [])
    }

    @Test func `a hold is for a reason that there is, and as long as it lasts`() throws {
        #expect(try night(held(Self.night, Self.note, until: "2026-03-02T23:00:00.001Z")) == ["holds 3"])
        #expect(try night(held(Self.night, Self.note, until: "2026-03-03T07:59:59.999Z")) == ["holds 3"])
        #expect(try night(held(Self.night, Self.note, until: "2026-03-03T08:00:00.001Z")) == ["holds 3"])
        #expect(try night(held(Self.night, Self.note, until: Self.morning, "cooldown")) == ["holds 3"])
        #expect(try night(held(Self.night, Self.note, until: Self.morning, "outside_schedule")) == ["holds 3"])
        #expect(try night(held(Self.night, Self.note, until: "2026-03-03T00:00:00Z", "daily_cap")) == ["holds 3"])
        func noon(_ wish: String, until: String, _ reason: String) throws -> [String] {
            let noon = "2026-03-02T12:00:00Z"
            return try History(
                enrolled(), wants(wish), requested("2026-03-02T11:45:00Z"),
                job("2026-03-02T11:45:00Z", "anna/reminder/#3"),
                requested(noon), held(noon, "anna/reminder/#5", until: until, reason)
            ).found()
        }
        #expect(try noon("{}", until: "2026-03-02T12:15:00Z", "cooldown") == [])
        #expect(try noon("{}", until: "2026-03-02T12:30:00Z", "cooldown") == ["holds 6"])
        #expect(try noon("{}", until: "2026-03-02T12:15:00Z", "quiet_hours") == ["holds 6"])
        let siesta = #"{"quiet_hours":{"start":"12:00","end":"14:00"}}"#
        #expect(try noon(siesta, until: "2026-03-02T14:00:00Z", "quiet_hours") == [])
        #expect(try noon(siesta, until: "2026-03-03T08:00:00Z", "quiet_hours") == ["holds 6"])
        let hours = #"{"schedule":{"mon":[["09:00","12:00"],["15:00","16:00"]]}}"#
        #expect(try noon(hours, until: "2026-03-02T15:00:00Z", "outside_schedule") == [])
        #expect(try noon(hours, until: "2026-03-02T16:00:00Z", "outside_schedule") == ["holds 6"])
        #expect(try noon(hours, until: "2026-03-09T09:00:00Z", "outside_schedule") == ["holds 6"])
    }

    @Test func `each decision has its words`() throws {
        #expect(try night(held(Self.night, Self.note, until: Self.morning, "digest_mode")) == ["words 3"])
        #expect(try night(gathered(Self.night, Self.note, into: Self.digest, "cooldown")) == ["words 3"])
        #expect(try night(dropped(Self.night, Self.note, "outside_schedule")) == ["words 3"])
        #expect(try night(dropped(Self.night, Self.note, "quiet_hours")) == [])
    }

    // MARK: Digests

    private func waiting(_ after: Step..., until: String) throws -> [String] {
        let steps = [
            enrolled(), requested("2026-03-03T12:00:00Z"),
            gathered("2026-03-03T12:00:00Z", Self.note, into: Self.digest),
        ]
        return try History(Policies.standard, steps + after).found(.decided(until: Instant(rfc3339: until)))
    }

    private static let evening = "2026-03-03T18:00:00Z"
    private static let told = job(evening, digest, notices: [digest, note])

    @Test func `what was gathered ends in its digest`() throws {
        #expect(try waiting(Self.told, until: Self.evening) == [])
        #expect(try waiting(until: "2026-03-03T17:59:59Z") == [])
        #expect(try waiting(until: "2026-03-06T00:00:00Z") == ["waiting 3"])
        #expect(try waiting(job(Self.evening, Self.digest), until: Self.evening) == ["waiting 4"])
        #expect(try waiting(dropped(Self.evening, Self.note, "expired"), until: Self.evening) == [])
    }

    @Test func `what was gathered neither goes out alone nor is held`() throws {
        #expect(try waiting(job(Self.evening, Self.note), until: Self.evening) == ["bundles 4"])
        #expect(
            try waiting(held(Self.evening, Self.note, until: Self.morning), until: Self.evening).contains("endings 4"))
        let next = "anna/daily_digest/2026-03-04T18:00"
        #expect(try waiting(gathered(Self.evening, Self.note, into: next, "daily_cap"), until: Self.evening) == [])
        #expect(
            try waiting(gathered(Self.evening, Self.note, into: "anna/alert/#9"), until: Self.evening) == ["waiting 4"])
    }

    @Test func `a digest that is stopped for good takes with it what was gathered`() throws {
        let stopped = { (reason: String) in dropped(Self.evening, Self.digest, reason) }
        let its = dropped(Self.evening, Self.note, "no_channel")
        #expect(try waiting(stopped("no_channel"), its, until: Self.evening) == [])
        #expect(try waiting(its, stopped("no_channel"), until: Self.evening) == [])
        #expect(try waiting(stopped("no_channel"), until: Self.evening) == ["waiting 4"])
        // On a full day it stays for the next one.
        #expect(try waiting(stopped("daily_cap"), until: "2026-03-04T17:59:59Z") == [])
        #expect(try waiting(stopped("daily_cap"), until: "2026-03-06T00:00:00Z") == ["waiting 3"])
    }

    @Test func `while a digest is held what it tells waits`() throws {
        let hours = wants(#"{"schedule":{"mon":[["08:00","09:00"]]}}"#, at: Self.evening)
        let hold = held(Self.evening, Self.digest, until: "2026-03-09T08:00:00Z", "outside_schedule")
        #expect(try waiting(hours, hold, until: "2026-03-09T07:59:59Z") == [])
        #expect(try waiting(hours, hold, until: "2026-03-09T08:00:00Z").contains("waiting 5"))
    }

    @Test func `nothing is gathered into what has ended, or told without having been gathered`() throws {
        let late = [requested(Self.evening), gathered(Self.evening, "anna/reminder/#5", into: Self.digest)]
        #expect(try waiting(Self.told, late[0], late[1], until: Self.evening) == ["waiting 6"])
        let fresh = requested(Self.evening)
        let uninvited = job(Self.evening, Self.digest, notices: [Self.digest, Self.note, "anna/reminder/#4"])
        #expect(try waiting(fresh, uninvited, until: Self.evening) == ["bundles 5"])
    }
}
