import Delivery
import Foundation
import Testing

@Suite("belfry retry")
struct RetryTests {
    let shell = Shell()

    /// Urgent jobs of these people, each of which has failed.
    private func failed(_ users: String...) throws -> [String] {
        let asked = users.map { fact("notice_requested", user: $0, data: #"{"kind":"urgent"}"#) }.joined()
        #expect(shell.belfry("append", input: asked).code == 0)
        let jobs = try users.map { user in
            let jobs = shell.belfry("log", "--user", user, "--type", "job_emitted")
            return try #require(try Printed(jobs.line(0))["data.job"])
        }
        let facts = zip(users, jobs).map { user, job in
            fact(
                "job_failed", user: user,
                data: #"{"job":"\#(job)","channel":"push","reason":"answered 500","permanent":true}"#)
        }
        #expect(shell.belfry("append", input: facts.joined()).code == 0)
        return jobs
    }

    private func retries() -> Int { shell.belfry("log", "--type", "job_retry_requested").lines.count }

    @Test func `what failed of a person is asked for once more, and the history shows it`() throws {
        let jobs = try failed("anna")
        let retried = shell.belfry("retry", "--user", "anna")
        #expect(
            retried
                == .done(
                    "\(jobs[0])  asked for once more", "1 job to be sent once more; the next `belfry run` sends"))
        #expect(shell.belfry("history", "--user", "anna").line(1).contains("; asked for once more "))
        #expect(shell.belfry("retry", "--user", "anna") == .done("nothing failed that could be sent once more"))
        #expect(shell.belfry("retry", "--user", "bert").code == 3)
        #expect(retries() == 1)
    }

    @Test func `a failure that happened before the delivery and is told behind it brings nothing twice (N3)`() throws {
        let asked = fact("notice_requested", user: "anna", data: #"{"kind":"urgent"}"#)
        #expect(shell.belfry("append", input: asked).code == 0)
        let job = try #require(
            try Printed(shell.belfry("log", "--user", "anna", "--type", "job_emitted").line(0))["data.job"])
        func report(_ status: String, at second: Int) -> String {
            let moment = Date(timeIntervalSinceNow: Double(second) - 60).ISO8601Format()
            let data = #"{"job":"\#(job)","channel":"push","status":"\#(status)"}"#
            return #"{"type":"delivery_reported","user":"anna","at":"\#(moment)","data":\#(data)}"# + "\n"
        }
        let taken = fact("job_delivered", user: "anna", data: #"{"job":"\#(job)","channel":"push"}"#)
        #expect(shell.belfry("append", input: taken + report("delivered", at: 20) + report("failed", at: 10)).code == 0)
        #expect(shell.belfry("history", "--user", "anna").line(1).contains("delivered"))
        let refused = shell.belfry("retry", "--job", job)
        #expect(refused.code == 1 && refused.output.contains("was delivered: there is nothing"), "\(refused)")
        let worker = shell.start(["run"])
        try worker.expectReady()
        let answer = try #require(WorkerDoor(shell).post("v1/retry", #"{"job":"\#(job)"}"#))
        #expect(answer.text.contains("was delivered: there is nothing"), "\(answer.text)")
        #expect(retries() == 0)
        // One that failed last is sent once more.
        #expect(shell.belfry("append", input: report("failed", at: 40)).code == 0)
        #expect(shell.belfry("retry", "--job", job).code == 0)
        #expect(retries() == 1)
        worker.expectStopped()
    }

    @Test func `what failed since an instant is asked for, whoever it was for`() throws {
        let jobs = try failed("anna", "bert")
        let told = shell.belfry("retry", "--failed-since", "2020-01-01T00:00:00Z", "--json")
        #expect(try told.lines.map { try Printed($0)["job"] } == jobs)
        #expect(try told.lines.allSatisfy { try Printed($0)["seq"] != nil } && told.code == 0)
        #expect(
            shell.belfry("retry", "--failed-since", "2100-01-01T00:00:00Z")
                == .done("nothing failed that could be sent once more"))
    }

    @Test func `of whom the log has erased nothing is asked for, and nothing refused`() throws {
        let jobs = try failed("anna", "bert")
        #expect(shell.belfry("erase", "--user", "anna", "--yes").code == 0)
        let told = shell.belfry("retry", "--failed-since", "2020-01-01T00:00:00Z", "--json")
        #expect(try told.lines.map { try Printed($0)["job"] } == [jobs[1]])
        #expect(told.code == 0 && retries() == 1, "\(told)")
    }

    @Test func `a worker does it over its API`() throws {
        let jobs = try failed("anna", "bert")
        let worker = shell.start(["run", "--jobs", "spool:out"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let one = try Printed(try #require(door.post("v1/retry", #"{"job":"\#(jobs[0])"}"#)).text)
        #expect((one["retried"], one["refused"], one["jobs.0.job"]) == ("1", "0", jobs[0]))
        let since = try Printed(
            try #require(door.post("v1/retry", #"{"failed_since":"2020-01-01T00:00:00Z"}"#)).text)
        #expect(since["jobs.0.job"] == jobs[1] && since.count("jobs") == 1)
        let user = try Printed(try #require(door.post("v1/retry", #"{"user":"anna"}"#)).text)
        #expect((user["retried"], user.count("jobs")) == ("0", 0))
        #expect(door.post("v1/retry", #"{"user":"nobody"}"#)?.status == 404)
        #expect(door.post("v1/retry", #"{"job":"nobody/urgent/#1"}"#)?.status == 404)
        let other = try Printed(try #require(door.post("v1/retry", #"{"job":"anna/urgent/#9"}"#)).text)
        #expect(other["refused"] == "1" && other["jobs.0.refused"]?.hasPrefix("job: ") == true, "\(other.text)")
        worker.expectStopped()
    }

    @Test func `a job of somebody whom the log does not know is sent by no command either`() throws {
        _ = try failed("anna")
        let nobody = shell.belfry("retry", "--job", "nobody/urgent/#1")
        #expect(nobody.code == 3 && nobody.errors.contains("no job has the id"), "\(nobody)")
        let other = shell.belfry("retry", "--job", "anna/urgent/#9")
        #expect(other.code == 1 && other.line(0).hasPrefix("anna/urgent/#9  refused: job: "), "\(other)")
    }

    @Test func `a sample that is asked for twice with one key is sent once`() throws {
        #expect(
            shell.belfry("append", input: fact("user_enrolled", user: "anna", data: #"{"timezone":"UTC"}"#)).code == 0)
        let worker = shell.start(["run", "--jobs", "spool:out"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let answers = try ["k1", "k1", "k2"].map { key in
            try Printed(
                try #require(door.post("v1/people/anna/test", #"{"kind":"urgent"}"#, key: key)).text)
        }
        #expect(answers[0]["duplicate"] == nil && answers[1]["duplicate"] == "true")
        #expect(answers[0]["seq"] != nil && answers[1]["seq"] == answers[0]["seq"])
        #expect(answers[0].count("decisions") == 1)
        #expect(answers[1]["decisions.0.data.job"] == answers[0]["decisions.0.data.job"])
        #expect(answers[2]["duplicate"] == nil && answers[2]["seq"] != answers[0]["seq"])
        // Of another kind under the same key, too, the answer is about the first.
        let other = try Printed(
            try #require(door.post("v1/people/anna/test", #"{"kind":"alert"}"#, key: "k1")).text)
        #expect(other["duplicate"] == "true" && other["seq"] == answers[0]["seq"])
        #expect(other["decisions.0.data.job"] == answers[0]["decisions.0.data.job"] && other.count("decisions") == 1)
        worker.expectStopped()
        #expect(shell.belfry("log", "--type", "test_requested").lines.count == 2)
    }

    @Test func `wrong usage`() {
        for (words, complaint) in [
            (["retry"], "retry takes one of --job, --user and --failed-since"),
            (["retry", "--user", "a", "--job", "b"], "retry takes one of --job, --user and --failed-since"),
            (
                ["retry", "--failed-since", "noon"],
                #"--failed-since takes an instant such as 2026-03-02T14:00:00Z, not "noon""#
            ),
            (["test", "--user", "a"], "test needs --kind"),
            (
                ["test", "--user", "a", "--kind", "b", "--channel", "pigeon"],
                #"--channel takes push, email, sms, in_app, not "pigeon""#
            ),
        ] {
            let outcome = shell.belfry(words, input: [])
            #expect(outcome.code == 2 && outcome.errorLine(0) == "belfry: " + complaint, "\(words)")
        }
    }
}
