import CivilTime
import Foundation
import Testing

@testable import Delivery

private func answer(_ status: Int, _ body: String = "", headers: [String] = []) -> ProviderAnswer {
    var lines = AnswerHeaders()
    for header in headers { header.utf8CString.withUnsafeBytes { lines.add(line: .init(rebasing: $0.dropLast())) } }
    return ProviderAnswer(status: status, headers: lines, body: Array(body.utf8))
}

extension SenderVerdict {
    /// In a line: "dead answered 410 Unregistered", "wait 60 sender …".
    var told: String {
        switch self {
        case .taken(let id): "taken\(id.map { " as \($0)" } ?? "")"
        case .dead(let reason): "dead \(reason)"
        case .stopped(let reason): "stopped \(reason)"
        case .misconfigured(let problem): "misconfigured \(problem.whom) \(problem.reason)"
        case .wait(let seconds, let reason, let whom): "wait \(seconds) \(whom) \(reason)"
        case .transient(let reason, .sender): "transient \(reason)"
        case .transient(let reason, let whom): "transient \(whom) \(reason)"
        case .final(let reason): "final \(reason)"
        case .renew(let reason): "renew \(reason)"
        }
    }
}

@Suite("What Apple's answers mean")
struct APNsAnswerTests {
    private func verdict(_ answer: ProviderAnswer) -> String {
        APNsAnswer.verdict(answer, registeredAt: newYear, topicOf: .sender, at: newYear.advanced(byDays: 1)).told
    }

    @Test(arguments: [
        (400, "BadDeviceToken", "dead"), (400, "BadTopic", "misconfigured sender"),
        (400, "TopicDisallowed", "misconfigured sender"), (400, "DeviceTokenNotForTopic", "misconfigured address"),
        (400, "PayloadEmpty", "final"), (403, "ExpiredProviderToken", "renew"),
        (403, "InvalidProviderToken", "misconfigured sender"), (403, "BadCertificate", "misconfigured sender"),
        (403, "SomethingNew", "misconfigured sender"), (404, "BadPath", "final"), (405, "MethodNotAllowed", "final"),
        (410, "Unregistered", "dead"), (410, "ExpiredToken", "dead"), (413, "PayloadTooLarge", "final"),
        (429, "TooManyRequests", "wait 60 address"), (429, "TooManyProviderTokenUpdates", "wait 60 sender"),
        (500, "InternalServerError", "transient"), (503, "ServiceUnavailable", "transient"),
        (503, "Shutdown", "transient"),
    ])
    func `a code means what Apple's table says`(status: Int, code: String, meaning: String) {
        #expect(verdict(answer(status, "{\"reason\":\"\(code)\"}")) == "\(meaning) answered \(status) \(code)")
    }

    /// Devices may name any app.
    @Test(arguments: ["BadTopic", "TopicDisallowed", "MissingTopic"])
    func `what Apple says of an app that the device named itself speaks against no other device (N5)`(code: String) {
        func verdict(_ whose: SenderVerdict.Whom) -> SenderVerdict {
            APNsAnswer.verdict(
                answer(400, "{\"reason\":\"\(code)\"}"), registeredAt: newYear, topicOf: whose, at: newYear)
        }
        #expect(verdict(.address).told == "misconfigured address answered 400 \(code)")
        #expect(!verdict(.address).isAgainstSender && verdict(.sender).isAgainstSender)
    }

    @Test func `it is taken, with Apple's own name for it`() {
        #expect(verdict(answer(200, headers: ["apns-id: ABC"])) == "taken as ABC")
    }

    /// Apple will say the same of that time however often it is asked.
    @Test(arguments: [(-1, "final"), (0, "final"), (1, "dead")])
    func `a device that registered again since is alive, and is not tried again (N3)`(offset: Int64, meaning: String) {
        let timestamp = newYear.milliseconds + offset
        let verdict = verdict(answer(410, "{\"reason\":\"Unregistered\",\"timestamp\":\(timestamp)}"))
        #expect(verdict.hasPrefix(meaning))
    }

    @Test(arguments: [
        "", "<html>BadDeviceToken</html>", "{\"reason\":7}", "[]", "{\"reason\":\"anna@example.org said no\"}",
    ])
    func `an answer that is not Apple's means what its status says, and none of its words are told`(body: String) {
        #expect(verdict(answer(400, body)) == "final answered 400")
        #expect(verdict(answer(502, body)) == "transient answered 502")
        #expect(verdict(answer(410, body)) == "dead answered 410")
    }

