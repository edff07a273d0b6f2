import Delivery
import Foundation
import Testing

/// Streams of people and partitions whose worker is another than the one that is asked (`M3`, `V5`).
@Suite("Streams that another worker has", .withDatabase)
struct PassedOnStreamTests {
    let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    private func pair(_ name: String) throws -> (one: Running, other: Running, url: String) {
        let url = try bench.cluster(name, partitions: 4)
        let (one, other) = (try bench.worker(url, "one", lease: 20), try bench.worker(url, "other", lease: 20))
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...12), "one")
        return (one, other, url)
    }

    private func open(_ path: String, at worker: Running, _ more: String = "") throws -> RawClient {
        RawClient(port: try worker.port()).send(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(WorkerPort.token)\r\n\(more)\r\n")
    }

    @Test(.timeLimit(.minutes(3))) func `any worker gives a person's events and feed, and what comes later`() throws {
        let (one, other, url) = try pair("persons")
        for user in (1...12).map({ "u\($0)" }) {
            let whole = ["one", "other"].map { WorkerDoor(shell, data: $0).get("v1/events?user=\(user)") }
            #expect(whole.allSatisfy { $0?.status == 200 && $0?.text.contains("user_enrolled") == true }, "\(whole)")
            #expect(whole[0]?.text == whole[1]?.text)
        }
        for partition in 0..<4 {
            let whole = ["one", "other"].map { WorkerDoor(shell, data: $0).get("v1/events?partition=\(partition)") }
            #expect(whole[0]?.text == whole[1]?.text && whole[0]?.text.contains("partition_taken") == true)
        }
        let readers = try (1...12).flatMap { number in
            try [one, other].flatMap { worker in
                try ["/v1/events?user=u\(number)", "/v1/people/u\(number)/feed"].map { path in
                    (number, path, try open(path, at: worker, "Accept: text/event-stream\r\n"))
                }
            }
        }
        for (_, path, reader) in readers {
            let head = reader.received(until: path.hasSuffix("feed") ? "event: badge" : "retry: 1000\n\n")
            #expect(head.hasPrefix("HTTP/1.1 200") && head.contains("text/event-stream"), "\(path): \(head)")
        }
        let urgent = (1...12).map { user in
            fact(
                "notice_requested", user: "u\(user)", id: "r\(user)",
                data: #"{"kind":"urgent","title":"for u\#(user)"}"#)
        }
        bench.append(urgent.joined(), "one")
        for (number, path, reader) in readers {
            #expect(reader.received(until: "\"for u\(number)\"").contains("\"for u\(number)\""), "\(path)")
        }
        // Whoever comes back to another worker has missed nothing, and has nothing twice.
        for worker in [one, other] {
            let reader = try open("/v1/events?user=u1", at: worker, "Accept: text/event-stream\r\nLast-Event-ID: 1\r\n")
            #expect(reader.received(until: "\"for u1\"").contains("user_enrolled"))
        }
        try expectRefusals(one, other)
        try expectCut(one, other, of: url)
    }

    @Test(.timeLimit(.minutes(3))) func `a reader of a cluster with one partition goes on where it was`() throws {
        let worker = try bench.worker(try bench.cluster("single", partitions: 1), "one", lease: 20)
        bench.append(bench.enrolled(1...3), "one")
        let reader = try open("/v1/events", at: worker, "Accept: text/event-stream\r\nLast-Event-ID: 1\r\n")
        let heard = reader.received(until: "\"u3\"")
        #expect(heard.hasPrefix("HTTP/1.1 200") && heard.contains("\"u2\""), "\(heard)")
        #expect(heard.contains("id: 2\n") && !heard.contains("id: 1\n"), "\(heard)")
        worker.expectStopped()
    }

    /// What is wrong with a question is said by whoever has the answer, in the same words.
    private func expectRefusals(_ one: Running, _ other: Running) throws {
        for path in ["v1/events?user=u1&from=900000", "v1/people/nobody/feed?limit=0"] {
            let answers = ["one", "other"].map { WorkerDoor(shell, data: $0).get(path) }
            // Which event is the last may change between the two.
            let texts = answers.map { $0?.text.replacing(/event [0-9]+/, with: "event") }
            #expect(answers.allSatisfy { (400..<500).contains($0?.status ?? 0) }, "\(answers)")
            #expect(answers[0]?.status == answers[1]?.status && texts[0] == texts[1], "\(texts)")
        }
    }

    /// A stream whose worker has gone is cut off, so that its reader does not take it for over.
    private func expectCut(_ one: Running, _ other: Running, of url: String) throws {
        // Everyone's log is one of them, and may be all that a worker has.
        let logs = -1..<4
        let readers = try logs.map { partition in
            let reader = try open("/v1/events?partition=\(partition)&follow=true&backlog=1", at: one)
            _ = reader.received(until: "\n\r\n")
            return reader
        }
        let own = try bench.owned(url, by: one)
        other.send(signal: SIGKILL)
        _ = other.waitForEnd()
        #expect(!own.isEmpty && own.count < logs.count)
        for (partition, reader) in zip(logs, readers) where !own.contains(partition) {
            #expect(reader.isHungUp(within: 60_000))
            #expect(!reader.received().hasSuffix("0\r\n\r\n"), "partition \(partition)")
        }
        // Those that this worker has itself go on.
        for (partition, reader) in zip(logs, readers) where own.contains(partition) {
            #expect(!reader.isHungUp(), "partition \(partition)")
        }
        one.expectStopped()
    }

    /// Its connections stay open, and say nothing any more.
    @Test(.timeLimit(.minutes(3))) func `a worker that stands still keeps no reader of another for ever`() throws {
        let url = try bench.cluster("standing", partitions: 4)
        let (one, other) = (try bench.worker(url, "one", lease: 6), try bench.worker(url, "other", lease: 6))
        try bench.expectOwned(url, by: 2)
        let own = try bench.owned(url, by: one)
        let partition = try #require((0..<4).first { !own.contains($0) })
        let path = "/v1/events?partition=\(partition)&follow=true&backlog=1"
        let reader = try open(path, at: one)
        _ = reader.received(until: "\n\r\n")
        other.send(signal: SIGSTOP)
        // Whoever comes now is not even answered by it.
        let late = try open(path, at: one)
        #expect(reader.isHungUp(within: 60_000))
        #expect(!reader.received().hasSuffix("0\r\n\r\n"))
        let head = late.received(until: "\r\n")
        #expect(head.hasPrefix("HTTP/1.1 503") || head.hasPrefix("HTTP/1.1 200"), "\(head)")
        other.send(signal: SIGCONT)
        one.expectStopped()
        other.expectStopped()
    }

    @Test(.timeLimit(.minutes(5)), .withBrowser)
    func `a person's day is live in the console of any worker`() throws {
        let (one, other, _) = try pair("console")
        for worker in [one, other] {
            let users = (1...12).map { "u\($0)" }
            Browser(
                "cluster-day", shell, port: try worker.port(),
                arguments: worker === one ? Array(users[..<6]) : Array(users[6...])
            )
            .expectDone()
        }
        one.expectStopped()
        other.expectStopped()
    }
}
