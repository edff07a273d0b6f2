import CivilTime
import Notices
import Testing

@Suite("traceparent (N11)")
struct TraceParentTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"

    @Test func `a header is kept and written as it came`() throws {
        let text = "00-\(Self.trace)-b7ad6b7169203331-01"
        let parent = try #require(TraceParent(header: text))
        #expect(parent.text == text)
        #expect(parent.withBytes { TraceParent($0) } == parent)
    }

    @Test func `a later version is read as this one, and flags nobody knows are not passed on`() {
        #expect(
            TraceParent(header: "cc-\(Self.trace)-b7ad6b7169203331-ff-what-comes-then")?.text
                == "00-\(Self.trace)-b7ad6b7169203331-03")
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-b7ad6b7169203331", "00-\(trace)-b7ad6b7169203331-1",
        "ff-\(trace)-b7ad6b7169203331-01", "00-\(trace)-b7ad6b7169203331-01-more",
        "cc-\(trace)-b7ad6b7169203331-01more", "00-\(trace.uppercased())-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace)-b7ad6b716920333g-01", "00_\(trace)-b7ad6b7169203331-01", " 00-\(trace)-b7ad6b7169203331-01",
    ])
    func `what is none is ignored`(text: String) {
        #expect(TraceParent(header: text) == nil)
    }

    @Test func `an event prints it behind when it happened`() {
        let event = Event(
            seq: 7, at: .init(milliseconds: 0), user: "anna", id: "k",
            trace: TraceParent(header: "00-\(Self.trace)-b7ad6b7169203331-01"),
            payload: .appOpened(AppOpened()))
        var line = ByteBuffer()
        event.writeJSON(into: &line)
        #expect(
            String(decoding: line.bytes, as: UTF8.self)
                == #"{"seq":7,"at":"1970-01-01T00:00:00.000Z","type":"app_opened","user":"anna","id":"k","traceparent":"00-\#(Self.trace)-b7ad6b7169203331-01","data":{}}"#
        )
    }
}