    @Test func `a wrong environment does not kill everybody's devices`() {
        var doubt = EnvironmentDoubt()
        let bad = SenderVerdict.dead(reason: "answered 400 BadDeviceToken")
        let taken = SenderVerdict.taken(providerID: nil)
        let verdicts =
            [bad, .dead(reason: "answered 410 Unregistered"), taken] + Array(repeating: bad, count: 12) + [taken, bad]
        let judged = verdicts.map { String(doubt.judge($0).told.prefix { $0 != " " }) }
        #expect(
            judged == ["misconfigured", "dead", "taken"] + Array(repeating: "dead", count: 10)
                + ["misconfigured", "misconfigured", "taken", "dead"])
    }
}

@Suite("What Firebase's answers mean")
struct FCMAnswerTests {
    private func error(_ status: Int, _ code: String?, _ words: String = "", violations: [String] = [])
        -> ProviderAnswer
    {
        var details: [String] = []
        if let code {
            details.append(
                "{\"@type\":\"type.googleapis.com/google.firebase.fcm.v1.FcmError\",\"errorCode\":\"\(code)\"}")
        }
        if !violations.isEmpty {
            let fields = violations.map { "{\"field\":\"\($0)\",\"description\":\"bad\"}" }.joined(separator: ",")
            details.append("{\"@type\":\"type.googleapis.com/google.rpc.BadRequest\",\"fieldViolations\":[\(fields)]}")
        }
        return answer(
            status,
            "{\"error\":{\"code\":\(status),\"message\":\"\(words)\",\"status\":\"SOME_STATUS\",\"details\":[\(details.joined(separator: ","))]}}"
        )
    }

    private func verdict(_ answer: ProviderAnswer) -> String { FCMAnswer.verdict(answer, at: newYear).told }

    @Test func `it is by the code, never by the words`() {
        #expect(
            verdict(error(400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token"))
                == "final answered 400 INVALID_ARGUMENT")
        #expect(verdict(error(404, "UNREGISTERED", "INVALID_ARGUMENT")) == "dead answered 404 UNREGISTERED")
    }

    @Test(arguments: [
        (["message.token"], "dead"), (["message.fid"], "dead"), (["message.token", "message.data"], "final"),
        (["message.android.ttl"], "final"), ([], "final"),
    ])
    func `a bad argument is a dead device only where it is the address`(fields: [String], meaning: String) {
        #expect(verdict(error(400, "INVALID_ARGUMENT", violations: fields)).hasPrefix(meaning))
        #expect(verdict(error(400, nil, violations: fields)).hasPrefix(meaning))
    }

    @Test(arguments: [
        (403, "SENDER_ID_MISMATCH", "misconfigured address"), (401, "THIRD_PARTY_AUTH_ERROR", "misconfigured some"),
        (429, "QUOTA_EXCEEDED", "wait 60 address"), (503, "UNAVAILABLE", "transient"), (500, "INTERNAL", "transient"),
    ])
    func `a code means what Google's table says`(status: Int, code: String, meaning: String) {
        #expect(verdict(error(status, code)) == "\(meaning) answered \(status) \(code)")
    }

    @Test func `what stands before FCM answers by status`() {
        #expect(verdict(error(401, nil)) == "renew answered 401 SOME_STATUS")
        #expect(verdict(error(403, nil)) == "misconfigured sender answered 403 SOME_STATUS")
        #expect(verdict(error(404, nil)) == "misconfigured sender answered 404 SOME_STATUS")
        #expect(verdict(answer(502, "<html>token UNREGISTERED</html>")) == "transient answered 502")
        #expect(verdict(answer(503, headers: ["Retry-After: 7"])) == "wait 7 sender answered 503")
        #expect(verdict(answer(429, headers: ["Retry-After: 9"])) == "wait 9 sender answered 429")
        #expect(verdict(answer(302)).hasPrefix("misconfigured sender answered 302"))
        #expect(verdict(answer(404, "<html>")) == "misconfigured sender answered 404")
    }

    @Test func `it is taken, with Google's own name for it`() {
        #expect(verdict(answer(200, "{\"name\":\"projects/p/messages/0:1\"}")) == "taken as projects/p/messages/0:1")
        #expect(verdict(answer(200, "{\"name\":\"a b\"}")) == "taken")
    }

    @Test func `an access token that is refused tells of the key and the clock`() {
        let verdict = FCMAnswer.tokenVerdict(answer(400, "{\"error\":\"invalid_grant\"}"), at: newYear)
        #expect(verdict.told == "misconfigured sender was refused an access token: answered 400 invalid_grant")
        guard case .misconfigured(let problem) = verdict else { return }
        #expect(problem.cure.contains("clock"))
        #expect(FCMAnswer.tokenVerdict(answer(500), at: newYear).told == "transient answered 500")
    }
}

@Suite("What push services of browsers answer")
struct WebPushAnswerTests {
    @Test(arguments: [
        (201, "taken as https://p/1"), (200, "taken as https://p/1"), (404, "dead answered 404"),
        (410, "dead answered 410"),
        (401, "misconfigured address answered 401"), (403, "misconfigured address answered 403"),
        (413, "final answered 413"), (400, "final answered 400"), (406, "final answered 406"),
        (429, "wait 60 address answered 429"), (500, "transient answered 500"),
        (301, "final answered 301; redirects are not followed"),
    ])
    func `a status means what RFC 8030 says`(status: Int, meaning: String) {
        let answer = answer(status, "gone UNREGISTERED", headers: status < 300 ? ["Location: https://p/1"] : [])
        #expect(WebPushAnswer.verdict(answer, origin: "https://push.example.net", at: newYear).told == meaning)
    }

