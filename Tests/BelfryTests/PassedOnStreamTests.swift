import Delivery
import Foundation
import Testing

/// Streams of people and partitions whose worker is another than the one that is asked (`M3`, `V5`).
@Suite("Streams that another worker has", .withDatabase)
struct PassedOnStreamTests {
    let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    private func pair(_ name: String) throws -> (one: Running, other: Running) {
        let url = try bench.cluster(name, partitions: 4)
        let (one, other) = (try bench.worker(url, "one", lease: 20), try bench.worker(url, "other", lease: 20))
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...12), "one")
        return (one, other)
    }

    private func open(_ path: String, at worker: Running, _ more: String = "") throws -> RawClient {
        RawClient(port: try worker.port()).send(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(WorkerPort.token)\r\n\(more)\r\n")
    }

    @Test(.timeLimit(.minutes(3))) func `any worker gives a person's events and feed, and what comes later`() throws {
        let (one, other) = try pair("persons")
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
        try expectCut(one, other)
    }

    /// What is wrong with a question is said by whoever has the answer, in the same words.
    private func expectRefusals(_ one: Running, _ other: Running) throws {
        for path in ["v1/events?user=u1&from=900000", "v1/people/nobody/feed?limit=0"] {
            let answers = ["one", "other"].map { WorkerDoor(shell, data: $0).get(path) }
            #expect(answers[0]?.status == answers[1]?.status && answers[0]?.text == answers[1]?.text, "\(answers)")
        }
    }

    /// A stream whose worker has gone is cut off, so that its reader does not take it for over.
    private func expectCut(_ one: Running, _ other: Running) throws {
        // Whoever has which people, each worker has some of the partitions.
        let streams = (1...12).map { "user=u\($0)" } + (0..<4).map { "partition=\($0)" }
        let readers = try streams.map { stream in
            let reader = try open("/v1/events?\(stream)&follow=true&backlog=1", at: one)
            _ = reader.received(until: "\n\r\n")
            return reader
        }
        other.send(signal: SIGKILL)
        _ = other.waitForEnd()
        #expect(RawClient.waitForHangUp(of: readers))
        // Those that this worker has itself go on; it ends them when it stops.
        one.expectStopped()
        let ends = readers.map { $0.received() }
        let whole = ends.filter { $0.hasSuffix("0\r\n\r\n") }.count
        #expect((1..<16).contains(whole), "\(whole) of 16 ended, the others were cut: \(ends)")
    }

    @Test(.timeLimit(.minutes(5)), .withBrowser)
    func `a person's day is live in the console of any worker`() throws {
        let (one, other) = try pair("console")
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
