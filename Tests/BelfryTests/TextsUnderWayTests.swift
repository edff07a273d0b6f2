import Foundation
import Testing

/// A text that may have been taken is not sent again (`N5`), whatever becomes of the worker meanwhile.
@Suite("Texts under way", .withProviders)
struct TextsUnderWayTests {
    private let shell = Shell()

    private static let policy = """
        {"name":"mine","cooldown_minutes":0,"kinds":[{"name":"text","on_request":true,"channels":["sms"]}]}
        """

    private func write(_ provider: Provider, _ more: String = "") throws {
        try shell.write(
            """
            {"sms":{"twilio":{"account":"AC\(String(repeating: "0", count: 32))","token_file":"twilio.secret",
             "from":"+14155550199","url":"https://127.0.0.1:\(provider.port)","ca_file":"\(provider.caFile)"\(more)}}}
            """, to: "senders.json")
    }

    private func start() throws -> (worker: Running, door: WorkerDoor) {
        let worker = shell.start(
            ["run", "--policy", "mine.json", "--senders", "senders.json", "--jobs", "spool:spool"])
        try worker.expectReady()
        return (worker, WorkerDoor(shell))
    }

    private let enrolled =
        fact("user_enrolled", data: #"{"timezone":"UTC"}"#)
        + fact("contact_changed", data: #"{"phone":"+14155550123","phone_verified":true}"#)
        + fact(
            "preferences_changed", data: #"{"patch":{"channels":{"sms":true},"quiet_hours":{"enabled":false}}}"#)
    private let request = fact("notice_requested", data: #"{"kind":"text","title":"Hello","body":"There"}"#)

    /// A worker whose provider has a text that it has not answered.
    private func waiting(for provider: Provider) throws -> (worker: Running, door: WorkerDoor) {
        try shell.write("token\n", to: "twilio.secret")
        #expect(chmod(shell.path("twilio.secret"), 0o600) == 0)
        try shell.write(Self.policy, to: "mine.json")
        try write(provider)
        let (worker, door) = try start()
        _ = door.append(enrolled + request)
        #expect(provider.hearHeld())
        return (worker, door)
    }

    private func failures() -> [String] { shell.belfry("log", "--type", "job_failed").lines }

    /// The next worker fails it, sends what is new, and the provider has seen each text once.
    private func expectOnce(_ provider: Provider) throws {
        provider.answerHeld()
        let (worker, door) = try start()
        _ = door.append(request)
        try shell.events("job_delivered", 1, while: worker)
        #expect(failures().count == 1)
        #expect(failures().first?.contains("may have been taken, and is not sent again") == true)
        #expect(try provider.end().count == 2)
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        #expect(shell.belfry("audit").code == 0)
    }

    @Test func `a document that is read again lets them end, and an unchanged one changes nothing`() throws {
        let provider = try Provider(.push, shell, "hold-texts")
        let (worker, _) = try waiting(for: provider)
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the senders' document has not changed") != nil)
        try write(provider, #","per_second":50"#)
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the senders' document was read again") != nil)
        provider.answerHeld()
        try shell.events("job_delivered", 1, while: worker)
        #expect(failures() == [])
        #expect(try provider.end().count == 1)
    }

    @Test func `a stop records those that are not answered as failed, within five seconds`() throws {
        let provider = try Provider(.push, shell, "hold-texts")
        let (worker, _) = try waiting(for: provider)
        let begun = ContinuousClock.now
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        #expect(ContinuousClock.now - begun < .seconds(5))
        #expect(failures().first?.contains("had not answered when the worker stopped") == true)
        try expectOnce(provider)
    }

    @Test func `after a kill the next worker knows them`() throws {
        let provider = try Provider(.push, shell, "hold-texts")
        let (worker, _) = try waiting(for: provider)
        worker.send(signal: SIGKILL)
        _ = worker.waitForEnd()
        #expect(failures() == [])
        try expectOnce(provider)
    }

    @Test func `what became of a text is nobody's once its person is erased, whoever has their id next (E4)`() throws {
        let provider = try Provider(.push, shell, "hold-texts")
        let (worker, door) = try waiting(for: provider)
        #expect(shell.belfry("erase", "--user", "anna", "--yes").code == 0)
        _ = door.append(enrolled + request)
        provider.answerHeld()
        try shell.events("job_delivered", 1, while: worker)
        _ = door.append(request)
        func jobs(_ type: String) throws -> [String?] {
            try shell.belfry("log", "--type", type).lines.map { try Printed($0)["data.job"] }
        }
        try shell.events("job_delivered", 2, while: worker)
        #expect(try jobs("job_delivered") == Array(jobs("job_emitted").dropFirst()))
        #expect(failures().isEmpty)
        worker.expectStopped()
        _ = try provider.end()
    }
}
