import CivilTime
import Foundation
import Notices
import Testing

@testable import Delivery

@Suite("A job as Apple takes it")
struct APNsMessageTests {
    private func request(_ order: Order, mayBeCritical: Bool = false) throws -> ProviderRequest {
        let address = try #require(APNsAddress(token: sampleToken))
        return try APNsMessage(order: order, mayBeCritical: mayBeCritical).request(
            to: address, device: "phone", origin: "https://api.push.apple.com", topic: "org.example.app", token: "t.o.k"
        )
    }

    @Test func `a loud job, whole`() throws {
        let request = try request(sampleOrder())
        #expect(request.url == "https://api.push.apple.com/3/device/\(sampleToken)")
        #expect(
            request.headers.map { "\($0): \($1)" } == [
                "authorization: bearer t.o.k", "apns-topic: org.example.app", "apns-push-type: alert",
                "apns-priority: 10", "apns-expiration: \(newYear.wholeSeconds + 90)",
                "apns-collapse-id: \(sampleCollapse)",
                "apns-id: \(MessageNames.uuid("anna/goal_reminder/goal:g1/2026-01-01T09:00", for: "phone"))",
                "content-type: application/json",
            ])
        #expect(
            String(decoding: request.body, as: UTF8.self) == """
                {"aps":{"alert":{"title":"Prêt ?","body":"Run \\"5 km\\" today 🏃"},"badge":3,"sound":"default",\
                "thread-id":"goal:g1","category":"GOAL","interruption-level":"active","relevance-score":0.75},\
                "job":"anna/goal_reminder/goal:g1/2026-01-01T09:00","kind":"goal_reminder",\
                "data":{"conversation":"c1","url":"https://app.example.org/g1"}}
                """)
        #expect(sampleCollapse.utf8.count == 32)
    }

    @Test(arguments: [
        (Priority.critical, "default" as String?, "10", "time-sensitive" as String?),
        (.high, "default", "10", "active"),
        (.medium, nil, "5", "active"), (.low, nil, "1", nil),
    ])
    func `priority is how loud it is`(priority: Priority, sound: String?, urgency: String, level: String?) throws {
        let request = try request(sampleOrder(priority))
        #expect(part("aps.sound", of: request.body) == sound)
        #expect(request.headers.first { $0.name == "apns-priority" }?.value == urgency)
        #expect(part("aps.interruption-level", of: request.body) == level)
        #expect((part("aps.alert", of: request.body) == nil) == (priority == .low))
        #expect(part("aps.badge", of: request.body) == "3")
    }

    @Test func `only with Apple's leave does a critical job break through`() throws {
        let request = try request(sampleOrder(.critical), mayBeCritical: true)
        #expect(part("aps.sound", of: request.body) == "{\"critical\":1,\"name\":\"default\",\"volume\":1.0}")
        #expect(part("aps.interruption-level", of: request.body) == "critical")
        #expect(part("aps.sound", of: try self.request(sampleOrder(.high), mayBeCritical: true).body) == "default")
    }

    @Test func `a low job without a badge wakes the app, unseen`() throws {
        let request = try request(sampleOrder(.low, badge: nil))
        #expect(part("aps", of: request.body) == "{\"content-available\":1}")
        let headers = request.headers.map { "\($0): \($1)" }
        #expect(headers.contains("apns-push-type: background") && headers.contains("apns-priority: 5"))
        #expect(part("aps.badge", of: try self.request(sampleOrder(badge: nil)).body) == nil)
    }

    @Test func `a device's own app and a job without end`() throws {
        let address = try #require(APNsAddress(token: sampleToken, environment: .sandbox, topic: "org.example.other"))
        let request = try APNsMessage(order: sampleOrder(notAfter: nil)).request(
            to: address, device: "phone", origin: "o", topic: "org.example.app", token: "t")
        #expect(request.headers.first { $0.name == "apns-topic" }?.value == "org.example.other")
        let end = newYear.wholeSeconds + 28 * 86_400
        #expect(request.headers.first { $0.name == "apns-expiration" }?.value == "\(end)")
    }

    @Test(arguments: ["", "a1", String(repeating: "g1", count: 32), sampleToken + "a", sampleToken + "/../x"])
    func `what is no token is no address`(token: String) { #expect(APNsAddress(token: token) == nil) }

    @Test func `a long body is cut at a character, to the last byte that fits`() throws {
        for character in ["x", "é", "👩‍👩‍👧‍👦", "\""] {
            for extra in 0..<4 {
                let body = String(repeating: "y", count: extra) + String(repeating: character, count: 4000)
                let bytes = try request(sampleOrder(body: body)).body
                let shown = try #require(part("aps.alert.body", of: bytes))
                let written = JSONValue.string(character).text.utf8.count - 2
                #expect(bytes.count <= 4096 && bytes.count + written > 4096)
                #expect(shown.hasSuffix("…") && body.hasPrefix(shown.dropLast()))
            }
        }
    }

    @Test func `when the body is gone the title is cut, and then there is nothing left to cut`() throws {
        let bytes = try request(sampleOrder(title: String(repeating: "é", count: 2000), body: "short")).body
        #expect(bytes.count <= 4096 && bytes.count > 4090)
        #expect(part("aps.alert.body", of: bytes) == nil)
        #expect(part("aps.alert.title", of: bytes)?.hasSuffix("é…") == true)
        let long = Text(String(repeating: "x", count: 4096))
        #expect(throws: MessageObjection.tooLong(bytesMax: 4096)) {
            try request(sampleOrder(data: FlatMap(["a": long])))
        }
    }
}

