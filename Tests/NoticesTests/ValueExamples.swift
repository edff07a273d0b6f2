import Notices

/// What each type of value takes and refuses, as senders write it.
struct ValueExamples {
    var good: [String] = []
    var bad: [String] = []

    /// By the name of the Swift type; numbers also by their limit.
    static func of(_ field: FieldSchema) -> ValueExamples? {
        switch field.limit {
        case .none: break
        case .range(let low, let high):
            return ValueExamples(
                good: [low, high, low + 1].map(String.init),
                bad: ["\(low - 1)", "\(high + 1)", "1.5", "\(low).0", "1e3", "\"\(low)\"", "true", "[]", "{}"])
        case .oneOf(let first, let second, let third):
            return ValueExamples(
                good: [first, second, third].map(String.init),
                bad: [
                    "0", "-\(first)", "\(first + 1)", "\(third * 2)", "\(first).0", "\"\(first)\"", "[\(first)]", "{}",
                ])
        }
        let name = "\(field.elementType)"
        if name.hasPrefix("Erasable<") { return byType[String(name.dropFirst("Erasable<".count).dropLast())] }
        return byType[name.prefix { $0 != "<" } == "FlatMap" ? "FlatMap" : name]
    }

    private static func text(_ count: Int, _ unit: String = "a") -> String {
        "\"\(String(repeating: unit, count: count))\""
    }

    private static let notTexts = ["1", "true", "[]", "{}", "[\"a\"]", "1.5"]

    private static func words(_ good: String...) -> ValueExamples {
        ValueExamples(
            good: good.map { "\"\($0)\"" },
            bad: notTexts + [
                "\"\"", "\"nonsense\"", "\"\(good[0].uppercased())\"", "\" \(good[0])\"", "\"\(good[0])\\u0301\"",
            ])
    }

