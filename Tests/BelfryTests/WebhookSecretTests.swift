import Foundation
import Testing

/// A webhook's URL often holds a secret: what is said of it is scheme, host and port (SPEC §11).
@Suite("webhook secrets")
struct WebhookSecretTests {
    let shell = Shell()

    private static let url = "http://me:hunter2@127.0.0.1:1/T0/hunter2?key=hunter2"

    init() throws {
        try shell.write("whsec_" + Data(repeating: 7, count: 32).base64EncodedString() + "\n", to: "secret")
        #expect(chmod(shell.path("secret"), 0o600) == 0)
    }

    private func run(_ sink: String) -> Running {
        shell.start(
            ["run", "--jobs", "stdout,\(sink)", "--webhook-secret-file", "secret", "--log-level", "debug"],
            environment: ["no_proxy": "127.0.0.1"])
    }

    private func stop(_ worker: Running) -> Outcome {
        worker.send(signal: SIGTERM)
        return worker.waitForEnd()
    }

    /// What the system tells every user of the machine of a process.
    private func arguments(of worker: Running) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: "/proc/\(worker.process)/cmdline")), as: UTF8.self)
    }

    @Test func `the worker's log has the origin and nothing else of the URL, whatever becomes of the job`() throws {
        let worker = run("webhook:\(Self.url)")
        try worker.expectReady()
        let door = WorkerDoor(shell)
        _ = door.append(fact("notice_requested", data: #"{"kind":"urgent","title":"Fire"}"#))
        #expect(worker.complaint(of: "could not be reached") != nil)
        let health = door.health()?.text ?? ""
        let end = stop(worker)
        #expect(end.code == 0)
        let start = try #require(end.errorLines.first { $0.contains(#""message":"running""#) })
        #expect(try Printed(start)["jobs"] == "stdout,webhook:http://127.0.0.1:1")
        #expect(end.errors.contains("has a password or a query, and every user of this machine can read it"))
        for said in [end.errors, end.output, health, shell.belfry("log").output] {
            #expect(!said.contains("hunter2") && !said.contains("me:"), "\(said)")
        }
    }

    @Test func `a URL in a file is in nobody's list of processes, and nothing is warned of`() throws {
        try shell.write(Self.url + "\n", to: "url")
        #expect(chmod(shell.path("url"), 0o600) == 0)
        let worker = run("webhook:@url")
        try worker.expectReady()
        #expect(try !arguments(of: worker).contains("hunter2"))
        let end = stop(worker)
        #expect(end.code == 0)
        #expect(!end.errors.contains("hunter2") && !end.errors.contains(#""level":"warning""#), "\(end.errors)")
        #expect(end.errors.contains(#""jobs":"stdout,webhook:http://127.0.0.1:1""#))
    }

    @Test func `a file that others may read is warned of, and one that all may change is not believed`() throws {
        try shell.write(Self.url + "\n", to: "url")
        #expect(chmod(shell.path("url"), 0o644) == 0)
        let worker = run("webhook:@url")
        try worker.expectReady()
        #expect(
            stop(worker).errors.contains("every user of this machine may read what is secret in url; `chmod 600 url`"))
        #expect(chmod(shell.path("url"), 0o606) == 0)
        shell.forget("events")
        let refused = run("webhook:@url").end()
        #expect((refused.code, refused.output) == (3, ""))
        #expect(refused.errors.hasPrefix("belfry: --jobs: webhook:@FILE: every user of this machine may change url"))
        #expect(shell.names(in: "events") == [])
    }

    @Test(arguments: [
        ["--jobs", "webhook:http://me:hunter2@ex ample/"], ["--jobs", "webhook:http://a/?k=1,hunter2"],
        ["--jobs", "webhook:\(url),webhook:\(url)"], ["webhook:\(url)"], ["--job=webhook:\(url)"],
        ["--jobs", url], ["--jobs", "webhook:\(url)"],
    ])
    func `what is wrong with a command line is told without the URL`(words: [String]) {
        let outcome = shell.belfry(["run"] + words, input: [])
        #expect((outcome.code, outcome.output) == (2, ""))
        #expect(!outcome.errors.contains("hunter2"), "\(outcome.errors)")
    }
}
