import Notices
import Simulation

/// Random preferences documents and patches for `microcommit`.
struct RandomPreferences {
    var json: RandomJSON
    /// One value in so many is not what it should be; 0 for none.
    let garbage: Int

    init(seed: UInt64, garbage: Int) {
        json = RandomJSON(seed: seed)
        self.garbage = garbage
    }

    mutating func patch() -> JSONValue {
        let text = object(
            [
                ("enabled", truth()), ("check_ins_enabled", truth()),
                ("frequency", word(["daily", "few_times_a_week", "weekly"])), ("check_in_time", time()),
                ("check_in_days", days()), ("quiet_hours", quietHours()), ("schedule", schedule()),
                ("digest_mode", truth()),
                ("channels", object([("push", truth()), ("email", truth()), ("sms", truth())])),
                ("kinds", object(kinds() + [("product_update", object([("digest", word(["none", "weekly"]))]))])),
                ("reminder_time", time()), ("goals", object([("g1", goal()), ("g:2", goal())])),
                ("subjects", object([("child:a", subject()), ("goal:g1", subject())])),
                ("choices", object([("celebration_level", word(["simple", "standard", "epic"]))])),
                ("pause_threshold_seconds", json.pick(["60", "120", "300"])),
                ("active_conversation_threshold", json.pick(["10", "20", "50"])),
                ("priority_keywords", json.pick([#"["urgent"]"#, "[]", #"["Zoë","日本"]"#])),
                ("max_analyses_per_hour", json.pick(["5", "10", "20"])),
                ("fallback_strategy", word(["simple_rules", "notify_all", "suppress_all"])),
            ], mostly: 4)
        return JSONValue(parsing: text) ?? .emptyObject
    }

    private mutating func truth() -> String { json.pick(["true", "false"]) }

    private mutating func word(_ words: [String]) -> String { "\"\(json.pick(words))\"" }

    private mutating func time() -> String { word(["00:00", "07:30", "08:00", "09:00", "22:00", "23:59"]) }

    private mutating func days() -> String {
        json.pick([#"["mon"]"#, #"["sun","sat"]"#, "[]", #"["fri","mon","wed"]"#])
    }

    private mutating func quietHours() -> String {
        // Never a pair that could meet: what does is another test's.
        let names = json.pick([#"["critical"]"#, #"["social","critical"]"#, "[]", #"["payment"]"#])
        return object([
            ("enabled", truth()), ("start", word(["21:00", "22:00", "23:30"])), ("end", word(["06:00", "08:00"])),
            ("days", days()), ("exceptions", names),
        ])
    }

    private mutating func schedule() -> String {
        let slots = json.pick([#"[["09:00","17:00"]]"#, #"[["22:00","02:00"],["10:00","11:00"]]"#])
        return object([("mon", slots), ("thu", slots)], mostly: 1)
    }

    private mutating func kinds() -> [(String, String)] {
        ["deadline_warning", "referee", "payment", "social"].map {
            ($0, kind(json.pick(["24_hours", "comment", "payment_failed", "featured"]), of: $0))
        }
    }

    private mutating func kind(_ subtype: String, of kind: String) -> String {
        let own = [
            "deadline_warning": "24_hours", "referee": "comment", "payment": "payment_failed", "social": "featured",
        ]
        let name = garbage > 0 ? subtype : own[kind] ?? subtype
        let channels = json.pick([#"["push"]"#, #"["sms","email"]"#, "[]", #"["push","email"]"#])
        return object([("enabled", truth()), ("channels", channels), ("subtypes", object([(name, truth())]))])
    }

    private mutating func subject() -> String {
        object([
            (
                "kinds",
                object([
                    ("referee", object([("enabled", truth()), ("subtypes", object([("comment", truth())]))])),
                    ("social", object([("enabled", truth())])),
                ])
            )
        ])
    }

    private mutating func goal() -> String {
        object([
            ("reminder_time", time()), ("repeat", word(["once", "every_2_hours", "hourly_before_deadline"])),
            ("days_before", json.pick(["0", "1", "2"])), ("kinds", object(kinds())),
        ])
    }

    /// Some of the members, some of them `null`, in any order.
    private mutating func object(_ members: [(String, String)], mostly one: Int = 2) -> String {
        var chosen = members.filter { _ in json.chance(one) }.map { key, value in
            if json.chance(8) { return "\"\(key)\":null" }
            if garbage > 0, json.chance(garbage) { return "\"\(key)\":\(json.value(depth: 3))" }
            return "\"\(key)\":\(value)"
        }
        if garbage > 0, json.chance(garbage) { chosen.append("\"stray\":\(json.value(depth: 3))") }
        chosen.shuffle(using: &json.random)
        return "{\(chosen.joined(separator: ","))}"
    }
}
