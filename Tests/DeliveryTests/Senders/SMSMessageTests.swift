import CivilTime
import Foundation
import Notices
import Testing

@testable import Delivery

@Suite("A job as a text message")
struct SMSMessageTests {
    @Test(arguments: [
        ("", 0, TextSegments.Alphabet.gsm7, 1), ("a", 160, .gsm7, 1), ("a", 161, .gsm7, 2), ("a", 306, .gsm7, 2),
        ("a", 307, .gsm7, 3), ("€", 80, .gsm7, 1), ("€", 81, .gsm7, 2), ("é", 160, .gsm7, 1), ("ê", 70, .ucs2, 1),
        ("ê", 71, .ucs2, 2), ("ê", 134, .ucs2, 2), ("ê", 135, .ucs2, 3), ("👍", 35, .ucs2, 1), ("👍", 36, .ucs2, 2),
        // A sign of two halves is not parted: 76 of 153 fit twice, 33 of 67.
        ("€", 152, .gsm7, 2), ("€", 153, .gsm7, 3), ("👍", 66, .ucs2, 2), ("👍", 67, .ucs2, 3),
    ])
    func `segments are counted as networks do`(
        character: String, count: Int, alphabet: TextSegments.Alphabet, segments: Int
    ) {
        let measured = TextSegments.measure(String(repeating: character, count: count))
        #expect(measured.alphabet == alphabet && measured.segments == segments)
    }

    @Test func `a text of many segments is cut at a character`() {
        for (character, mark) in [("a", "..."), ("ê", "…"), ("👩‍👩‍👧‍👦", "…")] {
            let text = SMSText(String(repeating: character, count: 2000))
            #expect(text.segments == 4 && text.text.hasSuffix(mark))
            #expect(text.text.dropLast(mark.count).allSatisfy { "\($0)" == character })
            // One character more would not have fitted.
            #expect(TextSegments.measure(character + text.text).segments == 5)
        }
        #expect(SMSText("a\r\nb\tc\u{7}").text == "a \nb c ")
    }

    private func form(_ order: Order, _ sender: String, at now: Instant = newYear) throws -> [String: String] {
        let message = TwilioMessage(
            order: order, sender: try #require(TwilioMessage.Sender(sender)),
            statusCallback: "https://b.example/v1?a=b&c")
        let request = try message.request(
            to: "+14155550100", origin: "https://api.twilio.com", account: "AC1", authorization: "Basic x", at: now)
        #expect(request.url == "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json")
        let fields = String(decoding: request.body, as: UTF8.self).split(separator: "&").map { field in
            field.split(separator: "=", omittingEmptySubsequences: false).map { $0.removingPercentEncoding ?? "?" }
        }
        return Dictionary(uniqueKeysWithValues: fields.map { ($0[0], $0[1]) })
    }

    @Test func `the form says all of it`() throws {
        let order = sampleOrder(title: "Prêt ?", body: "a+b & c=d 100%", channels: [.sms])
        #expect(
            try form(order, "+14155550199") == [
                "To": "+14155550100", "From": "+14155550199", "Body": "Prêt ?\na+b & c=d 100%", "ValidityPeriod": "90",
                "StatusCallback": "https://b.example/v1?a=b&c",
            ])
        let service = "MG" + String(repeating: "0a", count: 16)
        let other = try form(sampleOrder(title: "", notAfter: nil), service)
        #expect(other["MessagingServiceSid"] == service && other["From"] == nil)
        #expect(other["ValidityPeriod"] == "36000")
        #expect(try form(sampleOrder(), "+14155550199", at: newYear.advanced(bySeconds: 90))["ValidityPeriod"] == "1")
    }

    @Test(arguments: ["", "14155550100", "+1415", "+0155550100", "+1415555010012345", "+1415555O100", "+1415 5550100"])
    func `what is no number of E.164 is refused, and told without it`(phone: String) throws {
        let message = TwilioMessage(order: sampleOrder(), sender: .number("+14155550199"))
        let objection = #expect(throws: MessageObjection.self) {
            try message.request(to: phone, origin: "o", account: "AC1", authorization: "", at: newYear)
        }
        // The number is the one of the example.
        #expect(objection.map { "\($0)" } == "the number is not written as E.164 (+14155550100)")
        #expect(!TwilioMessage.isE164(phone))
    }

    @Test(arguments: [
        ("+14155550100", true), ("12345", true), ("Belfry", true), ("MG12", true), ("1234", false), ("", false),
    ])
    func `a sender is a number, a short code, a name or a service`(text: String, isSender: Bool) {
        #expect((TwilioMessage.Sender(text) != nil) == isSender)
    }
}