@Suite("A job as Firebase takes it", .unlessItHangs)
struct FCMMessageTests {
    private struct Question: Encodable {
        struct Android: Encodable {
            var priority: String
            var ttl = 90
            var sound: String?
            var tag = sampleCollapse
            var click_action = "GOAL"
            var channel: String
            var shown_as: String
            var count: Int?
        }
        struct Apple: Encodable {
            var headers: [String: String]
            var badge: Int?
            var sound: String?
            var category: String?
            var thread: String?
            var wakes: Bool?
            var custom: [String: Custom] = [:]
        }
        enum Custom: Encodable {
            case text(String)
            case number(Double)

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .text(let text): try container.encode(text)
                case .number(let number): try container.encode(number)
                }
            }
        }
        struct Web: Encodable {
            var headers: [String: String]
            var tag = sampleCollapse
            var silent: Bool
            var link: String? = "https://app.example.org/g1"
        }
        var token: String?
        var fid: String?
        var title: String?
        var body: String?
        var data: [String: String]
        var android: Android?
        var apns: Apple?
        var webpush: Web?
        var ours: String = ""
    }

    private struct Answer: Decodable {
        var path: String
        var authorization: String
        var theirs: String
        var ours: String
    }

    private let data = [
        "job": "anna/goal_reminder/goal:g1/2026-01-01T09:00", "kind": "goal_reminder", "conversation": "c1",
        "url": "https://app.example.org/g1",
    ]

    private func question(_ kind: FCMAddress.Kind, _ change: (inout Question) -> Void) -> Question {
        var question = Question(title: "Prêt ?", body: "Run \"5 km\" today 🏃", data: data)
        if kind == .token { question.token = "abc:DEF" } else { question.fid = "abc:DEF" }
        change(&question)
        return question
    }

    @Test(.withOracles) func `it is what firebase-admin sends for the same message`() throws {
        let cases: [(FCMAddress.Kind, FCMAddress.Platform, Order, Question)] = [
            (
                .token, .android, sampleOrder(),
                question(.token) {
                    $0.android = .init(
                        priority: "high", sound: "default", channel: "high", shown_as: "high", count: 3)
                }
            ),
            (
                .fid, .android, sampleOrder(.critical, badge: nil),
                question(.fid) {
                    $0.android = .init(priority: "high", sound: "default", channel: "critical", shown_as: "max")
                }
            ),
            (
                .fid, .android, sampleOrder(.medium),
                question(.fid) {
                    $0.android = .init(priority: "normal", channel: "medium", shown_as: "default", count: 3)
                }
            ),
            (
                .token, .android, sampleOrder(.low),
                question(.token) {
                    ($0.title, $0.body, $0.data["badge"]) = (nil, nil, "3")
                    $0.android = .init(priority: "normal", channel: "low", shown_as: "min")
                }
            ),
            (
                .fid, .ios, sampleOrder(),
                question(.fid) {
                    $0.apns = .init(
                        headers: [
                            "apns-priority": "10", "apns-expiration": "\(newYear.wholeSeconds + 90)",
                            "apns-collapse-id": sampleCollapse,
                        ], badge: 3, sound: "default", category: "GOAL", thread: "goal:g1",
                        custom: ["interruption-level": .text("active"), "relevance-score": .number(0.75)])
                }
            ),
            (
                .token, .web, sampleOrder(.medium),
                question(.token) {
                    $0.webpush = .init(
                        headers: ["TTL": "90", "Urgency": "normal", "Topic": sampleCollapse], silent: true)
                }
            ),
        ]
        var questions: [Question] = []
        for (kind, platform, order, question) in cases {
            let address = FCMAddress(kind: kind, value: "abc:DEF", platform: platform)
            let request = try FCMMessage(order: order).request(
                to: address, origin: "https://fcm.googleapis.com", project: "belfry-tests", token: "t-1", at: newYear)
            #expect(request.url == "https://fcm.googleapis.com/v1/projects/belfry-tests/messages:send")
            #expect(request.headers[0] == ("authorization", "Bearer t-1"))
            var question = question
            question.ours = String(decoding: request.body, as: UTF8.self)
            questions.append(question)
        }
        let answers: [Answer] = try Oracles.ask("fcm_oracle.py", questions)
        #expect(answers.count == cases.count)
        for answer in answers {
            #expect(answer.ours == answer.theirs)
            #expect(answer.path == "/v1/projects/belfry-tests/messages:send")
            #expect(answer.authorization == "Bearer t-1")
        }
    }

    @Test func `a word that Firebase keeps for itself is renamed`() throws {
        let address = FCMAddress(kind: .fid, value: "f", platform: .android)
        let data = FlatMap([
            "from": Text("a"), "google.x": Text("b"), "gcm": Text("c"), "job": Text("d"), "mine": Text("e"),
        ])
        let body = try FCMMessage(order: sampleOrder(data: data)).body(to: address, at: newYear)
        #expect(
            part("message.data", of: body)
                == "{\"job\":\"anna/goal_reminder/goal:g1/2026-01-01T09:00\",\"kind\":\"goal_reminder\","
                + "\"data.from\":\"a\",\"data.gcm\":\"c\",\"data.google.x\":\"b\",\"data.job\":\"d\",\"mine\":\"e\"}")
    }

    @Test func `time that is left is cut to whole seconds, and to what Firebase keeps`() throws {
        let address = FCMAddress(kind: .fid, value: "f", platform: .android)
        func ttl(_ order: Order, _ now: Instant) throws -> String? {
            part("message.android.ttl", of: try FCMMessage(order: order).body(to: address, at: now))
        }
        #expect(try ttl(sampleOrder(), newYear.advanced(byMilliseconds: 1)) == "89s")
        #expect(try ttl(sampleOrder(), newYear.advanced(bySeconds: 100)) == "0s")
        #expect(try ttl(sampleOrder(notAfter: nil), newYear) == "2419200s")
        #expect(try ttl(sampleOrder(notAfter: newYear.advanced(byDays: 40)), newYear) == "2419200s")
    }

    @Test func `it fits into 4096 bytes`() throws {
        let address = FCMAddress(kind: .fid, value: "f", platform: .ios)
        let order = sampleOrder(body: String(repeating: "é", count: 2000))
        let body = try FCMMessage(order: order).body(to: address, at: newYear)
        // The body stands there twice.
        #expect(body.count <= 4096 && body.count > 4080)
        #expect(part("message.notification.body", of: body) == part("message.apns.payload.aps.alert.body", of: body))
    }
}