    private static let byType: [String: ValueExamples] = [
        "Bool": ValueExamples(good: ["true", "false"], bad: ["0", "1", "\"true\"", "\"\"", "[]", "{}"]),
        "Identifier": ValueExamples(
            good: ["\"a\"", text(128), "\"A-Z.a_z:0@9\"", "\"\\u0061\""],
            bad: notTexts + [
                "\"\"", text(129), "\"a b\"", "\"a/b\"", "\"é\"", "\"a\\n\"", "\"a\\u0301\"", "\"a#\"", "\"~\"",
                "\"a\\\\\"",
            ]),
        "NoticeName": ValueExamples(
            good: ["\"a\"", "\"u/k/s:1/2026-03-02T09:00~3\"", "\"u/k/#12\"", text(512)],
            bad: notTexts + ["\"\"", text(513), "\"a b\"", "\"é\"", "\"a?b\"", "\"a\\tb\""]),
        "Text": ValueExamples(
            good: ["\"\"", "\"a\"", text(4096), text(2048, "é"), "\"\\n\\u0001\"", "\"\u{1F514}\""],
            bad: ["1", "true", "[]", "{}", text(4097), text(2049, "é")]),
        "PrivateText": ValueExamples(
            good: ["\"\"", "\"a\"", text(65_536)], bad: ["1", "true", "[]", "{}", text(65_537)]),
        "PhoneCode": ValueExamples(
            good: ["\"0\"", "\"123456\"", "\"123456789012\""],
            bad: ["123456", "\"\"", "\"1234567890123\"", "\"12 34\"", "\"abc\"", "\"-1\"", "\"１\"", "true", "[]", "{}"]),
        "Token": ValueExamples(
            good: ["\"a\"", text(4096), "\"https://x.y/z?a=b#c\"", "\"é\""],
            bad: notTexts + ["\"\"", text(4097), "\"a b\"", "\"a\\nb\"", "\"a\u{7F}\""]),
        "ZoneName": ValueExamples(
            good: ["\"Europe/Paris\"", "\"UTC\"", "\"America/New_York\""],
            bad: notTexts + [
                "\"\"", "\"Europe/Nowhere\"", "\"/etc/passwd\"", "\"../../etc/passwd\"", "\"Europe/../UTC\"",
                "\"+01:00\"",
                "\"Europe/Paris \"", "\"europe/paris\"", text(65), "\"Éurope\"",
            ]),
        "EmailAddress": ValueExamples(
            good: [
                "\"a@b\"", "\"anna.o+x@example.co.uk\"", "\"é@ü.de\"", "\"\(String(repeating: "a", count: 252))@b\"",
            ],
            bad: notTexts + [
                "\"\"", "\"a\"", "\"@\"", "\"a@\"", "\"@b\"", "\"a@b@c\"", "\"a b@c\"", "\"a@b\\n\"",
                "\"\(String(repeating: "a", count: 253))@b\"",
            ]),
        "PhoneNumber": ValueExamples(
            good: ["\"+1234567\"", "\"+123456789012345\"", "\"+14155550123\""],
            bad: notTexts + [
                "\"\"", "14155550123", "\"14155550123\"", "\"+0123456789\"", "\"+123456\"", "\"+1234567890123456\"",
                "\"+1 415 555\"", "\"+1-415-5550\"", "\"0041555\"", "\"++1234567\"",
            ]),
        "Instant": ValueExamples(
            good: [
                "\"2026-03-02T14:00:00Z\"", "\"2026-03-02T14:00:00.123456789+05:30\"", "\"0001-01-01T00:00:00Z\"",
                "\"9999-12-31T23:59:59.999Z\"", "\"1969-12-31T23:59:59.999Z\"",
            ],
            bad: notTexts + [
                "\"\"", "\"2026-03-02\"", "\"2026-03-02T14:00:00\"", "\"2026-02-30T14:00:00Z\"",
                "\"2026-03-02T24:00:00Z\"",
                "\"2026-03-02 14:00:00Z\"", "\"tomorrow\"", "1772460000000", "\"0000-12-31T00:00:00Z\"",
                "\"2026-03-02T23:59:60Z\"",
            ]),
        "LocalTime": ValueExamples(
            good: ["\"00:00\"", "\"23:59\"", "\"07:30\""],
            bad: notTexts + [
                "\"\"", "\"24:00\"", "\"7:30\"", "\"07:60\"", "\"07:30:00\"", "\"0730\"", "\"-1:30\"",
                "\"07:3\u{660}\"", "730",
            ]),
        "WeekdaySet": ValueExamples(
            good: [
                "[]", "[\"mon\"]", "[\"sun\",\"mon\"]", "[\"mon\",\"tue\",\"wed\",\"thu\",\"fri\",\"sat\",\"sun\"]",
            ],
            bad: [
                "\"mon\"", "1", "{}", "true", "[\"monday\"]", "[1]", "[null]", "[\"mon\",\"mon\"]", "[[\"mon\"]]",
                "[\"Mon\"]",
            ]),
        "FlatMap": ValueExamples(
            good: ["{}", "{\"a\":\"b\"}", "{\"\":\"\"}", "{\"\(String(repeating: "k", count: 128))\":\"\"}"],
            bad: [
                "\"a\"", "1", "[]", "true", "{\"a\":1}", "{\"a\":null}", "{\"a\":{}}", "{\"a\":[\"b\"]}",
                "{\"\(String(repeating: "k", count: 129))\":\"\"}",
                "{\((0...100).map { "\"\($0)\":\"\"" }.joined(separator: ","))}",
            ]),
        "JSONDocument": ValueExamples(good: ["{}", "{\"a\":[1,{\"b\":null}]}"], bad: ["\"{}\"", "1", "[]", "true"]),
        "PreferencesPatch": ValueExamples(
            good: ["{}", "{\"quiet_hours\":null}", "{\"enabled\":false}"],
            bad: ["\"{}\"", "1", "[]", "true", "{\"enabled\":1}", "{\"unknown\":true}"]),
        "ConsentGiver": words("user", "guardian"),
        "PermissionStatus": words("granted", "denied", "not_now"),
        "Platform": words("ios", "android", "web"),
        "PushProvider": words("apns", "fcm", "webpush"),
        "AddressForm": words("token", "fid"),
        "PushEnvironment": words("production", "sandbox"),
        "ReportStatus": words("delivered", "bounced", "failed", "expired", "complained"),
        "Unsubscription": words("link", "one_click", "stop", "complaint"),
        "GoalOutcome": words("completed", "failed", "cancelled"),
        "Priority": words("low", "medium", "high", "critical"),
        "Channel": words("push", "email", "sms", "in_app"),
    ]
}
