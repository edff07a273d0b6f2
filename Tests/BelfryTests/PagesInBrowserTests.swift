import Foundation
import Testing

/// The console (`V1`) and the settings page (`V3`) of a real worker, in a real browser. Each scenario also fails where anything
/// is on the browser's console, or where the page asked anybody but the worker.
@Suite("The pages in Chromium", .withBrowser, .serialized)
struct PagesInBrowserTests {
    let shell = Shell()
    /// A worker ends with the last who knows it.
    private let kept = Kept()

    private final class Kept {
        var workers: [Running] = []
    }

    private func worker(_ words: String..., port: Int = 0) throws -> (Running, port: Int) {
        let worker = shell.start(try ["run", "--jobs", "spool:out"] + shell.listening(on: port) + words)
        kept.workers.append(worker)
        let port = try worker.port()
        try worker.expectReady()
        return (worker, port)
    }

    @Test func `by keyboard alone an operator signs in and finds out why a notice did not come`() throws {
        let (_, port) = try worker()
        Browser("why", shell, port: port).expectDone()
    }

    @Test func `a notice is followed live from its raising to its delivery, and a paused view stands still`() throws {
        let (_, port) = try worker()
        Browser("live", shell, port: port).expectDone()
    }

    @Test func `the log of partitions is read newest first to its beginning, and every link names its partition`()
        throws
    {
        let (_, port) = try worker("--partitions", "4")
        Browser("partitions", shell, port: port).expectDone()
    }

    @Test func `a policy is held against another over the log and adopted from there`() throws {
        let (_, port) = try worker()
        Browser("policy", shell, port: port).expectDone()
    }

    @Test func `an operator's changes gather in sentences before they are saved`() throws {
        let (_, port) = try worker()
        Browser("preferences", shell, port: port).expectDone()
    }

    @Test func `an administrator erases a person, and types the id for it`() throws {
        let (_, port) = try worker()
        Browser("erase", shell, port: port).expectDone()
    }

    @Test func `who may only read is offered nothing to change`() throws {
        let made = shell.belfry("token", "make", "--tokens", "tokens", "--name", "guest", "--role", "read")
        try #require(made.code == 0, "\(made.errors)")
        let (_, port) = try worker("--tokens", "tokens")
        Browser("read-only", shell, port: port, readToken: made.line(0)).expectDone()
    }

    @Test func `a person changes settings, sees first what a preset does, and takes a change back`() throws {
        let (_, port) = try worker("--policy", "microcommit")
        Browser("settings", shell, port: port).expectDone()
    }

    @Test func `a time that is typed digit by digit is saved once, as it was typed`() throws {
        let (_, port) = try worker()
        Browser("typed", shell, port: port).expectDone()
    }

    @Test func `a person reads times by their own clock, and why a setting is refused by its label`() throws {
        let (_, port) = try worker("--policy", "microcommit")
        Browser("their-time", shell, port: port).expectDone()
    }

    @Test func `a number that cannot be saved is marked, and a sentence that stays names it`() throws {
        let (_, port) = try worker("--policy", "messageai")
        Browser("numbers", shell, port: port).expectDone()
    }

    @Test func `people whose ids are dots are opened, changed and open their own page as everybody`() throws {
        let (_, port) = try worker()
        Browser("dots", shell, port: port).expectDone()
    }

    @Test func `a day is drawn anew as things happen, stands still when paused, and fits a phone`() throws {
        let (_, port) = try worker()
        Browser("live-day", shell, port: port).expectDone()
    }

    @Test func `what can be set for one goal stands in groups`() throws {
        let (_, port) = try worker("--policy", "microcommit")
        Browser("goal", shell, port: port).expectDone()
    }

    @Test func `an operator reads until when it is quiet, what counts, and whose clock a time is by`() throws {
        let (_, port) = try worker()
        Browser("day", shell, port: port).expectDone()
    }

