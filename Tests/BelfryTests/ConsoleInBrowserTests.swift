import CivilTime
import Foundation
import Testing

extension InBrowser {
    /// The console (`V1`) of a real worker, in a real browser.
    @Suite("The console in Chromium")
    struct ConsoleInBrowserTests {
        let bench = PageBench()
        private var shell: Shell { bench.shell }

        @Test func `by keyboard alone an operator signs in and finds out why a notice did not come`() throws {
            let (_, port) = try bench.worker()
            Browser("why", shell, port: port).expectDone()
        }

        @Test func `a notice is followed live from its raising to its delivery, and a paused view stands still`() throws
        {
            let (_, port) = try bench.worker()
            Browser("live", shell, port: port).expectDone()
        }

        @Test func `the log of partitions is read newest first to its beginning, and every link names its partition`()
            throws
        {
            let (_, port) = try bench.worker("--partitions", "4")
            Browser("partitions", shell, port: port).expectDone()
        }

        @Test func `a policy is held against another over the log and adopted from there`() throws {
            let (_, port) = try bench.worker()
            Browser("policy", shell, port: port).expectDone()
        }

        @Test func `who looks at a comparison of somebody else's does not end it by leaving`() throws {
            let (_, port) = try bench.worker()
            Browser("shared-comparison", shell, port: port).expectDone()
        }

        @Test(arguments: ["preferences", "saved-meanwhile"])
        func `an operator's changes gather in sentences, and what comes while they are saved stays`(scenario: String)
            throws
        {
            let (_, port) = try bench.worker()
            Browser(scenario, shell, port: port).expectDone()
        }

        @Test func `an administrator erases a person, and types the id for it`() throws {
            let (_, port) = try bench.worker()
            Browser("erase", shell, port: port).expectDone()
        }

        @Test func `who may only read is offered nothing to change`() throws {
            let made = shell.belfry("token", "make", "--tokens", "tokens", "--name", "guest", "--role", "read")
            try #require(made.code == 0, "\(made.errors)")
            let (_, port) = try bench.worker("--tokens", "tokens")
            Browser("read-only", shell, port: port, readToken: made.line(0)).expectDone()
        }

        @Test(arguments: ["retries", "their-retries"])
        func `sending again is offered only where it can work, and else it says why not`(scenario: String) throws {
            importFailure()
            let (_, port) = try bench.worker()
            Browser(scenario, shell, port: port).expectDone()
        }

        /// Rhea was to be told within an hour, two days ago: the worker finds that it is too late. It has no check-in to catch up with,
        /// which would be delivered too.
        private func importFailure() {
            let start = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).advanced(byHours: -48)
            let token = String(repeating: "a", count: 64)
            shell.importing(
                fact("user_enrolled", user: "rhea", at: "\(start)", data: #"{"timezone":"Asia/Tokyo"}"#)
                    + fact(
                        "preferences_changed", user: "rhea", at: "\(start)",
                        data: #"{"patch":{"check_ins_enabled":false}}"#)
                    + fact(
                        "device_registered", user: "rhea", at: "\(start)",
                        data: #"{"device":"phone","platform":"ios","token":"\#(token)"}"#)
                    + fact(
                        "notice_requested", user: "rhea", at: "\(start)",
                        data:
                            #"{"kind":"urgent","title":"Water in the cellar","expires_at":"\#(start.advanced(byHours: 1))"}"#
                    ))
        }

        @Test func `whoever has a person open who is erased is told what happened and where to go`() throws {
            let (_, port) = try bench.worker()
            Browser("erased-elsewhere", shell, port: port).expectDone()
        }

        @Test(arguments: ["agenda", "brought-forward", "erased-links"])
        func `every wake is answered for by itself, and every link leads to what there is`(scenario: String) throws {
            let (_, port) = try bench.worker()
            Browser(scenario, shell, port: port).expectDone()
        }

        @Test func `by keyboard a filter keeps the focus, and a date is gone to when it is typed`() throws {
            let (_, port) = try bench.worker()
            Browser("keyboard", shell, port: port).expectDone()
        }

        @Test func `people whose ids are dots are opened, changed and open their own page as everybody`() throws {
            let (_, port) = try bench.worker()
            Browser("dots", shell, port: port).expectDone()
        }

        @Test func `a day is drawn anew as things happen, stands still when paused, and fits a phone`() throws {
            let (_, port) = try bench.worker()
            Browser("live-day", shell, port: port).expectDone()
        }

        @Test func `what can be set for one goal stands in groups`() throws {
            let (_, port) = try bench.worker("--policy", "microcommit")
            Browser("goal", shell, port: port).expectDone()
        }

        @Test func `an operator reads until when it is quiet, what counts, and whose clock a time is by`() throws {
            let (_, port) = try bench.worker()
            Browser("day", shell, port: port).expectDone()
        }

        @Test(arguments: ["strip", "draft-overtaken", "finding-back", "clocks", "busy"])
        func `nothing is hidden or saved unseen, times name their clock, and everybody finds back`(scenario: String)
            throws
        {
            let (_, port) = try bench.worker()
            Browser(scenario, shell, port: port).expectDone()
        }

        @Test(arguments: ["unseen", "gateway", "comparison", "wrong"])
        func `what stands between the page and the worker is told of, and the page goes on by itself`(scenario: String)
            throws
        {
            let (_, port) = try bench.worker()
            Browser(scenario, shell, port: port).expectDone()
        }

        @Test(arguments: ["under-the-hand", "filters", "long-lists", "turn-of-the-day"])
        func `nothing moves under the hand, every filter comes off, and times stay right as days go by`(
            scenario: String
        ) throws {
            let (_, port) = try bench.worker()
            Browser(scenario, shell, port: port).expectDone()
        }

        @Test func `words and hours show in an operator's form at once, and what was saved is told as saved`() throws {
            let (_, port) = try bench.worker("--policy", "messageai")
            Browser("words", shell, port: port).expectDone()
        }

        @Test func `a worker that is gone is told of, and the page goes on when it is back`() throws {
            let (first, port) = try bench.worker()
            let browser = Browser("lost", shell, port: port)
            #expect(browser.line() == "stop")
            first.send(signal: SIGTERM)
            _ = first.end()
            #expect(browser.line() == "start")
            let (_, again) = try bench.worker(port: port)
            #expect(again == port)
            browser.expectDone()
        }
    }
}
