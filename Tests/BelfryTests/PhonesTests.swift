import Foundation
import Testing

/// The README's ten minutes: jobs come to phones.
@Suite("belfry run --senders, and phones")
struct PhonesTests {
    let shell = Shell()

    private func asked(_ user: String, _ title: String) -> String {
        fact("notice_requested", user: user, data: #"{"kind":"urgent","title":"\#(title)","body":"Now"}"#)
    }

    @Test(.withPhones) func `a notice comes to an iPhone, an Android phone and a browser`() throws {
        let phones = try Phones(shell)
        let worker = shell.start(["run", "--senders", "phones/senders.json", "--jobs", "spool:out"])
        try worker.expectReady()
        #expect(shell.belfry("append", "phones/people.jsonl").code == 0)
        #expect(shell.belfry("append", input: asked("ana", "Look out")).code == 0)
        try phones.expect("iPhone 1a1a1a1a…")
        try phones.expect("│ Look out")
        #expect(shell.belfry("append", input: asked("lea", "Over here")).code == 0)
        // Two devices, in whatever order they are reached.
        try phones.expect("│ Over here")
        try phones.expect("│ Over here")
        let follower = shell.start(["log", "--follow", "--type", "job_delivered"])
        #expect(follower.line()?.contains(#""channel":"push""#) == true)
        let sent = shell.belfry("history", "--user", "ana").line(1)
        #expect(sent.contains("  sent  ") && sent.contains("“Look out: Now”  sent on push"), "\(sent)")
        worker.expectStopped()
        #expect(phones.end().errors == "")
    }

    @Test(.withPhones) func `a device that is gone is removed, and the log says why`() throws {
        let phones = try Phones(shell)
        let worker = shell.start(["run", "--senders", "phones/senders.json", "--jobs", "spool:out"])
        try worker.expectReady()
        let dead = String(repeating: "dead", count: 16)
        let enrolled =
            fact("user_enrolled", user: "tom", data: #"{"timezone":"UTC"}"#)
            + fact(
                "device_registered", user: "tom",
                data: #"{"device":"old","platform":"ios","token":"\#(dead)"}"#)
        #expect(shell.belfry("append", input: enrolled + asked("tom", "Hello")).code == 0)
        try phones.expect("the iPhone deaddead… is gone")
        let follower = shell.start(["log", "--follow", "--type", "device_removed"])
        #expect(follower.line()?.contains(#""device":"old""#) == true)
        worker.expectStopped()
        _ = phones.end()
    }
}
