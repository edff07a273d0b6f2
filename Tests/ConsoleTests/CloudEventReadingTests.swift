import CivilTime
import Foundation
import Notices
import Testing

@testable import Console

/// What is a CloudEvent, and what is none (V7). That their own library makes such is for the tests of the whole program.
@Suite("CloudEvents as facts")
struct CloudEventReadingTests {
    private let worker = Worker()

    private func post(_ body: String, _ headers: (String, String)...) -> (status: Int, text: String) {
        let answer = Router(worker.service).answer("POST", "/v1/facts", headers, body: body)
        return (answer.status, answer.text)
    }

    private static let one = ("Content-Type", "application/cloudevents+json; charset=utf-8")
    private static let batch = ("Content-Type", "application/cloudevents-batch+json")

    private func event(_ more: String = "", id: String = "7", source: String = "/shop", version: String = "1.0")
        -> String
    {
        #"{"specversion":"\#(version)","type":"app_opened","source":"\#(source)","id":"\#(id)","subject":"anna"\#(more)}"#
    }

    @Test func `its attributes are the fact's`() throws {
        #expect(post(event(#","time":"2026-03-02T14:00:00.5Z","extension":{"a":1}"#), Self.one).status == 200)
        let fact = try #require(worker.orders.first?.facts.first)
        #expect(fact.user == "anna" && fact.at?.milliseconds == 1_772_460_000_500)
        #expect(fact.id?.hasPrefix("ce:") == true && fact.id?.utf8.count == 35)
    }

    @Test func `only source and id together name it`() {
        let events = [event(), event(id: "8"), event(source: "/other"), event(id: "p7", source: "/sho"), event()]
        #expect(post("[\(events.joined(separator: ","))]", Self.batch).status == 200)
        let ids = worker.orders.first?.facts.compactMap(\.id) ?? []
        #expect(ids.count == 5 && Set(ids).count == 4 && ids.first == ids.last)
    }

    @Test func `in binary mode the headers are its attributes, decoded`() throws {
        let answer = post(
            #"{"points":3}"#, ("content-type", "application/json"), ("CE-SpecVersion", "1.0"),
            ("ce-type", "points_earned"),
            ("ce-source", "/shop"), ("ce-id", "caf%C3%A9"), ("ce-subject", "anna"),
            ("ce-traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        #expect(answer.status == 200, "\(answer.text)")
        let fact = try #require(worker.orders.first?.facts.first)
        #expect(fact.trace != nil)
        #expect(post(event(id: "café"), Self.one).status == 200)
        #expect(worker.orders.last?.facts.first?.id == fact.id)
    }

    private func opened(by subject: String) -> (status: Int, text: String) {
        post(
            "", ("ce-specversion", "1.0"), ("ce-type", "app_opened"), ("ce-source", "/s"), ("ce-id", "1"),
            ("ce-subject", subject))
    }

    /// The HTTP binding, 3.1.3.2: earlier versions of it had such, and both are to be read.
    @Test(arguments: [#""anna""#, #""an\na""#, #""a%6Ena""#, "a%6ena", #""a\%6Ena""#])
    func `in binary mode an attribute may stand in double quotes, and is decoded once`(subject: String) {
        #expect(opened(by: subject).status == 200)
        #expect(worker.orders.first?.facts.first?.user == "anna")
    }

    @Test(arguments: [#""anna"#, #""anna\""#, #""anna"x"#, "ann%61%", "ann%6", "ann%+1", "ann%-1", "%C0%A0", "%zz"])
    func `in binary mode what is neither is refused`(subject: String) {
        let answer = opened(by: subject)
        #expect(answer.status == 400)
        #expect(answer.text.contains(#""refused":"ce-subject: is not percent-encoded"#), "\(answer.text)")
        #expect(worker.orders.isEmpty)
    }

    /// Pasted behind `"data":` the first would say whom the fact is about.
    @Test(arguments: [#"{},"user":"mallory""#, "{}{}", #"{"a":}"#, "nonsense", " "])
    func `data is one JSON value, in whichever mode it comes`(data: String) throws {
        let binary = post(
            data, ("content-type", "application/json"), ("ce-specversion", "1.0"), ("ce-type", "app_opened"),
            ("ce-source", "/s"), ("ce-id", "1"))
        let coded = Data(data.utf8).base64EncodedString()
        let structured = post(
            #"{"specversion":"1.0","type":"app_opened","source":"/s","id":"1","data_base64":"\#(coded)"}"#, Self.one)
        for answer in [binary, structured] {
            #expect(answer.status == 400)
            #expect(answer.text.contains(#""refused":"data: is not JSON: "#), "\(answer.text)")
        }
        #expect(worker.orders.isEmpty && worker.refused == ["app_opened": 2])
    }

    @Test func `data may be Base64 of JSON`() {
        let data = "eyJwb2ludHMiOjN9"
        let body =
            #"{"specversion":"1.0","type":"points_earned","source":"/s","id":"1","subject":"anna","data_base64":"\#(data)"}"#
        #expect(post(body, Self.one).status == 200)
        #expect(post(body.replacing(data, with: "e!"), Self.one).text.contains("data_base64: is not Base64"))
        // Which of two would count is nobody's to guess.
        let both = body.replacing(#""id":"1""#, with: #""id":"1","data":{"points":4}"#)
        #expect(post(both, Self.one).text.contains("data_base64: is given twice: a CloudEvent has data or data_base64"))
    }

    @Test(arguments: [
        ("specversion", #"{"specversion":"0.3","type":"app_opened","source":"/s","id":"1"}"#),
        ("type", #"{"specversion":"1.0","source":"/s","id":"1"}"#),
        ("source", #"{"specversion":"1.0","type":"app_opened","id":"1"}"#),
        ("id", #"{"specversion":"1.0","type":"app_opened","source":"/s","id":""}"#),
        ("subject", #"{"specversion":"1.0","type":"app_opened","source":"/s","id":"1","subject":"a b"}"#),
        ("time", #"{"specversion":"1.0","type":"app_opened","source":"/s","id":"1","subject":"anna","time":"noon"}"#),
        (
            "datacontenttype",
            #"{"specversion":"1.0","type":"app_opened","source":"/s","id":"1","subject":"anna","datacontenttype":"text/xml","data":"<a/>"}"#
        ),
    ])
    func `what is wrong is told by the attribute's own name`(name: String, body: String) {
        let answer = post(body, Self.one)
        #expect(answer.status == 400)
        #expect(answer.text.contains(#""refused":"\#(name): "#), "\(answer.text)")
        #expect(worker.orders.isEmpty)
    }

    @Test func `in a batch each has its place, and the others go in`() {
        let answer = post("[\(event()),7,\(event(id: "9", version: "2"))]", Self.batch)
        #expect(answer.status == 400)
        #expect(
            answer.text.hasPrefix(
                #"{"accepted":1,"refused":2,"results":[{"line":1,"seq":1},{"line":2,"refused":"a CloudEvent"#))
        #expect(post("{}", Self.batch).status == 400)
        #expect(post("[", Self.batch).status == 400)
    }

    @Test func `a trace of its own counts for more than the request's, and what is none for nothing`() {
        let own = "00-11111111111111111111111111111111-2222222222222222-00"
        let header = ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        let events = [event(#","traceparent":"\#(own)""#), event(#","traceparent":"?""#, id: "8")]
        #expect(post("[\(events.joined(separator: ","))]", Self.batch, header, ("traceparent", own)).status == 200)
        #expect(worker.orders.first?.facts.map { $0.trace?.text } == [own, header.1])
    }
}
