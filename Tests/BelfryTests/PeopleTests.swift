import Foundation
import Notices
import Testing

@Suite("belfry people")
struct PeopleTests {
    let shell = Shell()

    private let history =
        Histories.anna + fact("user_enrolled", user: "bert", at: monday("21:31:00"), data: #"{"timezone":"UTC"}"#)
        + fact("preferences_changed", user: "bert", at: monday("21:32:00"), data: #"{"patch":{"enabled":false}}"#)
        + fact(
            "user_enrolled", user: "anton", at: monday("21:33:00"), data: #"{"timezone":"Asia/Tokyo","name":"Anton"}"#)

    private func people(_ words: String...) -> Outcome { shell.belfry(["people"] + words, input: []) }

    private func ids(_ words: String...) throws -> [String?] {
        try shell.belfry(["people", "--json"] + words, input: []).lines.map { try Printed($0)["user"] }
    }

    @Test func `whom the log knows is listed as it met them, with what waits`() throws {
        shell.importing(history, until: monday("22:00:00"))
        #expect(try ids() == ["anna", "bert", "anton"])
        let anna = try Printed(shell.belfry("people", "--json").line(0))
        #expect(
            anna.keys() == [
                "user", "name", "timezone", "last_active", "next_wake", "held", "gathered", "snoozed",
            ])
        #expect((anna["name"], anna["timezone"], anna["held"]) == ("Anna", "Europe/Paris", "1"))
        #expect(anna["next_wake"] == "2026-03-03T07:00:00.000Z")
        let table = people()
        #expect(table.lines.count == 3)
        #expect(
            table.line(0)
                == "anna (Anna)    last active 2026-03-02T09:00:00.000Z  next wake 2026-03-03T07:00:00.000Z  1 held")
    }

    @Test func `pages, prefixes and states`() throws {
        shell.importing(history, until: monday("22:00:00"))
        #expect(try ids("--prefix", "an") == ["anna", "anton"])
        #expect(try ids("--limit", "2") == ["anna", "bert"])
        #expect(people("--limit", "2").lines.last == "there may be more: --after bert goes on")
        #expect(try ids("--limit", "2", "--after", "bert") == ["anton"])
        #expect(try ids("--with", "waiting") == ["anna"])
        #expect(try ids("--with", "opted_out") == ["bert"])
        #expect(people("--with", "snoozed").lines == ["nobody of whom that is true"])
        #expect(people("--after", "nobody") == .failed(3, #"after: "nobody" is nobody known here"#))
        for (words, complaint) in [
            (
                ["--with", "money"],
                #"--with takes waiting, snoozed, failed, opted_out, unreachable, warned, not "money""#
            ), (["--limit", "0"], #"--limit takes a number from 1 to 1000, not "0""#),
            (["--prefix", "a b"], #"--prefix takes \#(Identifier.allowed), not "a b""#),
            (["--after", "a b"], #"--after takes \#(Identifier.allowed), not "a b""#),
        ] {
            let outcome = shell.belfry(["people"] + words, input: [])
            #expect(outcome.code == 2 && outcome.errorLine(0) == "belfry: " + complaint)
        }
    }

    @Test func `who had a job that got through nowhere is found in the log`() throws {
        // The machine's clock counts the days back, so these are of now.
        let now = ["anna", "bert"].map { fact("notice_requested", user: $0, data: #"{"kind":"urgent"}"#) }.joined()
        #expect(shell.belfry("append", input: now).code == 0)
        let jobs = try ["anna", "bert"].map { user in
            let jobs = shell.belfry("log", "--user", user, "--type", "job_emitted")
            return try #require(try Printed(jobs.line(0))["data.job"])
        }
        func failed(_ job: String) -> String {
            fact(
                "job_failed", user: String(job.prefix { $0 != "/" }),
                data: #"{"job":"\#(job)","channel":"push","reason":"gone","permanent":true}"#)
        }
        #expect(shell.belfry("append", input: jobs.map(failed).joined()).code == 0)
        #expect(try ids("--with", "failed") == ["anna", "bert"])
        let taken = fact("job_delivered", user: "anna", data: #"{"job":"\#(jobs[0])","channel":"email"}"#)
        #expect(shell.belfry("append", input: taken).code == 0)
        #expect(try ids("--with", "failed") == ["bert"])
        #expect(try ids("--with", "failed", "--limit", "1", "--after", "bert") == [])
        // A page that ended with somebody who is well again still goes on.
        #expect(try ids("--with", "failed", "--after", "anna") == ["bert"])
    }

    @Test func `a running worker answers the same`() throws {
        shell.importing(history, until: monday("22:00:00"))
        let alone = shell.belfry("people", "--json", "--prefix", "b")
        let worker = shell.start(["run", "--jobs", "spool:out"])
        try worker.expectReady()
        #expect(shell.belfry("people", "--json", "--prefix", "b") == alone)
        #expect(people("--after", "nobody") == .failed(3, #"after: "nobody" is nobody known here"#))
        worker.expectStopped()
    }

    @Test func `a stranger's state points at the list`() {
        shell.importing(Histories.anna)
        #expect(
            shell.belfry("state", "--user", "bert")
                == .failed(3, "the log holds nothing about \"bert\"; `belfry people` lists whom it knows"))
    }
}
