import CivilTime
@testable import Console
import Notices
import Testing

@Suite("Health and readiness")
struct HealthRouteTests {
    private let worker = Worker()
    private var router: Router { Router(worker.service) }

    @Test func `health tells how the worker is`() {
        let answer = router.answer("GET", "/health")
        #expect(answer.status == 200)
        #expect(
            answer.text == """
                {"status":"ready","why_not":null,"version":"1.2.3","last_seq":42,\
                "recorded_at":"1970-01-01T00:00:00.000Z","people":7,"waiting_jobs":1,"uptime_seconds":60,"carriers":[],\
                "log_check":{"underway":null,"whole_at":null},"troubles":[]}

                """)
        #expect(router.answer("GET", "/ready").text == "{\"ready\":true}\n")
    }

    @Test func `health tells how far the check of the log is, and when it was last found whole`() {
        var service = worker.service
        let health = service.health
        service.health = {
            var checking = health()
            checking.logCheck = Health.LogCheck(
                underway: .init(bytes: 7, ofBytes: 9), wholeAt: Instant(milliseconds: 1000))
            return checking
        }
        let said = #""log_check":{"underway":{"bytes":7,"of_bytes":9},"whole_at":"1970-01-01T00:00:01.000Z"}"#
        #expect(Router(service).answer("GET", "/health").text.contains(said))
    }

    @Test func `health of a worker of a cluster tells which copies cannot be used`() {
        var service = worker.service
        let health = service.health
        service.health = {
            var troubled = health()
            troubled.unusableCopies = [3: "in use", -1: "damaged"]
            return troubled
        }
        let said =
            #""unusable_copies":[{"partition":-1,"problem":"damaged"},{"partition":3,"problem":"in use"}]"#
        #expect(Router(service).answer("GET", "/health").text.contains(said))
    }

    @Test func `a worker that is not ready is healthy all the same`() {
        var service = worker.service
        let health = service.health
        service.health = {
            var unready = health()
            unready.whyNotReady = "still replaying"
            return unready
        }
        let router = Router(service)
        #expect(router.answer("GET", "/health").status == 200)
        let ready = router.answer("GET", "/ready")
        #expect(ready.status == 503)
        #expect(ready.text == "{\"ready\":false,\"why_not\":\"still replaying\"}\n")
        #expect(ready.headers["Retry-After"] == "1")
    }

    @Test func `health is answered while everything is busy`() throws {
        var limits = HTTPLimits()
        limits.requestsMax = 1
        let asked = Asked()
        var service = worker.service
        service.questions?.ask = { _, asker, reply in
            asked.take(HTTPRequest(method: "", target: ""), asker) { _ in reply(.found([])) }
        }
        let serving = try Serving(limits: limits, Router(service).handler)
        let (first, second) = (serving.client, serving.client)
        first.send(Client.request("GET", "/v1/people/anna/state"))
        let held = asked.next()
        #expect(second.ask("GET", "/v1/people/anna/state")?.status == 503)
        #expect(second.ask("GET", "/health")?.status == 200)
        held.reply(HTTPResponse(status: 200))
        #expect(first.response()?.status == 200)
    }
}