    @Test(arguments: ["https://db5.notify.windows.com", "https://wns2-par02p.notify.windows.com:9203"])
    func `Windows says 406 for too many`(origin: String) {
        let verdict = WebPushAnswer.verdict(answer(406), origin: origin, at: newYear)
        #expect(verdict.told == "wait 60 address answered 406")
    }
}

@Suite("What Twilio answers")
struct TwilioAnswerTests {
    private func verdict(_ status: Int, _ code: Int? = nil) -> String {
        TwilioAnswer.verdict(
            answer(status, code.map { "{\"code\":\($0),\"message\":\"+14155550100\"}" } ?? ""), at: newYear
        )
        .told
    }

    @Test func `a code means what Twilio's table says`() {
        #expect(verdict(400, 21211) == "dead answered 400 21211")
        #expect(verdict(400, 30006) == "dead answered 400 30006")
        #expect(verdict(400, 21635) == "dead answered 400 21635")
        #expect(verdict(400, 21610) == "stopped answered 400 21610")
        // Of the number's country, and of our own number.
        #expect(verdict(400, 21408) == "misconfigured address answered 400 21408")
        #expect(verdict(400, 21612) == "misconfigured address answered 400 21612")
        for code in [21601, 21606, 21701, 21703, 21704] {
            #expect(verdict(400, code) == "misconfigured sender answered 400 \(code)")
        }
        #expect(verdict(401, 20003) == "misconfigured sender answered 401 20003")
        #expect(verdict(400, 21617) == "final answered 400 21617")
        #expect(verdict(302) == "misconfigured sender answered 302")
        #expect(verdict(405) == "misconfigured sender answered 405")
        #expect(verdict(429, 20429) == "wait 60 sender answered 429 20429")
        #expect(
            TwilioAnswer.verdict(answer(201, "{\"sid\":\"SM1\",\"status\":\"queued\"}"), at: newYear).told
                == "taken as SM1")
    }

