import CivilTime
import Delivery
import Foundation
import Notices
import Testing

/// What the console's pages ask a running worker.
@Suite("Views (V1)")
struct ViewTests {
    let shell = Shell()

    private func worker(_ words: String...) throws -> (Running, WorkerDoor) {
        let worker = shell.start(["run", "--jobs", "spool:\(shell.path("spool"))"] + words)
        try worker.expectReady()
        return (worker, WorkerDoor(shell))
    }

    private func json(_ door: WorkerDoor, _ path: String) throws -> Printed {
        let answer = try #require(door.get(path), "\(path) was not answered")
        #expect(answer.status == 200, "\(path): \(answer.text)")
        return try Printed(answer.text)
    }

    @Test func `a day that has passed, today, and days that never were`() throws {
        shell.importing(Histories.anna, until: monday("22:00:00"))
        let (worker, door) = try worker()
        let day = try json(door, "v1/people/anna/day?date=2026-03-02")
        #expect(
            day.keys() == [
                "user", "date", "previous_date", "next_date", "timezone", "zones", "clock", "from", "to", "now",
                "jobs_today", "all_jobs_today", "daily_cap", "quiet", "quiet_until", "schedule", "app_open", "slots",
                "waits", "marks", "subjects", "next_wake", "through_seq",
            ])
        #expect((day["date"], day["timezone"], day["now"]) == ("2026-03-02", "Europe/Paris", "null"))
        #expect((day["from"], day["to"]) == ("2026-03-01T23:00:00.000Z", "2026-03-02T23:00:00.000Z"))
        #expect(day["quiet.0.to"] == "2026-03-02T07:00:00.000Z" && day["schedule"] == "null")
        let marks = (0..<day.count("marks")).compactMap { day["marks.\($0).type"] }
        #expect(
            marks == [
                "policy_adopted", "user_enrolled", "raised", "emitted", "raised", "held", "emitted",
                "preferences_changed", "raised",
                "gathered", "emitted", "raised", "held",
            ])
        #expect(day["marks.5.reason"] == "cooldown" && day["marks.5.until"] == "2026-03-02T10:00:00.000Z")
        #expect(day["slots.0.kind"] == "daily_digest" && day["slots.0.state"] == "fired")
        let today = try json(door, "v1/people/anna/day")
        #expect(today["now"] != "null" && today["date"] != "2026-03-02")
        for (path, status) in [
            ("v1/people/nobody/day", 404), ("v1/people/anna/day?date=2026-02-30", 400),
            ("v1/people/anna/day?date=2020-01-01", 404),
        ] {
            #expect(door.get(path)?.status == status, "\(path)")
        }
        worker.expectStopped()
    }

    @Test func `the agenda has everybody's next slots, counted by kind`() throws {
        let people = (1...40).map {
            fact("user_enrolled", user: "u\($0)", data: #"{"timezone":"Etc/UTC"}"#)
                + fact(
                    "preferences_changed", user: "u\($0)",
                    data: #"{"patch":{"frequency":"daily","quiet_hours":{"enabled":false}}}"#)
        }
        let (worker, door) = try worker()
        #expect(door.append(people.joined())?.status == 200)
        let agenda = try json(door, "v1/agenda?hours=24&step_minutes=30")
        #expect(agenda.keys() == ["from", "step_minutes", "buckets", "next"] && agenda.count("buckets") == 48)
        let counts = (0..<48).compactMap { agenda["buckets.\($0).kinds.check_in"].flatMap { Int($0) } }
        #expect(counts.reduce(0, +) == 40)
        #expect(agenda.count("next") == 40 && agenda["next.0.kind"] == "check_in")
        for (kind, named) in [("check_in", 40), ("alert", 0)] {
            let ofKind = try json(door, "v1/agenda?hours=24&step_minutes=30&kind=\(kind)")
            let counts = (0..<48).compactMap { ofKind["buckets.\($0).kinds.check_in"].flatMap { Int($0) } }
            #expect(ofKind.count("next") == named && counts.reduce(0, +) == 40, "\(kind)")
        }
        #expect(door.get("v1/agenda?kind=a%20b")?.status == 400)
        #expect(door.get("v1/agenda?hours=168&step_minutes=1")?.status == 400)
        #expect(door.get("v1/agenda?hours=0")?.status == 400)
        worker.expectStopped()
    }

    @Test func `the policy is read aloud, with the fact that adopted it, and others are checked`() throws {
        let (worker, door) = try worker("--policy", "coachme")
        let policy = try json(door, "v1/policy")
        #expect(policy.keys() == ["policy", "seq", "adopted_at", "kinds", "sentences", "shipped"])
        #expect(policy["policy.name"] == "coachme" && policy.count("shipped") == 5)
        let adopted = shell.belfry("log", "--type", "policy_adopted").lines
        #expect(policy["seq"] == (try Printed(try #require(adopted.last))["seq"]))
        #expect(try json(door, "v1/policy/standard")["name"] == "standard")
        #expect(door.get("v1/policy/nonsense")?.status == 404)
        let document = try #require(ShippedPolicies.text(of: "standard"))
        #expect(door.post("v1/policy/check", document)?.text == "{\"ok\":true,\"problems\":[],\"warnings\":[]}\n")
        let bad = door.post("v1/policy/check", #"{"name":"x","daily_cap":0,"kinds":[]}"#)
        #expect(bad?.status == 200 && bad?.text.contains(#""path":"daily_cap""#) == true)
        #expect(door.post("v1/policy/check", "[]")?.status == 400)
        worker.expectStopped()
    }

    @Test func `now says what was done in the last minute`() throws {
        let (worker, door) = try worker()
        let told =
            fact("user_enrolled", data: #"{"timezone":"\#(Noon.zone)"}"#)
            + fact("notice_requested", data: #"{"kind":"urgent"}"#)
        #expect(door.append(told)?.status == 200)
        let now = try json(door, "v1/now")
        #expect(
            now.keys() == [
                "at", "last_seq", "version", "policy", "people", "why_not_ready", "oldest_due_seconds", "due_people",
                "waiting", "carriers", "troubles", "minute", "lag",
            ])
        #expect(now["policy"] == "standard" && now["people"] == "1" && now["why_not_ready"] == "null")
        #expect((now["minute.facts"].flatMap { Int($0) } ?? 0) >= 3 && now["minute.jobs"] == "1")
        #expect(now["due_people"] == "0" && now["carriers.0.name"]?.hasPrefix("spool") == true)
        worker.expectStopped()
    }

    @Test func `another policy is held against what happened, one at a time, and what came of it can be asked for`()
        throws
    {
        shell.importing(Histories.anna, until: monday("22:00:00"))
        let (worker, door) = try worker()
        let begun = try #require(door.post("v1/what-if", #"{"policy":"coachme","to":"2026-03-02T22:00:00Z"}"#))
        #expect(begun.status == 202)
        let id = try #require(try Printed(begun.text)["id"])
        var standing = try json(door, "v1/what-if/\(id)")
        try waitForOthers {
            standing = try json(door, "v1/what-if/\(id)")
            return standing["state"] != "running"
        }
        #expect(standing["state"] == "done" && standing["progress"] == "1.0", "\(standing.text)")
        let jobs = shell.belfry("what-if", "--policy", "coachme", "--to", "2026-03-02T22:00:00Z", "--json")
        let told = try jobs.json()
        #expect(standing["report.lost"] == told["jobs.lost"] && standing["report.gained"] == told["jobs.gained"])
        #expect(standing["report.people.0.user"] == "anna")
        #expect(
            standing["report.examples.0.was"] == told["examples.0.was"]
                && standing["report.examples.0.becomes"] == "null")
        #expect(door.post("v1/what-if", #"{"policy":"nonsense"}"#)?.status == 400)
        #expect(door.post("v1/what-if", #"{"policy":{"name":"x","kinds":[{"name":"a"}]}}"#)?.status == 400)
        #expect(door.get("v1/what-if/unknown")?.status == 404)
        let behind = try #require(door.post("v1/what-if", #"{"policy":"coachme","from":"2200-01-01T00:00:00Z"}"#))
        #expect(behind.status == 400 && behind.text.contains("from: 2200-01-01T00:00:00.000Z is after"), "\(behind)")
        worker.expectStopped()
    }
}