    @Test(.withPhones) func `a person verifies a phone with the code that came to it`() throws {
        let phones = try Phones(shell)
        let (_, port) = try worker("--policy", "microcommit", "--senders", "phones/senders.json")
        let browser = Browser("phone", shell, port: port)
        #expect(browser.line() == "code?")
        let text = try phones.shown("is your verification code")
        browser.answer(String(try #require(text.firstMatch(of: #/[0-9]{6}/#)).0))
        browser.expectDone()
        _ = phones.end()
    }

    @Test(.withAnalyser) func `a person tries the analyser on their latest conversation (A7)`() throws {
        let (server, address) = try AnalyserServer.start(shell)
        try AnalyserServer.write(address, model: "ok", to: shell)
        let (_, port) = try worker("--policy", "messageai", "--senders", "senders.json")
        Browser("analysis", shell, port: port).expectDone()
        server.send("end\n")
    }

    @Test func `a person's pass that ended is told of, and another goes on`() throws {
        let (_, port) = try worker("--policy", "microcommit")
        Browser("ended", shell, port: port).expectDone()
    }

    @Test func `two devices change the same settings, and neither takes back what the other saved`() throws {
        let (_, port) = try worker("--policy", "microcommit")
        Browser("two-devices", shell, port: port).expectDone()
    }

    @Test(arguments: ["zone", "no-pass", "their-history", "more-hours", "pure"])
    func `a person's own page where things go otherwise than usual`(scenario: String) throws {
        let (_, port) = try worker("--policy", "microcommit")
        Browser(scenario, shell, port: port).expectDone()
    }

    @Test func `who switches the last channel off is asked first`() throws {
        let (_, port) = try worker()
        Browser("silence", shell, port: port).expectDone()
    }

    @Test func `what a person changes while the worker is away is saved when it is back`() throws {
        let (first, port) = try worker("--policy", "microcommit")
        let browser = Browser("away", shell, port: port)
        #expect(browser.line() == "stop")
        first.send(signal: SIGTERM)
        _ = first.end()
        browser.answer("stopped")
        #expect(browser.line() == "start")
        let (_, again) = try worker(port: port)
        #expect(again == port)
        browser.expectDone()
    }

    @Test func `an app shows the settings page in a frame`() throws {
        let app = try DemoApp.reserve()
        let (_, port) = try worker("--policy", "microcommit", "--origin", app.origin)
        let server = app.start(shell, worker: port)
        Browser("frame", shell, port: port, arguments: [app.origin]).expectDone()
        server.send(signal: SIGTERM)
    }

    @Test func `a worker that is gone is told of, and the page goes on when it is back`() throws {
        let (first, port) = try worker()
        let browser = Browser("lost", shell, port: port)
        #expect(browser.line() == "stop")
        first.send(signal: SIGTERM)
        _ = first.end()
        #expect(browser.line() == "start")
        let (_, again) = try worker(port: port)
        #expect(again == port)
        browser.expectDone()
    }

    @Test(arguments: ["1440 light", "1440 dark", "360 light", "360 dark"])
    func `axe finds nothing on any page, and nothing sticks out`(look: String) throws {
        try shell.importTown(policy: "standard")
        let (_, port) = try worker()
        Browser("looks", shell, port: port, arguments: look.split(separator: " ").map(String.init)).expectDone()
    }

    @Test func `hostile texts are shown as text, run nothing and break no layout`() throws {
        try shell.importTown(policy: "standard")
        let (_, port) = try worker()
        Browser("hostile", shell, port: port).expectDone()
    }

    @Test func `the first view of a person is at most 150 KiB over the wire`() throws {
        try shell.importTown(policy: "standard")
        let (_, port) = try worker()
        let browser = Browser("first-view", shell, port: port)
        print(browser.line() ?? "")
        browser.expectDone()
    }
}

/// `ops/demo/settings`, the example of an app with the settings page in a frame.
struct DemoApp {
    let port: Int
    var origin: String { "http://127.0.0.1:\(port)" }

    /// The worker has to know the origin before the app can start: the port is asked for and given back.
    static func reserve() throws -> DemoApp {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                guard bind(descriptor, general, length) == 0, getsockname(descriptor, general, &length) == 0 else {
                    return 0
                }
                return Int(place.pointee.sin_port.byteSwapped)
            }
        }
        try #require(port != 0, "no port")
        return DemoApp(port: port)
    }

    func start(_ shell: Shell, worker: Int) -> Running {
        let script = Browser.package.appending(path: "ops/demo/settings").path
        let running = Running(
            [
                "/usr/bin/env", "python3", script, "--worker", "http://127.0.0.1:\(worker)", "--token-file", "token",
                "--user", "gina", "--port", "\(port)",
            ], in: shell.directory.path, environment: Browser.environment)
        #expect(running.line()?.contains(origin) == true)
        return running
    }
}
