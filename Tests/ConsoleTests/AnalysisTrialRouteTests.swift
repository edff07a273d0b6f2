import Notices
import Synchronization
import Testing

@testable import Console

@Suite("POST …/test-analysis (A7)")
struct AnalysisTrialRouteTests {
    private func answer(
        _ answer: AnalysisTrialAnswer, body: String = ""
    ) -> (status: Int, headers: HTTPHeaders, text: String) {
        var service = Worker().service
        service.persons?.tryAnalysis = { user, reply in reply(user == "anna" ? answer : .unknown) }
        return Router(service).answer(
            "POST", "/v1/people/anna/test-analysis", [("content-type", "application/json")], body: body)
    }

    private func ask(_ said: AnalysisTrialAnswer, body: String = "") -> (Int, String) {
        let response = answer(said, body: body)
        return (response.status, response.text)
    }

    @Test func `what the analyser would say is told, with the note that nothing was sent`() throws {
        var said = AnalysisAnswered()
        said.conversation = Identifier("c1")
        said.shouldNotify = true
        said.priority = .high
        said.reason = Text("asks for help")
        said.noticeText = Text("Ben needs help")
        let (status, text) = ask(.done(try AnalysisTrial.outcome(said)))
        #expect(status == 200)
        #expect(
            text == """
                {"conversation":"c1","should_notify":true,"priority":"high","reason":"asks for help",\
                "text":"Ben needs help","note":"This is a test: nothing was sent."}

                """)
    }

    @Test func `its two failures are told in their words`() {
        #expect(ask(.failed(.noConversation)) == (404, #"{"error":"no recent conversations to test"}"# + "\n"))
        let unavailable = answer(.failed(.unavailable))
        #expect(unavailable.status == 503 && unavailable.headers["Retry-After"] == "1")
        #expect(unavailable.text == #"{"error":"AI temporarily unavailable"}"# + "\n")
    }

    @Test func `it takes no words`() {
        #expect(ask(.failed(.unavailable), body: #"{"conversation":"c2"}"#).0 == 400)
        #expect(ask(.unknown).0 == 404)
    }

    @Test func `a person may ask for ten an hour by themselves, where the analyser may have been asked (G11)`() throws {
        let entry = try Entry()
        let said = Mutex(AnalysisTrialAnswer.failed(.noConversation))
        var service = entry.worker.service
        service.persons?.tryAnalysis = { _, reply in reply(said.withLock { $0 }) }
        let router = Router(service)
        func ask(_ token: String) -> (status: Int, headers: HTTPHeaders, text: String) {
            router.answer(
                "POST", "/v1/people/anna/test-analysis", [("Host", "belfry"), ("Authorization", "Bearer \(token)")],
                through: .port(entry.keeper))
        }
        let anna = entry.person("anna")
        for _ in 0..<12 { #expect(ask(anna).status == 404) }
        said.withLock { $0 = .failed(.unavailable) }
        for _ in 0..<12 { #expect(ask(Entry.token(.operate)).status == 503) }
        for _ in 0..<10 { #expect(ask(anna).status == 503) }
        let many = ask(anna)
        #expect(many.status == 429 && many.headers["Retry-After"] == "3600")
        #expect(many.text == #"{"error":"You have asked for many test runs. Try again in 60 minutes."}"# + "\n")
        #expect(ask(Entry.token(.operate)).status == 503)
    }
}
