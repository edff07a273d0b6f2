import Delivery
import Foundation
import Testing

/// `N10` as it is run: texts go to the analyser, its answer becomes a fact, and the texts are nowhere (`A1`).
@Suite("belfry run, the analyser")
struct AnalyserRunTests {
    let shell = Shell()
    /// Ten messages: as many as are analysed at once.
    private var messages: String {
        (1...10).map { number in
            fact(
                "message_received", user: "sam",
                data: #"{"conversation":"lunch","message":"m\#(number)","sender":"priya","text":"the word is xyzzy"}"#)
        }.joined()
    }

    private let enrolled =
        fact("user_enrolled", user: "sam", data: #"{"timezone":"\#(Noon.zone)"}"#)
        + fact("consent_given", user: "sam", data: #"{"by":"user"}"#)
        + fact("preferences_changed", user: "sam", data: #"{"patch":{"active_conversation_threshold":10}}"#)

    @Test(.withAnalyser, arguments: ["ok", "500"])
    func `what it says becomes a fact, and what people wrote is nowhere`(model: String) throws {
        let (server, port) = try AnalyserServer.start(shell)
        try AnalyserServer.write(port, model: model, to: shell)
        #expect(shell.belfry("senders", "check", "senders.json").code == 0)
        let worker = shell.start([
            "run", "--policy", "messageai", "--senders", "senders.json", "--jobs", "spool:out", "--log-level", "debug",
        ])
        try worker.expectReady()
        let follower = shell.start([
            "log", "--follow", "--type", model == "ok" ? "analysis_answered" : "analysis_failed",
        ])
        #expect(shell.belfry("append", input: enrolled + messages).code == 0)
        let said = try Printed(try #require(follower.line()))
        if model == "ok" {
            #expect((said["data.should_notify"], said["data.priority"]) == ("true", "high"))
            #expect(said["data.text"] == "Priya asks when you come")
        } else {
            #expect(said["data.reason"] == "answered 500")
        }
        let end = worker.expectStopped()
        server.send("end\n")
        let asked = try #require(server.line())
        #expect(asked.contains("xyzzy") && !asked.contains(#""problem": ""#))
        #expect(!end.errors.contains("xyzzy") && !end.errors.contains("sk-demo"))
        #expect(Secrets(["xyzzy"]).found(under: "events/log", of: shell) == [])
        // What is sealed there would be no word among the bytes, and is opened here.
        let log = shell.belfry("log").output
        #expect(log.contains(#""message":"m10""#) && !log.contains("xyzzy"), "\(log)")
    }

    /// `A4`, `A7`: a test run is in no log, and whoever failed it is not untested.
    @Test(.withAnalyser, arguments: [("ok", 200, "active"), ("empty", 503, "using_fallback")])
    func `what came of a test run is shown as the analyser's standing`(model: String, code: Int, standing: String)
        throws
    {
        let (server, port) = try AnalyserServer.start(shell)
        try AnalyserServer.write(port, model: model, to: shell)
        let worker = shell.start(["run", "--policy", "messageai", "--senders", "senders.json", "--jobs", "spool:out"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let message = #"{"conversation":"lunch","message":"m1","sender":"priya","text":"the word is xyzzy"}"#
        _ = door.append(enrolled + fact("message_received", user: "sam", data: message))
        func status() throws -> String? {
            try Printed(try #require(door.get("v1/people/sam/state")).text)["smart.status"]
        }
        #expect(try status() == "untested")
        #expect(door.post("v1/people/sam/test-analysis", "")?.status == code)
        #expect(try status() == standing)
        // It was not known then, and no log tells of it.
        #expect(
            try Printed(try #require(door.get("v1/people/sam/state?at=5")).text)["smart.status"] == "untested")
        worker.expectStopped()
        server.send("end\n")
        #expect(shell.belfry("log").lines.allSatisfy { !$0.contains("analysis_") })
    }
}
