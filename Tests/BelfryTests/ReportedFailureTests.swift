import CivilTime
import Delivery
import Foundation
import Testing

/// What a relay took and the mail's provider then reports as failed goes out as push (`N4`).
@Suite("belfry run --senders, failures that are reported later", .withProviders)
final class ReportedFailureTests: SendersBench {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func start(
        _ relay: Provider, _ provider: Provider
    ) throws -> (worker: Running, door: WorkerDoor, port: WorkerPort) {
        try secret(Self.secret, "standard.secret")
        let (worker, door) = try start(
            """
            {\(try mail(relay, isGivingWay: true)),\(try push(provider)),
             "reports":{"standard":{"secret_file":"standard.secret"}}}
            """, "--public-listen", "127.0.0.1:0")
        let address = try #require(worker.complaint(of: "listening for providers") ?? nil)
        let port = try #require(address.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) })
        return (worker, door, WorkerPort(port))
    }

    private func report(_ job: String, _ id: String, _ fields: String, to port: WorkerPort) throws -> Int {
        let body = #"{"job":"\#(job)",\#(fields)}"#
        let time = Int64(Date().timeIntervalSince1970)
        let signature = try WebhookSecrets(Self.secret)
            .signature(id: id, at: Instant(seconds: time), body: Array(body.utf8))
        return try port.ask(
            .post, "v1/providers/standard", nil, Array(body.utf8),
            headers: [("webhook-id", id), ("webhook-timestamp", "\(time)"), ("webhook-signature", signature)]
        ).status
    }

    private func job() throws -> String {
        String(try #require(lines("job_emitted").first?.firstMatch(of: #/"job":"([^"]+)"/#)).1)
    }

    private let bounced = #""channel":"email","status":"bounced","permanent":true,"code":"5.1.1""#

    @Test func `a mail that comes back goes out as push, once, and everybody is told so`() throws {
        let (provider, relay) = (try Provider(.push, shell), try Provider(.mail, shell))
        let (worker, door, port) = try start(relay, provider)
        _ = door.append(enrol() + register("phone", "ok") + request("mail"))
        _ = try events("job_delivered", 1, while: worker)
        let job = try job()
        #expect(try report(job, "w1", bounced, to: port) == 200)
        _ = try events("job_delivered", 2, while: worker)
        #expect(lines("delivery_reported").first?.contains(#""gives_way_to":["push"]"#) == true)
        #expect(lines("job_delivered").map { $0.contains(#""channel":"push""#) } == [false, true])
        // The same again, under another id; and the provider of the other channel may report now.
        #expect(try report(job, "w2", bounced, to: port) == 200)
        #expect(try report(job, "w3", #""channel":"push","status":"delivered""#, to: port) == 200)
        #expect(lines("delivery_reported").count == 3 && lines("job_emitted").count == 1)
        let history = shell.belfry("history", "--user", "anna")
        #expect(
            history.output.contains("sent on email; bounced on email: 5.1.1; tried on push instead"),
            "\(history.output)")
        #expect(history.lines.last == "0 sent, 1 delivered, 0 failed, 0 queued, 0 blocked")
        let story = shell.belfry("explain", "--user", "anna", "--notice", job)
        #expect(story.output.contains("bounced on email: 5.1.1; tried on push instead"))
        #expect(story.output.contains("sent on push"))
        let kind = shell.belfry("explain", "--user", "anna", "--kind", "mail")
        #expect(kind.output.contains("failed on email: 5.1.1, was delivered on push"), "\(kind.output)")
        let retry = shell.belfry("retry", "--job", job)
        #expect(retry.code == 1 && retry.output.contains("was delivered since it failed"))
        worker.expectStopped()
        #expect(shell.belfry("audit").code == 0 && shell.belfry("replay", "--verify").code == 0)
        #expect(try provider.end().compactMap { $0["path"] as? String } == ["/3/device/\(token("ok"))"])
        #expect(try relay.end().count == 1)
    }

    @Test func `a worker that is killed in between does it once`() throws {
        let (gone, relay) = (try Provider(.push, shell), try Provider(.mail, shell))
        let (worker, door, port) = try start(relay, gone)
        _ = try gone.end()
        _ = door.append(enrol() + register("phone", "ok") + request("mail"))
        _ = try events("job_delivered", 1, while: worker)
        #expect(try report(job(), "w1", bounced, to: port) == 200)
        #expect(worker.complaint(of: "apns could not be reached") != nil)
        worker.send(signal: SIGKILL)
        _ = worker.waitForEnd()
        let waiting = shell.belfry("history", "--user", "anna")
        #expect(waiting.lines.last == "0 sent, 0 delivered, 0 failed, 1 queued, 0 blocked")
        let provider = try Provider(.push, shell)
        let second = try start(relay, provider)
        _ = try events("job_delivered", 2, while: second.worker)
        second.worker.expectStopped()
        let third = try start(relay, provider)
        // What waited would go before it.
        _ = third.door.append(request("note"))
        _ = try events("job_delivered", 3, while: third.worker)
        third.worker.expectStopped()
        #expect(try provider.end().count { $0["path"] as? String == "/3/device/\(token("ok"))" } == 2)
        #expect(try relay.end().count == 1 && lines("job_failed") == [])
        #expect(shell.belfry("audit").code == 0)
    }

    @Test func `nothing comes to whoever has push off, nor where only sinks take jobs`() throws {
        let (provider, relay) = (try Provider(.push, shell), try Provider(.mail, shell))
        let (worker, door, port) = try start(relay, provider)
        _ = door.append(enrol() + register("phone", "ok") + request("mail"))
        _ = try events("job_delivered", 1, while: worker)
        let first = try job()
        _ = door.append(fact("preferences_changed", data: #"{"patch":{"channels":{"push":false}}}"#))
        #expect(try report(first, "w1", bounced, to: port) == 200)
        #expect(lines("delivery_reported").allSatisfy { !$0.contains("gives_way_to") })
        worker.expectStopped()
        // A mail of the next worker's, which a webhook's gateway has taken.
        let sinks = shell.start(["run", "--policy", "mine.json", "--jobs", "spool:spool"])
        try sinks.expectReady()
        let address = fact("contact_changed", data: #"{"email":"ben@example.org"}"#)
        _ = door.append(
            fact("preferences_changed", data: #"{"patch":{"channels":{"push":true}}}"#) + address + request("mail"))
        let taken = try events("job_delivered", 2, while: sinks)
        #expect(taken.count == 2)
        let second = try #require(lines("job_emitted").last?.firstMatch(of: #/"job":"([^"]+)"/#)).1
        _ = door.append(
            fact(
                "delivery_reported",
                data: #"{"job":"\#(second)","channel":"email","status":"bounced","permanent":true}"#))
        #expect(lines("delivery_reported").count == 2)
        #expect(lines("delivery_reported").allSatisfy { !$0.contains("gives_way_to") })
        sinks.expectStopped()
        #expect(try provider.end().isEmpty)
    }
}
