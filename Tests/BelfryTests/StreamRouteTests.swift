import Delivery
import Foundation
import Testing

/// The log and a person's feed over the worker's doors (`V4`, `V5`).
@Suite("GET /v1/events, and feeds")
struct StreamRouteTests {
    let shell = Shell()

    private func opened(_ path: String, on port: Int, _ headers: [String] = []) -> RawClient {
        RawClient(port: port).send(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(WorkerPort.token)\r\n"
                + headers.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    private static let serverSent = "Accept: text/event-stream"

    @Test func `lines are what the log prints, of a type, of a person, and the head is what verify prints`() throws {
        let worker = shell.start(["run"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        #expect(door.append(facts(1...3) + fact("points_earned", user: "bert", data: #"{"points":5}"#))?.status == 200)
        let log = shell.belfry("log", "--json").lines
        func lines(_ query: String) -> [String]? {
            door.get("v1/events\(query)")?.text.split(separator: "\n").map(String.init)
        }
        #expect(lines("") == log)
        #expect(lines("?from=4") == Array(log.dropFirst(3)))
        #expect(lines("?from=2&to=3") == Array(log[1...2]))
        #expect(
            lines("?type=points_earned&type=worker_started")
                == log.filter { $0.contains(#""type":"points_earned""#) || $0.contains(#""type":"worker_started""#) })
        #expect(lines("?user=anna") == log.filter { $0.contains(#""user":"anna""#) })
        #expect(lines("?user=anna&limit=2") == Array(log.filter { $0.contains(#""user":"anna""#) }.prefix(2)))
        #expect(lines("?backlog=2") == Array(log.suffix(2)))
        #expect(lines("?user=anna&backlog=1") == [log.filter { $0.contains(#""user":"anna""#) }.last ?? ""])
        // A page further back counts from where it ends.
        #expect(lines("?backlog=2&to=4") == Array(log[2...3]))
        #expect(lines("?backlog=2&to=1") == Array(log[0...0]))
        #expect(door.get("v1/events?before=3")?.status == 400)
        #expect(door.get("v1/events?from=999")?.status == 400)
        #expect(door.get("v1/events?type=app_opend")?.status == 400)
        #expect(door.get("v1/events?from=1&backlog=1")?.status == 400)
        let head = try Printed(try #require(door.get("v1/log/head")).text)
        #expect(head["seq"] == "\(log.count)")
        worker.expectStopped()
        #expect(shell.belfry("verify").output.contains(try #require(head["hash"])))
    }

    @Test func `one event is told with what it caused`() throws {
        let worker = shell.start(["run"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let asked =
            fact("user_enrolled", data: #"{"timezone":"\#(Noon.zone)"}"#)
            + fact("notice_requested", data: #"{"kind":"urgent","title":"Look"}"#)
        #expect(door.append(asked)?.status == 200)
        let events = try shell.belfry("log").events()
        let request = try #require(events.first { $0.type == "notice_requested" })
        let job = try #require(events.first { $0.type == "job_emitted" })
        let cause = try Printed(try #require(door.get("v1/events/\(request.seq)")).text)
        #expect(cause["cause"] == "null" && cause["consequences.0.seq"] == "\(job.seq)")
        let effect = try Printed(try #require(door.get("v1/events/\(job.seq)")).text)
        #expect(effect["cause.seq"] == "\(request.seq)" && effect.count("consequences") == 0)
        #expect(effect["commit.first"] == cause["commit.first"])
        #expect(door.get("v1/events/9999")?.status == 404)
        worker.expectStopped()
    }

    @Test func `server-sent events go on with the log, and come back to where they were`() throws {
        let worker = shell.start(["run"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let client = opened("/v1/events?type=app_opened", on: port, [Self.serverSent])
        #expect(client.received(until: "retry: 1000\n\n").contains("Content-Type: text/event-stream"))
        #expect(door.append(facts(1...1))?.status == 200)
        let first = client.received(until: "\"data\":{}}\n\n")
        let seq = try #require(first.firstMatch(of: /id: ([0-9]+)\nevent: app_opened\ndata: \{"seq":/)).1
        #expect(door.append(facts(2...3))?.status == 200)
        let again = opened("/v1/events?type=app_opened", on: port, [Self.serverSent, "Last-Event-ID: \(seq)"])
        let rest = again.received(until: #""id":"f3""#)
        #expect(rest.contains(#""id":"f2""#) && !rest.contains(#""id":"f1""#))
        worker.send(signal: SIGTERM)
        // A stream that was ended on purpose says so.
        #expect(client.received().hasSuffix("0\r\n\r\n"))
        #expect(worker.end().code == 0)
    }

    @Test func `whoever comes back to a stream that has ended is told to stay away`() throws {
        let worker = shell.start(["run"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        let door = WorkerDoor(shell)
        #expect(door.append(facts(1...3))?.status == 200)
        let open = opened("/v1/events", on: port, [Self.serverSent])
        _ = open.received(until: "retry: 1000\n\n")
        #expect(door.get("metrics")?.text.contains("\nbelfry_streams 1\n") == true)
        func status(_ path: String, _ headers: String...) -> String {
            let reader = opened(path, on: port, headers)
            return String(reader.received(until: "\r\n").dropFirst("HTTP/1.1 ".count).prefix(3))
        }
        #expect(status("/v1/events?from=1&to=2", Self.serverSent) == "200")
        #expect(status("/v1/events?from=1&to=2", Self.serverSent, "Last-Event-ID: 1") == "200")
        #expect(status("/v1/events?from=1&to=2", Self.serverSent, "Last-Event-ID: 2") == "204")
        // Lines end, and nobody comes back by themselves.
        #expect(status("/v1/events?from=1&to=2", "Last-Event-ID: 2") == "200")
        #expect(status("/v1/people/anna/feed?limit=5", Self.serverSent) == "400")
        worker.expectStopped()
    }

    @Test func `whoever comes to a stream that others follow is told nothing of somebody who was erased (E1)`() throws {
        let worker = shell.start(["run"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let whole = opened("/v1/events", on: port, [Self.serverSent])
        let own = opened("/v1/events?user=zorro", on: port, [Self.serverSent])
        for follower in [whole, own] { _ = follower.received(until: "retry: 1000\n\n") }
        let life =
            fact("user_enrolled", user: "zorro", data: #"{"timezone":"UTC","email":"z@secret.org"}"#)
            + fact("notice_requested", user: "zorro", data: #"{"kind":"urgent","title":"SECRET"}"#)
        #expect(door.append(life)?.status == 200)
        for follower in [whole, own] { _ = follower.received(until: "SECRET") }
        #expect(door.post("v1/people/zorro/erase", #"{"user":"zorro"}"#)?.status == 200)
        let anew = fact("user_enrolled", user: "zorro", id: "anew", data: #"{"timezone":"UTC"}"#)
        #expect(door.append(anew)?.status == 200)
        for query in ["", "?user=zorro"] {
            let late = opened("/v1/events\(query)", on: port, [Self.serverSent, "Last-Event-ID: 1"])
            // All that was erased stood in front of this.
            let told = late.received(until: #""id":"anew""#)
            #expect(told.contains(#""user":"zorro","id":"anew""#), "\(told)")
            #expect(told.contains("user_enrolled") && !told.contains("secret") && !told.contains("SECRET"), "\(told)")
        }
        worker.expectStopped()
    }

    @Test func `the events of somebody who was erased are found by what the log calls them (E1)`() throws {
        let worker = shell.start(["run"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        #expect(
            door.append(facts(1...2) + fact("user_enrolled", user: "zorro", data: #"{"timezone":"UTC"}"#))?.status
                == 200)
        #expect(door.post("v1/people/zorro/erase", #"{"user":"zorro"}"#)?.status == 200)
        let erased = try #require(shell.belfry("log", "--type", "person_erased", "--json").lines.first)
        let number = try #require(erased.firstMatch(of: #/"user":"\[erased ([0-9]+)\]"/#)).1
        let printed = shell.belfry("log", "--user", "[erased \(number)]", "--json").lines
        let answer = try #require(door.get("v1/events?user=%5Berased%20\(number)%5D"))
        #expect(
            answer.status == 200 && answer.text.split(separator: "\n").map(String.init) == printed, "\(answer.text)")
        #expect(printed.count >= 2)
        #expect(door.get("v1/events?user=%5Berased%20\(number)%5D&backlog=1")?.text.contains("person_erased") == true)
        for stranger in ["%5Berased%5D", "%5Berased%20x%5D", "%5Berased%20%2B1%5D"] {
            #expect(door.get("v1/events?user=\(stranger)")?.status == 400, "\(stranger)")
        }
        worker.expectStopped()
    }

    @Test func `a feed lists what came, and tells as it changes`() throws {
        let worker = shell.start(["run", "--jobs", "spool:out"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        let door = WorkerDoor(shell)
        #expect(door.append(fact("user_enrolled", data: #"{"timezone":"\#(Noon.zone)"}"#))?.status == 200)
        let client = opened("/v1/people/anna/feed", on: port, [Self.serverSent])
        let greeting = client.received(until: "\"unseen\":0}\n\n")
        // Whoever is cut off before the first item comes back to the first badge, and misses nothing.
        let start = try #require(greeting.firstMatch(of: /id: ([0-9]+)\nevent: badge/)).1
        #expect(try Printed(try #require(door.get("v1/people/anna/feed")).text)["through_seq"] == "\(start)")
        #expect(door.append(fact("notice_requested", data: #"{"kind":"urgent","title":"Look"}"#))?.status == 200)
        let came = client.received(until: "\"unseen\":1}\n\n")
        #expect(came.contains("event: item") && came.contains(#""title":"Look""#))
        let again = opened("/v1/people/anna/feed", on: port, [Self.serverSent, "Last-Event-ID: \(start)"])
        #expect(again.received(until: "\"unseen\":1}\n\n").contains(#""title":"Look""#))
        let page = try Printed(try #require(door.get("v1/people/anna/feed")).text)
        #expect(
            page["unseen"] == "1" && page["badge"] == "1" && page["items.0.seen"] == "false" && page["next"] == "null")
        let job = try #require(page["items.0.job"])
        #expect(door.append(fact("notice_opened", data: #"{"job":"\#(job)"}"#))?.status == 200)
        #expect(client.received(until: "\"unseen\":0}\n\n").contains(#""opened":true"#))
        #expect(try Printed(try #require(door.get("v1/people/anna/feed")).text)["items.0.opened"] == "true")
        #expect(door.get("v1/people/nobody/feed")?.status == 404)
        worker.expectStopped()
    }

    @Test func `whoever is cut off from a feed hears again what they may not have had of it`() throws {
        let worker = shell.start(["run", "--jobs", "spool:out"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let notice = fact("notice_requested", data: #"{"kind":"urgent","title":"Look"}"#)
        #expect(door.append(fact("user_enrolled", data: #"{"timezone":"\#(Noon.zone)"}"#))?.status == 200)
        let client = opened("/v1/people/anna/feed", on: port, [Self.serverSent])
        let greeting = client.received(until: "\"unseen\":0}\n\n")
        let start = try #require(greeting.firstMatch(of: /id: ([0-9]+)\nevent: badge/)).1
        #expect(door.append(notice + notice + notice)?.status == 200)
        // One fact changes three items: its number stands at the last of them.
        let last = fact("notice_requested", data: #"{"kind":"urgent","title":"The end"}"#)
        #expect(door.append(fact("feed_seen") + last)?.status == 200)
        let live = client.received(until: "The end")
        let again = opened("/v1/people/anna/feed", on: port, [Self.serverSent, "Last-Event-ID: \(start)"])
            .received(until: "The end")
        func seen(_ told: String) -> [String] {
            told.components(separatedBy: "\n\n").filter { $0.contains(#""seen":true"#) }
        }
        // That they were handed out is told behind it, each by a fact of its own.
        #expect(seen(live).prefix(3).map { $0.contains("id: ") } == [false, false, true], "\(live)")
        #expect(seen(again).count >= 3, "\(again)")
        #expect(door.append(fact("history_cleared"))?.status == 200)
        let cleared = opened("/v1/people/anna/feed", on: port, [Self.serverSent, "Last-Event-ID: \(start)"])
            .received(until: "event: badge")
        #expect(cleared.contains("event: cleared") && !cleared.contains("event: item"))
        worker.expectStopped()
    }

    @Test func `a request's trace goes on with the job that it causes (N11)`() throws {
        let worker = shell.start(["run", "--jobs", "spool:out"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let body =
            fact("user_enrolled", data: #"{"timezone":"\#(Noon.zone)"}"#)
            + fact("notice_requested", id: "n", data: #"{"kind":"urgent","title":"Look"}"#)
        func post(_ trace: String) -> String {
            RawClient(port: port).send(
                "POST /v1/facts HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(WorkerPort.token)\r\n"
                    + "Content-Type: application/x-ndjson\r\nConnection: close\r\ntraceparent: \(trace)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            ).received()
        }
        #expect(post(trace).hasPrefix("HTTP/1.1 200"))
        // A duplicate keeps what the first had, and what is no trace is passed over.
        #expect(post(trace.replacing("b7ad", with: "c7ad")).contains("duplicate_of"))
        #expect(post("nonsense").contains("duplicate_of"))
        worker.expectStopped()
        let log = shell.belfry("log").lines
        let job = try #require(log.first { $0.contains(#""type":"job_emitted""#) })
        #expect(job.contains(#","traceparent":"\#(trace)","data":"#))
        let spooled = shell.names(in: "out").filter { !$0.hasPrefix(".") }
        #expect(try spooled.map { String(decoding: try shell.read("out/\($0)"), as: UTF8.self) } == [job + "\n"])
        #expect(log.first { $0.contains(#""id":"n""#) }?.contains(#""traceparent":"\#(trace)""#) == true)
        #expect(shell.belfry("replay", "--verify").code == 0)
    }
}
