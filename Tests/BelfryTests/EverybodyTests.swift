import Delivery
import Foundation
import Testing

/// What is asked of everybody, where several workers share the partitions (`M3`): as one process would answer it, or not at all.
@Suite("Questions about everybody over several workers", .withDatabase)
struct EverybodyTests {
    let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    /// Forty people over two workers; an urgent notice of each second one, of which some fail.
    private func town(_ name: String, lease: Int = 20) throws -> (url: String, one: Running, other: Running) {
        let url = try bench.cluster(name)
        let (one, other) = (try bench.worker(url, "one", lease: lease), try bench.worker(url, "other", lease: lease))
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...40), "one")
        let urgent = stride(from: 1, through: 40, by: 2).map { user in
            fact("notice_requested", user: "u\(user)", id: "r\(user)", data: #"{"kind":"urgent","title":"t"}"#)
        }
        bench.append(urgent.joined(), "other")
        return (url, one, other)
    }

    @Test(.timeLimit(.minutes(3))) func `lists and figures are those of all, whichever worker is asked`() throws {
        let (url, one, other) = try town("whole")
        bench.export(url, to: "exported")
        let alone = shell.belfry(
            ["people", "--limit", "1000", "--data", "exported"] + ClusterBench.keyOption, input: [])
        #expect(alone.lines.count == 40)
        for data in ["one", "other"] {
            let people = shell.belfry("people", "--limit", "1000", "--data", data)
            #expect(people.code == 0 && people.output == alone.output, "\(people)")
            try expectPages(data, alone.lines)
            try expectFigures(data)
            let door = WorkerDoor(shell, data: data)
            // Whatever day it is, a check-in comes within a week.
            let agenda = try Printed(try #require(door.get("v1/agenda?hours=168")).text)
            let due = (0..<168).compactMap { Int(agenda["buckets.\($0).people"] ?? "") }.reduce(0, +)
            #expect(due >= 40, "\(agenda)")
            #expect((0..<40).allSatisfy { agenda["next.\($0).cause"] == "slot" }, "\(agenda)")
            let policy = try #require(door.get("v1/policy"))
            #expect(policy.status == 200 && policy.text.contains(#""standard""#))
        }
        expectHeads(url)
        one.expectStopped()
        other.expectStopped()
    }

    @Test(.timeLimit(.minutes(3))) func `a sample is sent and told of at whichever worker it is asked for`() throws {
        let url = try bench.cluster("samples")
        let (one, other) = (try bench.worker(url, "one"), try bench.worker(url, "other"))
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...4), "one")
        for user in 1...4 {
            for data in ["one", "other"] {
                let words = ["test", "--user", "u\(user)", "--kind", "urgent", "--data", data]
                let told = shell.belfry(words, input: [])
                #expect(told.code == 0 && told.lines.last == "1 job" && told.errors == "", "\(told)")
            }
            let history = shell.belfry(["history", "--user", "u\(user)", "--json", "--data", "one"], input: [])
            #expect(history.output.components(separatedBy: #""test":true"#).count == 3, "\(history)")
        }
        let nobody = shell.belfry(["test", "--user", "nobody", "--kind", "urgent", "--data", "one"], input: [])
        #expect(nobody.code == 3 && nobody.output == "", "\(nobody)")
        one.expectStopped()
        other.expectStopped()
    }

    /// Page by page nobody is missing and nobody there twice.
    private func expectPages(_ data: String, _ all: [String]) throws {
        func users(_ lines: [String]) -> [String] {
            lines.filter { !$0.hasPrefix("there may be more") }.map { String($0.prefix { $0 != " " }) }
        }
        var (found, after): ([String], String?) = ([], nil)
        for _ in 0..<8 {
            let page = shell.belfry(
                ["people", "--limit", "7", "--data", data] + (after.map { ["--after", $0] } ?? []), input: [])
            found += users(page.lines)
            after = found.last
            guard page.lines.last?.hasPrefix("there may be more") == true else { break }
        }
        #expect(found == users(all))
        let unknown = shell.belfry("people", "--after", "nobody", "--data", data)
        #expect(unknown.code == 3 && unknown.errors.contains("is nobody known here"), "\(unknown)")
    }

    private func expectFigures(_ data: String) throws {
        for grouping in ["day", "kind", "channel"] {
            let words = ["stats", "--by", grouping, "--json", "--data"]
            let (together, alone) = (
                shell.belfry(words + [data], input: []),
                shell.belfry(words + ["exported"] + ClusterBench.keyOption, input: [])
            )
            // What became of jobs may have been recorded since; how many were raised was not.
            #expect(together.code == 0 && alone.code == 0, "\(together) \(alone)")
            let (told, known) = (try together.json()["rows.0.raised"], try alone.json()["rows.0.raised"])
            #expect(told != nil && told == known, "\(together) \(alone)")
        }
    }

    /// All logs, from both, and no other than the database has.
    private func expectHeads(_ url: String) {
        let heads = ["one", "other"].map { WorkerDoor(shell, data: $0).get("v1/log/head")?.text }
        #expect(heads[0] != nil && heads[0] == heads[1])
        bench.export(url, to: "again")
        let verified = shell.belfry("verify", "--data", "again")
        #expect(verified.code == 0)
        let hashes = (heads[0] ?? "").matches(of: /"hash":"([0-9a-f]+)"/).map { String($0.1) }
        #expect(hashes.count == 9 && hashes.allSatisfy { verified.output.contains($0) }, "\(verified) \(hashes)")
    }

    @Test(.timeLimit(.minutes(3))) func `how things stand now is told of all partitions as soon as they were heard`()
        throws
    {
        let (_, one, other) = try town("now")
        for data in ["one", "other"] {
            let door = WorkerDoor(shell, data: data)
            var now: Printed?
            for _ in 0..<2000 {
                now = door.get("v1/now").flatMap { try? Printed($0.text) }
                if now?["partitions.told"] == "8" { break }
            }
            #expect(now?["partitions.told"] == "8" && now?["partitions.of"] == "8", "\(String(describing: now))")
            // Heard a moment ago: the latest of it may be a second old.
            for _ in 0..<2000 where now?["people"] != "40" {
                now = door.get("v1/now").flatMap { try? Printed($0.text) }
            }
            #expect(now?["people"] == "40")
        }
        try expectMetrics()
        one.expectStopped()
        other.expectStopped()
    }

    /// Each worker tells of itself; together they own every log once.
    private func expectMetrics() throws {
        let pages = ["one", "other"].compactMap { WorkerDoor(shell, data: $0).get("metrics")?.text }
        #expect(pages.count == 2)
        func value(_ name: String, _ page: String) -> Double? {
            page.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
                .flatMap { Double($0) }
        }
        #expect(pages.compactMap { value("belfry_cluster_owned", $0) }.reduce(0, +) == 9)
        for page in pages {
            #expect(value("belfry_cluster_partitions", page) == 9 && value("belfry_cluster_workers", page) == 2)
            #expect(value("belfry_cluster_ownerless", page) == 0 && value("belfry_cluster_everyone_behind", page) == 0)
            #expect(try #require(value("belfry_cluster_lease_age_seconds", page)) >= 0)
            #expect(value("belfry_cluster_view_age_seconds", page) != nil)
        }
        // The first took all of them, and gave some to the second.
        let came = ["given", "orphaned"].map { how in
            pages.compactMap { value("belfry_cluster_taken_total{how=\"\(how)\"}", $0) }.reduce(0, +)
        }
        #expect(came.reduce(0, +) >= 9, "\(came)")
    }

    @Test(.timeLimit(.minutes(3))) func `what failed is sent once more, whoever owns those it is about`() throws {
        let (_, one, other) = try town("retry")
        let failed = stride(from: 1, through: 40, by: 2).map { user in "u\(user)" }
        // Nothing is there to be sent again: a spool takes everything.
        #expect(shell.belfry("retry", "--failed-since", "2020-01-01T00:00:00Z", "--data", "one").code == 0)
        for user in failed { bench.append(try failure(of: user), "one") }
        for data in ["one", "other"] {
            let listed = shell.belfry("people", "--with", "failed", "--limit", "1000", "--data", data)
            #expect(listed.lines.count == 20, "\(listed)")
        }
        let (first, second) = (failed[0], failed[1])
        for (place, user) in [first, second].enumerated() {
            let retried = shell.belfry("retry", "--user", user, "--data", place == 0 ? "other" : "one")
            #expect(retried.code == 0 && retried.output.contains("\(user)/urgent"), "\(retried)")
        }
        let all = shell.belfry("retry", "--failed-since", "2020-01-01T00:00:00Z", "--data", "other")
        #expect(failed.dropFirst(2).allSatisfy { all.output.contains("\($0)/urgent") }, "\(all)")
        one.expectStopped()
        other.expectStopped()
    }

    /// The fact that somebody's job failed on every channel, after the spool took it.
    private func failure(of user: String) throws -> String {
        var notice = try Printed("{}")
        try bench.soon {
            let history = shell.belfry("history", "--user", user, "--json", "--data", "one")
            notice = try Printed(try #require(history.lines.first))
            return notice["outcomes.0.status"] == "sent"
        }
        #expect(notice["outcomes.0.status"] == "sent", "\(notice)")
        let job = notice["notice"] ?? ""
        return fact(
            "delivery_reported", user: user, id: "f-\(user)",
            data: #"{"job":"\#(job)","channel":"push","status":"failed","permanent":false}"#)
    }

    @Test(.timeLimit(.minutes(3))) func `half of it is never told for the whole`() throws {
        let (url, one, other) = try town("half", lease: 4)
        other.send(signal: SIGKILL)
        _ = other.waitForEnd()
        let door = WorkerDoor(shell, data: "one")
        for path in ["v1/people?limit=1000", "v1/stats?by=kind", "v1/agenda", "v1/log/head"] {
            guard let answer = door.get(path) else {
                Issue.record("no answer to \(path)")
                continue
            }
            // A machine that is slow enough has all partitions here by now.
            #expect(
                answer.status == 503 && answer.headers["Retry-After"] != nil || answer.status == 200,
                "\(path) \(answer)")
            if answer.status == 200 { try expectWhole(path, answer.text) }
        }
        try bench.expectOwned(url, by: 1)
        #expect(shell.belfry("people", "--limit", "1000", "--data", "one").lines.count == 40)
        one.expectStopped()
    }

    /// What was told of a town is told of all of it.
    private func expectWhole(_ path: String, _ text: String) throws {
        if path.hasPrefix("v1/people") { #expect(text.split(separator: "\n").count == 40) }
        if path.hasPrefix("v1/log/head") { #expect(text.matches(of: /"hash":"[0-9a-f]+"/).count == 9, "\(text)") }
        if path.hasPrefix("v1/stats") {
            let told = try Printed(text)
            let urgent = (0..<told.count("rows")).first { told["rows.\($0).kind"] == "urgent" }
            #expect(urgent.flatMap { told["rows.\($0).raised"] } == "20", "\(text)")
        }
    }

    @Test(.timeLimit(.minutes(3))) func `a partition's events are told at any worker, whoever has it`() throws {
        let (_, one, other) = try town("events")
        for partition in 0..<8 {
            let answers = ["one", "other"].compactMap {
                WorkerDoor(shell, data: $0).get("v1/events?partition=\(partition)&limit=5")
            }
            // One of them has it; the other passes it on.
            #expect(answers.map(\.status) == [200, 200] && answers[0].text == answers[1].text, "\(answers)")
            let events = ["one", "other"].compactMap {
                WorkerDoor(shell, data: $0).get("v1/events/1?partition=\(partition)")?.text
            }
            #expect(events.count == 2 && events[0] == events[1] && events[0].contains(#""seq":1"#), "\(events)")
        }
        let outside = WorkerDoor(shell, data: "one").get("v1/events/1?partition=8")
        #expect(outside?.status == 400)
        one.expectStopped()
        other.expectStopped()
    }

    @Test(.timeLimit(.minutes(3))) func `the events of all partitions are one stream, whoever has them`() throws {
        let (_, one, other) = try town("streams")
        let whole = try #require(WorkerDoor(shell, data: "one").get("v1/events?type=user_enrolled&type=job_emitted"))
        let lines = whole.text.split(separator: "\n").map(String.init)
        #expect(whole.status == 200 && lines.count == 60, "\(lines.count)")
        #expect(
            lines.sorted()
                == WorkerDoor(shell, data: "other").get("v1/events?type=user_enrolled&type=job_emitted")?
                .text.split(separator: "\n").map(String.init).sorted())
        let last = WorkerDoor(shell, data: "other").get("v1/events?backlog=16&type=job_emitted")
        #expect((last?.text.split(separator: "\n").count ?? 0) >= 8)
        // Followed from where it is now, through the one while facts come in through the other.
        let reader = RawClient(port: try one.port())
        reader.send(
            "GET /v1/events?type=app_opened HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(WorkerPort.token)\r\nAccept: text/event-stream\r\n\r\n"
        )
        var heard = reader.received(until: "retry: 1000\n\n")
        #expect(heard.contains("text/event-stream"), "\(heard)")
        bench.append((1...40).map { fact(user: "u\($0)", id: "s\($0)") }.joined(), "other")
        while !(1...40).allSatisfy({ heard.contains("\"id\":\"s\($0)\"") }) {
            let more = reader.received(until: "\n\n")
            guard !more.isEmpty else { break }
            heard += more
        }
        #expect((1...40).allSatisfy { heard.contains("\"id\":\"s\($0)\"") }, "\(heard)")
        // Whoever comes back with the number of the last event has missed nothing.
        let cursor = try #require(heard.matches(of: /id: ([0-9.]+)\n/).last.map { String($0.1) })
        #expect(cursor.split(separator: ".").count == 8)
        let rest = WorkerDoor(shell, data: "other").get("v1/events?type=app_opened&after=\(cursor)")
        let seen = Set(heard.matches(of: /"id":"(s[0-9]+)"/).map { String($0.1) })
        let later = Set((rest?.text ?? "").matches(of: /"id":"(s[0-9]+)"/).map { String($0.1) })
        #expect(seen.union(later).count == 40 && seen.isDisjoint(with: later), "\(seen) \(later)")
        #expect(WorkerDoor(shell, data: "one").get("v1/events?after=1.2")?.status == 400)
        expectCut(one, other)
    }

    /// A stream that cannot go on does not look as if it had come to its end.
    private func expectCut(_ one: Running, _ other: Running) {
        other.send(signal: SIGKILL)
        _ = other.waitForEnd()
        if let cut = WorkerDoor(shell, data: "one").get("v1/events?type=user_enrolled") {
            let lines = cut.text.split(separator: "\n")
            #expect(
                cut.status == 503 || lines.count == 40 || lines.last?.contains("ask again with after=") == true,
                "\(cut)")
        }
        one.expectStopped()
    }
}