@Suite("A job as browsers take it")
struct WebPushMessageTests {
    private func message(_ order: Order) -> WebPushMessage {
        WebPushMessage(order: order, page: "https://app.example.org/")
    }

    @Test func `it is declarative`() throws {
        #expect(
            String(decoding: try message(sampleOrder()).payload(), as: UTF8.self) == """
                {"web_push":8030,"notification":{"title":"Prêt ?","navigate":"https://app.example.org/g1",\
                "body":"Run \\"5 km\\" today 🏃","tag":"\(sampleCollapse)","silent":false,\
                "data":{"job":"anna/goal_reminder/goal:g1/2026-01-01T09:00","kind":"goal_reminder",\
                "conversation":"c1","url":"https://app.example.org/g1"}},"app_badge":3}
                """)
    }

    @Test(arguments: [
        (Priority.critical, "high", "false"), (.high, "high", "false"), (.medium, "normal", "true"),
        (.low, "low", "true"),
    ])
    func `priority is how urgent and how loud it is`(priority: Priority, urgency: String, silent: String) throws {
        let request = try message(sampleOrder(priority)).request(
            to: SampleBrowser.subscription(), authorization: "vapid t=t,k=k", at: newYear.advanced(bySeconds: 30))
        #expect(
            request.headers.map { "\($0): \($1)" } == [
                "Authorization: vapid t=t,k=k", "TTL: 60", "Urgency: \(urgency)", "Topic: \(sampleCollapse)",
                "Content-Encoding: aes128gcm", "Content-Type: application/octet-stream",
            ])
        #expect(part("notification.silent", of: try message(sampleOrder(priority)).payload()) == silent)
    }

    @Test(arguments: ["javascript:alert(1)", "http://app.example.org/", "https://a:b@example.org/", "//x", ""])
    func `a link that is none of https leads to the usual page`(url: String) throws {
        let payload = try message(sampleOrder(data: FlatMap(["url": Text(url)]))).payload()
        #expect(part("notification.navigate", of: payload) == "https://app.example.org/")
    }

    @Test func `it fits into one record`() throws {
        let long = sampleOrder(body: String(repeating: "👍", count: 1024))
        #expect(try message(long).payload().count <= 3993)
        #expect(try message(long).payload().count > 3985)
        let sealed = try message(long).request(to: SampleBrowser.subscription(), authorization: "", at: newYear).body
        #expect(sealed.count <= 4096)
        #expect(throws: MessageObjection.tooLong(bytesMax: 3993)) {
            try message(sampleOrder(data: FlatMap(["a": Text(String(repeating: "x", count: 4000))]))).payload()
        }
    }
}
