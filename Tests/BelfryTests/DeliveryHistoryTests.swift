import Foundation
import Testing

/// `N3`: what was taken is sent, and what arrived is delivered; every try and every report is told.
@Suite("belfry history, deliveries")
struct DeliveryHistoryTests {
    let shell = Shell()

    private let asked =
        fact("user_enrolled", at: monday("09:00:00"), data: #"{"timezone":"UTC","email":"a@example.org"}"#)
        + fact(
            "notice_requested", at: monday("09:30:00"), data: #"{"kind":"alert","title":"Rain","body":"Take a coat"}"#)

    private func taken(_ time: String, channel: String = "push", id: String = "p1") -> String {
        fact(
            "job_delivered", at: monday(time),
            data: #"{"job":"anna/alert/#3","channel":"\#(channel)","provider_id":"\#(id)"}"#)
    }

    private func failed(_ time: String) -> String {
        fact(
            "job_failed", at: monday(time),
            data: #"{"job":"anna/alert/#3","channel":"push","reason":"answered 500","permanent":true}"#)
    }

    private func reported(_ status: String, _ time: String, id: String? = "p1", device: String? = nil) -> String {
        let rest = (id.map { #","provider_id":"\#($0)""# } ?? "") + (device.map { #","device":"\#($0)""# } ?? "")
        return fact(
            "delivery_reported", at: monday(time),
            data: #"{"job":"anna/alert/#3","channel":"push","status":"\#(status)"\#(rest)}"#)
    }

    private func again(_ time: String) -> String {
        fact("job_retry_requested", at: monday(time), data: #"{"job":"anna/alert/#3"}"#)
    }

    private func status(_ facts: String...) throws -> String? {
        shell.forget("events")
        shell.importing(asked + facts.joined())
        let outcome = shell.belfry("history", "--user", "anna", "--at", tuesday("00:00:00"), "--json")
        return try outcome.lines.map(Printed.init).first?["status"]
    }

    @Test func `the latest word on each side stands`() throws {
        #expect(try status() == "queued")
        #expect(try status(taken("09:31:00")) == "sent")
        #expect(try status(taken("09:31:00"), reported("delivered", "09:32:00")) == "delivered")
        #expect(try status(taken("09:31:00"), reported("bounced", "09:32:00")) == "failed")
        #expect(try status(taken("09:31:00"), reported("expired", "09:32:00", id: nil)) == "failed")
        // Who complains of it got it.
        #expect(try status(taken("09:31:00"), reported("complained", "09:32:00")) == "delivered")
        // Word of its arrival may come before word of its being taken, and twice.
        #expect(try status(reported("delivered", "09:31:00"), taken("09:32:00")) == "delivered")
        #expect(
            try status(taken("09:31:00"), reported("delivered", "09:32:00"), reported("delivered", "09:33:00"))
                == "delivered")
        #expect(try status(failed("09:31:00")) == "failed")
        #expect(try status(failed("09:31:00"), taken("09:32:00")) == "sent")
    }

    @Test func `a retry begins anew, and a late report about the try before it changes nothing`() throws {
        #expect(try status(failed("09:31:00"), again("09:32:00")) == "queued")
        #expect(try status(failed("09:31:00"), again("09:32:00"), taken("09:33:00")) == "sent")
        #expect(
            try status(
                taken("09:31:00"), reported("bounced", "09:32:00"), taken("09:34:00", id: "p2"),
                reported("bounced", "09:35:00", id: "p1")) == "sent")
        #expect(
            try status(
                taken("09:31:00"), reported("bounced", "09:32:00"), taken("09:34:00", id: "p2"),
                reported("delivered", "09:35:00", id: "p2")) == "delivered")
        #expect(
            try status(
                taken("09:31:00"), taken("09:34:00", id: "p2"), reported("delivered", "09:35:00", id: "p2"),
                reported("bounced", "09:36:00", id: "p1")) == "delivered")
    }

    @Test func `one device of several that is gone says nothing of the others`() throws {
        #expect(try status(taken("09:31:00"), reported("failed", "09:32:00", device: "old")) == "sent")
        #expect(
            try status(
                taken("09:31:00"), reported("failed", "09:32:00", device: "old"),
                reported("delivered", "09:32:30", device: "new")) == "delivered")
    }

    @Test func `every try is told, with the text that was shown`() throws {
        shell.importing(
            asked + failed("09:31:00") + again("09:32:00") + taken("09:33:00") + reported("delivered", "09:34:00"))
        let outcome = shell.belfry("history", "--user", "anna", "--at", tuesday("00:00:00"))
        #expect(
            outcome.line(1)
                == "mon 2026-03-02 09:30  delivered  alert  “Rain: Take a coat”  failed on push: answered 500; asked for once more mon 2026-03-02 09:32; sent on push mon 2026-03-02 09:33; delivered on push mon 2026-03-02 09:34"
        )
        #expect(outcome.lines.last == "0 sent, 1 delivered, 0 failed, 0 queued, 0 blocked")
        let entry = try Printed(
            shell.belfry("history", "--user", "anna", "--at", tuesday("00:00:00"), "--json").line(0))
        #expect((entry["title"], entry["body"]) == ("Rain", "Take a coat"))
        #expect(entry.count("outcomes") == 4)
        #expect(entry["outcomes.3.status"] == "delivered" && entry["outcomes.3.provider_id"] == "p1")
        #expect(entry["outcomes.1.status"] == "retried" && entry["outcomes.1.channel"] == "null")
    }

    @Test func `a message is told by who wrote it`() {
        shell.importing(
            fact("user_enrolled", user: "sam", at: monday("09:00:00"), data: #"{"timezone":"UTC"}"#)
                + fact(
                    "message_received", user: "sam", at: monday("09:30:00"),
                    data: #"{"conversation":"lunch","message":"m1","sender":"priya"}"#), policy: "messageai")
        let outcome = shell.belfry("history", "--user", "sam", "--at", tuesday("00:00:00"))
        #expect(outcome.line(1).contains("message conversation:lunch  “MessageAI: You have a new message” from priya"))
    }
}
