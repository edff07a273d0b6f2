import CivilTime
import Console
import Delivery
import Foundation
import Synchronization
import Testing

/// `run-now` beside a running worker says what it says without one (SPEC §13).
@Suite("run-now beside a running worker")
struct RunNowBesideTests {
    let shell = Shell()

    private func worker() throws -> Running {
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        try worker.expectReady()
        return worker
    }

    private func enrolled(_ count: Int) -> String {
        (1...count).map { fact("user_enrolled", user: "u\($0)", data: #"{"timezone":"\#(Noon.zone)"}"#) }.joined()
    }

    private static let checkIn = ["run-now", "--kind", "check_in", "--force"]

    /// The jobs in the log, each as it prints them.
    private func logged() -> [String] { shell.belfry("log", "--type", "job_emitted", "--json").lines }

    @Test func `it prints the jobs as the log has them, those of whom it was asked for`() throws {
        let worker = try worker()
        #expect(shell.belfry("append", input: enrolled(3)).code == 0)
        let one = shell.belfry(Self.checkIn + ["--user", "u2", "--json"], input: [])
        #expect(one.code == 0, "\(one.errors)")
        #expect(one.lines == logged() && one.lines.count == 1)
        #expect(one.line(0).contains(#""user":"u2""#))
        let all = shell.belfry(Self.checkIn, input: [])
        #expect(all.lines.last == "2 jobs" || all.lines.last == "3 jobs", "\(all.output)")
        #expect(shell.belfry("run-now") == .done("nothing to send"))
        #expect(shell.belfry("run-now", "--kind", "chek_in").code == 3)
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test func `a dry run is tried by the worker, and nothing is recorded`() throws {
        let worker = try worker()
        #expect(shell.belfry("append", input: enrolled(3)).code == 0)
        let before = shell.belfry("log").lines.count
        let dry = shell.belfry(Self.checkIn + ["--dry-run"], input: [])
        #expect(dry.code == 0 && dry.lines.last == "3 jobs", "\(dry)")
        #expect(shell.belfry(Self.checkIn + ["--dry-run", "--user", "u2"], input: []).lines.last == "1 job")
        let answer = try #require(
            WorkerDoor(shell).runNow(#"{"kind":"check_in","force":true,"users":["u3"],"dry_run":true}"#))
        let told = try Printed(answer.text)
        #expect(answer.status == 200 && told["dry_run"] == "true" && told["job_count"] == "1")
        #expect(told["jobs.0.user"] == "u3" && told["first_seq"] == nil && told.count("unsent") == 0)
        #expect(shell.belfry("run-now", "--kind", "chek_in", "--dry-run").code == 3)
        #expect(shell.belfry("log").lines.count == before)
        worker.send(signal: SIGTERM)
        let end = worker.waitForEnd()
        #expect(end.code == 0)
        #expect(!shell.names(in: "spool").contains { $0.hasSuffix(".json") })
        // Without a worker the same is tried on the log.
        #expect(shell.belfry(Self.checkIn + ["--dry-run"], input: []).lines.last == "3 jobs")
        #expect(shell.belfry("log").lines.count == before)
    }

    @Test func `what was not sent is told with its reason, beside a worker and without one`() throws {
        let worker = try worker()
        let everyDay = fact(
            "preferences_changed", user: "u1", data: #"{"patch":{"frequency":"daily","check_ins_enabled":true}}"#)
        #expect(shell.belfry("append", input: enrolled(2) + everyDay).code == 0)
        let force = shell.belfry(Self.checkIn + ["--user", "u1"], input: [])
        #expect(force.lines.last == "1 job", "\(force)")
        // Held by the cooldown, or dropped: whichever the day makes it, never a bare "nothing to send".
        let kept = #/nothing to send; 1 (held \(.+, until 20.+Z\)|dropped \(.+\)|skipped \(.+\))/#
        let beside = shell.belfry("run-now", "--kind", "check_in", "--user", "u1")
        #expect(beside.lines.last?.wholeMatch(of: kept) != nil, "\(beside)")
        let toMachines = #/\{"seq":[0-9]+,.*"type":"(notice_held|notice_dropped|slots_skipped)","user":"u1",.*/#
        let told = shell.belfry("run-now", "--kind", "check_in", "--user", "u1", "--json")
        // The one that waited gives way to the next, which waits in its place.
        #expect(!told.lines.isEmpty && told.lines.allSatisfy { $0.wholeMatch(of: toMachines) != nil }, "\(told)")
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        let dry = shell.belfry("run-now", "--kind", "check_in", "--user", "u1", "--dry-run", "--json")
        #expect(!dry.lines.isEmpty && dry.lines.allSatisfy { $0.wholeMatch(of: toMachines) != nil }, "\(dry)")
        let test = shell.belfry("test", "--user", "u1", "--kind", "check_in", "--channel", "sms", "--json")
        #expect(test.code == 1 && test.line(0).contains(#""reason":"no_channel""#), "\(test)")
        let alone = shell.belfry("run-now", "--kind", "check_in", "--user", "u1")
        #expect(alone.lines.last?.contains(#/^nothing to send; [0-9]+ (held|dropped|skipped)/#) == true, "\(alone)")
    }

    /// People for whom it is night all day.
    private func quiet(_ count: Int) -> String {
        enrolled(count)
            + (1...count).map {
                fact(
                    "preferences_changed", user: "u\($0)",
                    data: #"{"patch":{"quiet_hours":{"start":"00:00","end":"23:59"}}}"#)
            }.joined()
    }

    @Test func `machines are told of everybody what was not sent, and the answer says why`() throws {
        let worker = try worker()
        #expect(shell.belfry("append", input: quiet(4)).code == 0)
        let answer = try #require(WorkerDoor(shell).runNow(#"{"kind":"check_in","users":["u4"]}"#))
        let run = try Printed(answer.text)
        #expect(run["job_count"] == "0" && run["unsent_count"] == "1" && run["dry_run"] == nil, "\(answer.text)")
        #expect(run["unsent.0.user"] == "u4" && run["unsent.0.type"] == "notice_held")
        #expect(run.count("withheld") == 1 && run["withheld.0.type"] == "notice_held")
        #expect(run["withheld.0.reason"] == "quiet_hours" && run["withheld.0.count"] == "1")
        #expect(run["withheld.0.first_until"] == run["unsent.0.data.until"] && run["first_seq"] != nil)
        let told = shell.belfry("run-now", "--kind", "check_in", "--json")
        let held = try told.lines.map { try Printed($0) }.filter { $0["type"] == "notice_held" }
        #expect(Set(held.compactMap { $0["user"] }).isSuperset(of: ["u1", "u2", "u3"]), "\(told)")
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test func `a dry run counts all that it does not list, beside a worker and without one`() throws {
        let worker = try worker()
        #expect(shell.belfry("append", input: quiet(1203)).code == 0)
        let words = ["run-now", "--kind", "check_in", "--dry-run"]
        let beside = shell.belfry(words, input: [])
        #expect(beside.lines.last?.hasPrefix("nothing to send; 1203 held (quiet hours, until ") == true, "\(beside)")
        let listed = shell.belfry(words + ["--json"], input: [])
        #expect(listed.code == 0 && listed.lines.count == 1000)
        #expect(listed.errors.contains("; 203 more are not printed"), "\(listed.errors)")
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        #expect(shell.belfry(words, input: []).lines.last == beside.lines.last)
        #expect(shell.belfry(words + ["--json"], input: []).lines.count == 1203)
    }

    @Test func `more jobs than an answer lists are all printed, and the answer says where they are`() throws {
        let worker = try worker()
        #expect(shell.belfry("append", input: enrolled(1203)).code == 0)
        let outcome = shell.belfry(Self.checkIn + ["--json"], input: [])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == 1203)
        #expect(outcome.lines == logged())
        let more = enrolled(2406).split(separator: "\n").suffix(1203).joined(separator: "\n") + "\n"
        #expect(shell.belfry("append", input: more).code == 0)
        let order =
            #"{"kind":"check_in","force":true,"users":[\#((1204...2203).map { "\"u\($0)\"" }.joined(separator: ","))]}"#
        let answer = try #require(WorkerDoor(shell).runNow(order))
        let printed = try Printed(answer.text)
        #expect(printed["job_count"] == "1000")
        let everybody = try #require(WorkerDoor(shell).runNow(#"{"kind":"check_in","force":true}"#))
        let all = try Printed(everybody.text)
        #expect(Int(all["job_count"] ?? "") ?? 0 >= 203)
        #expect((UInt64(all["last_seq"] ?? "") ?? 0) > (UInt64(all["first_seq"] ?? "") ?? .max))
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    // MARK: A worker that does not do it

    /// Answers orders as it was told to, and everything else as a worker that is well.
    private func door(_ answers: [HTTPResponse]) throws -> (server: HTTPServer, asked: Asked) {
        try shell.makeDirectory("events/log")
        let asked = Asked()
        let handler = HTTPHandler { request, _, reply in
            guard request.method == "POST" else { return reply(HTTPResponse(status: 200)) }
            reply(answers[min(asked.count.add(1, ordering: .relaxed).oldValue, answers.count - 1)])
        }
        let server = try HTTPServer(
            on: .unix(shell.path("events/log/belfry.sock")), limits: HTTPLimits(),
            clocks: HTTPClocks(passing: { SuspendingClock.now }, wall: { Instant(milliseconds: 0) }),
            handler: handler)
        return (server, asked)
    }

    private final class Asked: Sendable {
        let count = Atomic(0)
    }

    private func answer(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders([("Retry-After", "1")]), body: Array(body.utf8))
    }

    private static let done = #"{"jobs":[],"job_count":0,"events":0,"first_seq":4,"last_seq":3}"#

    @Test func `a busy worker is asked again`() throws {
        let (server, asked) = try door([answer(503, #"{"error":"the worker is busy"}"#), answer(200, Self.done)])
        #expect(shell.belfry("run-now") == .done("nothing to send"))
        #expect(asked.count.load(ordering: .relaxed) == 2)
        server.stop(within: .zero)
    }

    @Test func `what one of an older version lists without counting it is counted here`() throws {
        func held(_ user: String, until hour: String) -> String {
            let data =
                "{\"notice\":\"\(user)/check_in/1\",\"reason\":\"quiet_hours\",\"until\":\"2026-03-03T\(hour):00:00.000Z\"}"
            return
                "{\"seq\":4,\"at\":\"2026-03-02T22:00:00.000Z\",\"type\":\"notice_held\",\"user\":\"\(user)\",\"data\":\(data)}"
        }
        let listed = "[\(held("anna", until: "08")),\(held("bob", until: "07"))]"
        let (server, _) = try door([
            answer(200, "{\"jobs\":[],\"job_count\":0,\"unsent\":\(listed),\"unsent_count\":2,\"dry_run\":true}")
        ])
        let ends = "until 2026-03-03T07:00:00.000Z at the earliest, 2026-03-03T08:00:00.000Z at the latest"
        #expect(shell.belfry("run-now", "--dry-run") == .done("nothing to send; 2 held (quiet hours, \(ends))"))
        server.stop(within: .zero)
    }

    @Test func `whom retention would erase is told as the worker counts them`() throws {
        let erased =
            #"{"seq":4,"at":"2026-03-02T22:00:00.000Z","type":"person_erased","user":"anna","data":{"derived":true}}"#
        let report =
            #"{"jobs":[],"job_count":0,"unsent":[],"unsent_count":0,"erased":[\#(erased)],"erased_count":3,"dry_run":true}"#
        let (server, _) = try door([answer(200, report), answer(200, report)])
        let whom = "whom the policy keeps no longer (retention)"
        #expect(
            shell.belfry("run-now", "--dry-run")
                == .done("nothing to send; 3 people would be erased for ever, \(whom)"))
        let each = shell.belfry("run-now", "--dry-run", "--json")
        #expect(each.lines == [erased] && each.errors.contains("2 more are not printed"))
        server.stop(within: .zero)
    }

    @Test func `one that may have done it is not asked again`() throws {
        let (server, asked) = try door([answer(503, #"{"error":"it is stopping","in_doubt":true}"#)])
        #expect(shell.belfry("run-now") == .failed(5, "it is stopping; `belfry log` shows what was decided"))
        #expect(asked.count.load(ordering: .relaxed) == 1)
        server.stop(within: .zero)
    }

    @Test func `facts that it may have taken are not sent again either`() throws {
        let (server, asked) = try door([answer(503, #"{"error":"it is stopping","in_doubt":true}"#)])
        let outcome = shell.belfry("append", input: fact())
        #expect(outcome.code == 5)
        #expect(
            outcome.errors.contains(". Of no line is it known what became of it. Send it again; "), "\(outcome.errors)")
        #expect(asked.count.load(ordering: .relaxed) == 1)
        server.stop(within: .zero)
    }
}