    @Test func `what may have been taken is never sent again`() {
        #expect(verdict(500) == "final answered 500; it may have been taken, and is not sent again")
        #expect(verdict(503) == "final answered 503; it may have been taken, and is not sent again")
        var lost = HTTPFailure(.broken, "reset")
        (lost.mayHaveArrived, lost.isConnectionLost) = (true, true)
        #expect(
            TwilioAnswer.verdict(lost).told == "final broke off: reset; it may have been taken, and is not sent again")
        for (said, meaning) in [
            (#"{"sid":"SM1","status":"failed","error_code":30005}"#, "dead answered 201 30005"),
            (#"{"sid":"SM1","status":"undelivered","error_code":30003}"#, "final answered 201 30003"),
            (#"{"sid":"SM1","status":"failed","error_code":null}"#, "final answered 201"),
        ] { #expect(TwilioAnswer.verdict(answer(201, said), at: newYear).told == meaning) }
        #expect(TwilioAnswer.verdict(HTTPFailure(.timedOut, "connecting")).told == "transient timed out: connecting")
    }
}

@Suite("What a relay of mail answers")
struct EmailAnswerTests {
    @Test(arguments: [
        ("250 2.0.0 Ok: queued as 4XyZ", 250, "taken as 4XyZ"), ("250 OK id=1tAbc-0001", 250, "taken as 1tAbc-0001"),
        ("250 Requested mail action okay", 250, "taken"), ("550 5.1.1 no such user", 550, "dead answered 550 5.1.1"),
        ("550 5.1.10 null MX", 550, "dead answered 550 5.1.10"), ("550 5.2.1 disabled", 550, "dead answered 550 5.2.1"),
        ("552 5.2.2 full", 552, "final answered 552 5.2.2"), ("550 no such user anna@x.org", 550, "final answered 550"),
        ("550 5.7.1 blocked", 550, "misconfigured address answered 550 5.7.1"),
        ("553 5.1.8 sender", 553, "misconfigured sender answered 553 5.1.8"),
        ("535 5.7.8 bad credentials", 535, "misconfigured sender answered 535 5.7.8"),
        ("530 5.7.0 STARTTLS first", 530, "misconfigured sender answered 530 5.7.0"),
        ("451 4.7.1 greylisted", 451, "transient answered 451 4.7.1"),
        ("421 4.3.2 later", 421, "transient answered 421 4.3.2"),
        ("452 4.2.2 full", 452, "transient address answered 452 4.2.2"), ("554 5.x.1 odd", 554, "final answered 554"),
        ("450 4.1.1 unverified", 450, "transient address answered 450 4.1.1"),
        ("450 mailbox unavailable", 450, "transient address answered 450"),
        ("450 4.1.8 our domain", 450, "transient answered 450 4.1.8"),
        ("452 4.3.1 disk", 452, "transient answered 452 4.3.1"), ("451 local error", 451, "transient answered 451"),
        ("421 4.2.1 busy", 421, "transient answered 421 4.2.1"),
        ("550 4.1.1 odd", 550, "final answered 550 4.1.1"), ("550 5.1.1.1 odd", 550, "final answered 550"),
    ])
    func `a reply means what its codes say`(line: String, status: Int, meaning: String) {
        let reply = MailReply(
            status: status, enhanced: MailReplyLine.enhanced(line), queueID: MailReplyLine.queueID(line))
        #expect(EmailAnswer.verdict(reply).told == meaning)
    }

    @Test(arguments: [
        (MailStage.greeting, "554 5.1.0 sender denied", "misconfigured sender answered 554 5.1.0 to our greeting"),
        (.greeting, "554 no", "misconfigured sender answered 554 to our greeting"),
        (.greeting, "502 5.5.1 no EHLO", "misconfigured sender answered 502 5.5.1 to our greeting"),
        (.greeting, "421 4.3.2 later", "transient answered 421 4.3.2"),
        (.encryption, "454 4.7.0 no", "misconfigured sender answered 454 4.7.0 to STARTTLS"),
        (.encryption, "554 5.7.0 no", "misconfigured sender answered 554 5.7.0 to STARTTLS"),
        (.signIn, "550 5.2.1 disabled", "misconfigured sender answered 550 5.2.1 to our sign-in"),
        (.sender, "550 5.1.0 no", "misconfigured sender answered 550 5.1.0 to our sender"),
        (.sender, "550 5.2.1 disabled", "misconfigured sender answered 550 5.2.1 to our sender"),
        (.sender, "553 5.1.3 syntax", "misconfigured sender answered 553 5.1.3 to our sender"),
        (.sender, "552 5.3.4 too long", "final answered 552 5.3.4"),
        (.sender, "451 4.3.0", "transient answered 451 4.3.0"),
        (.sender, "452 4.2.2 whose", "transient answered 452 4.2.2"),
        (.content, "452 4.2.2 full", "transient answered 452 4.2.2"),
        (.recipient, "550 5.1.0 whose", "final answered 550 5.1.0"),
        (.content, "550 5.1.0 From", "final answered 550 5.1.0"), (.content, "550 5.1.1 no", "dead answered 550 5.1.1"),
        (.content, "550 5.2.1 whose", "final answered 550 5.2.1"),
    ])
    func `what a refusal is about hangs on what it answers to`(stage: MailStage, line: String, meaning: String) {
        let reply = MailReply(
            status: Int(line.prefix(3)) ?? 0, enhanced: MailReplyLine.enhanced(line), queueID: nil, stage: stage)
        #expect(EmailAnswer.verdict(reply).told == meaning)
    }

    @Test(arguments: [
        ("EHLO belfry.dev\r\n", MailStage.greeting), ("STARTTLS\r\n", .encryption), ("AUTH PLAIN eHh4\r\n", .signIn),
        ("MAIL FROM:<a@b.org> SIZE=7\r\n", .sender), ("RCPT TO:<a@b.org>\r\n", .recipient), ("DATA\r\n", .content),
        ("DATAAAAA\r\n", nil), ("QUIT\r\n", nil), ("", nil),
    ])
    func `a command says how far a conversation is`(command: String, stage: MailStage?) {
        #expect(Array(command.utf8).withUnsafeBytes { MailStage(command: $0) } == stage)
    }
}
