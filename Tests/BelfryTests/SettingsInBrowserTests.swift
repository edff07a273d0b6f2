import CivilTime
import Foundation
import Testing

extension InBrowser {
    /// The settings page (`V3`) of a real worker, in a real browser.
    @Suite("A person's page in Chromium")
    struct SettingsInBrowserTests {
        let bench = PageBench()
        private var shell: Shell { bench.shell }

        @Test func `a person changes settings, sees first what a preset does, and takes a change back`() throws {
            let (_, port) = try bench.worker("--policy", "microcommit")
            Browser("settings", shell, port: port).expectDone()
        }

        @Test
        func `what a person saved is taken back by a key, whenever they come to it, and the focus is where it was`()
            throws
        {
            let (_, port) = try bench.worker("--policy", "microcommit")
            Browser("undo", shell, port: port).expectDone()
        }

        @Test func `a time that is typed digit by digit is saved once, as it was typed`() throws {
            let (_, port) = try bench.worker()
            Browser("typed", shell, port: port).expectDone()
        }

        @Test func `a person reads times by their own clock, and why a setting is refused by its label`() throws {
            let (_, port) = try bench.worker("--policy", "microcommit")
            Browser("their-time", shell, port: port).expectDone()
        }

        @Test func `a number that cannot be saved is marked, and a sentence that stays names it`() throws {
            let (_, port) = try bench.worker("--policy", "messageai")
            Browser("numbers", shell, port: port).expectDone()
        }

        @Test(.withPhones) func `a person verifies a phone with the code that came to it`() throws {
            let phones = try Phones(shell)
            let (_, port) = try bench.worker("--policy", "microcommit", "--senders", "phones/senders.json")
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
            let (_, port) = try bench.worker("--policy", "messageai", "--senders", "senders.json")
            Browser("analysis", shell, port: port).expectDone()
            server.send("end\n")
        }

        @Test func `a person's pass that ended is told of, and another goes on`() throws {
            let (_, port) = try bench.worker("--policy", "microcommit")
            Browser("ended", shell, port: port).expectDone()
        }

        @Test func `text of twice the size hides no switch and no value`() throws {
            let (_, port) = try bench.worker("--policy", "microcommit")
            Browser("large-text", shell, port: port).expectDone()
        }

        @Test func `where something is removed by keyboard, one stays where it was`() throws {
            let (_, port) = try bench.worker("--policy", "microcommit")
            Browser("removed", shell, port: port).expectDone()
        }

        @Test func `two devices change the same settings, and neither takes back what the other saved`() throws {
            let (_, port) = try bench.worker("--policy", "microcommit")
            Browser("two-devices", shell, port: port).expectDone()
        }

        @Test(arguments: [
            "zone", "no-pass", "their-history", "more-hours", "two-edits", "pure", "untitled", "other-pass", "behind",
            "marks", "starting", "overtaken", "history-again", "code-elsewhere",
        ])
        func `a person's own page where things go otherwise than usual`(scenario: String) throws {
            let (_, port) = try bench.worker("--policy", "microcommit")
            Browser(scenario, shell, port: port).expectDone()
        }

        @Test(arguments: ["begun-word", "two-presses"])
        func `a list is changed faster than it is saved, and a word that was begun stays where it is`(scenario: String)
            throws
        {
            let (_, port) = try bench.worker("--policy", "messageai")
            Browser(scenario, shell, port: port).expectDone()
        }

        @Test func `who switches the last channel off is asked first`() throws {
            let (_, port) = try bench.worker()
            Browser("silence", shell, port: port).expectDone()
        }

        @Test func `what a person changes while the worker is away is saved when it is back`() throws {
            let (first, port) = try bench.worker("--policy", "microcommit")
            let browser = Browser("away", shell, port: port)
            #expect(browser.line() == "stop")
            first.send(signal: SIGTERM)
            _ = first.end()
            browser.answer("stopped")
            #expect(browser.line() == "start")
            let (_, again) = try bench.worker(port: port)
            #expect(again == port)
            browser.expectDone()
        }

        @Test func `an app shows the settings page in a frame`() throws {
            let app = try DemoApp.reserve()
            let (_, port) = try bench.worker("--policy", "microcommit", "--origin", app.origin)
            let server = app.start(shell, worker: port)
            Browser("frame", shell, port: port, arguments: [app.origin]).expectDone()
            server.send(signal: SIGTERM)
        }
    }
}
