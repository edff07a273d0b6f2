import CivilTime
import Simulation
import Testing

@testable import Notices

/// V3: the settings page is drawn from the policy. What the five stories ask of their settings screens stands here, policy by
/// policy; the choices behind it in `Sources/Notices/DECISIONS.md`.
@Suite("V3: the settings document")
struct SettingsTests {
    private static let now = Instant(milliseconds: 1_772_460_000_000)

    private func document(
        _ policy: String, _ facts: [String] = [], platforms: [String: Platform] = [:], hasAnalyser: Bool = true,
        at now: Instant = now
    ) throws -> JSONValue {
        try document(of: ShippedPlans[policy], facts, platforms: platforms, hasAnalyser: hasAnalyser, at: now)
    }

    private func document(
        of plan: Plan, _ facts: [String], platforms: [String: Platform] = [:], hasAnalyser: Bool = true,
        at now: Instant = now
    ) throws -> JSONValue {
        var register = Register(plan)
        let enrolled = #"{"type":"user_enrolled","user":"anna","data":{"timezone":"Europe/Paris","name":"Anna"}}"#
        let reader = FactReader { _ in nil }
        for (place, line) in ([enrolled] + facts).enumerated() {
            let payload = try reader.read(line).payload
            register.fold(Event(seq: UInt64(place + 1), at: Self.now, user: "anna", payload: payload))
        }
        let person = register[try #require(register.number(of: "anna"))]
        return Settings(
            of: "anna", person, plan, seq: UInt64(facts.count + 1), at: now, platforms: platforms,
            analyser: AnalyserHere(isThere: hasAnalyser)
        ).json
    }

    private func fact(_ type: String, _ data: String) -> String {
        #"{"type":"\#(type)","user":"anna","data":\#(data)}"#
    }

    private func section(_ name: String, _ document: JSONValue) -> JSONValue? {
        document["sections"]?.elements?.first { $0["name"]?.string == name }
    }

    private func names(_ document: JSONValue) -> [String] {
        document["sections"]?.elements?.compactMap { $0["name"]?.string } ?? []
    }

    /// Every field there is, wherever it stands.
    private func fields(_ value: JSONValue) -> [JSONValue] {
        if value["path"] != nil, value["type"] != nil { return [value] }
        return (value.elements ?? []).flatMap(fields) + value.members.flatMap { fields($0.value) }
    }

    private func path(_ field: JSONValue) -> [String] { field["path"]?.elements?.compactMap(\.string) ?? [] }

    private func field(_ path: String, _ document: JSONValue) throws -> JSONValue {
        try #require(fields(document).first { self.path($0).joined(separator: "/") == path }, "\(path)")
    }

    private func labels(_ section: JSONValue?, _ list: String) -> [String] {
        section?[list]?.elements?.compactMap { $0["label"]?.string } ?? []
    }

    // MARK: The stories

    @Test func `standard: everything that it uses, and no more`() throws {
        let settings = try document("standard")
        #expect(names(settings) == ["master", "check_ins", "kinds", "channels", "quiet_hours", "schedule"])
        #expect(settings["name"]?.string == "Anna" && settings["timezone"]?.string == "Europe/Paris")
        #expect(settings["local_time"]?.string == "2026-03-02T15:00")
        #expect(settings["preset"] == .null && settings["changed"] == .emptyObject && settings["waiting"]?.integer == 0)
        #expect(try field("digest_mode", settings)["value"]?.bool == false)
        #expect(try field("kinds/reminder/digest", settings)["values"]?.elements?.count == 3)
    }

    @Test func `a channel that the policy sends nothing by is offered only to who chose it, to be given up`() throws {
        func offered(_ policy: String, _ patch: String = "{}") throws -> [[String]] {
            let settings = try document(policy, [fact("preferences_changed", #"{"patch":\#(patch)}"#)])
            let ofAll = section("channels", settings)?["fields"]?.elements?.compactMap { path($0).last } ?? []
            let ofKinds =
                section("kinds", settings)?["kinds"]?.elements?
                .compactMap { $0["channels"]?["allowed"]?.elements?.compactMap(\.string) } ?? []
            return [ofAll] + Set(ofKinds)
        }
        for policy in ["standard", "coachme", "screentime", "messageai"] {
            #expect(try offered(policy) == [["push", "email"], ["push", "email"]], "\(policy)")
        }
        #expect(try offered("microcommit") == [["push", "email", "sms"], ["push", "email", "sms"]])
        for chosen in [#"{"channels":{"sms":true}}"#, #"{"kinds":{"alert":{"channels":["push","sms"]}}}"#] {
            #expect(try offered("standard", chosen) == [["push", "email", "sms"], ["push", "email", "sms"]])
        }
    }

    @Test func `coachme: check-ins with their frequency, shown when they are on`() throws {
        let settings = try document("coachme")
        #expect(names(settings).contains("check_ins") && !names(settings).contains("smart"))
        let frequency = try field("frequency", settings)
        #expect(frequency["depends_on"]?.elements?.compactMap(\.string) == ["check_ins_enabled"])
        #expect(
            frequency["values"]?.elements?.compactMap { $0["label"]?.string } == [
                "Daily", "Few times a week", "Weekly",
            ])
        #expect(try field("check_ins_enabled", settings)["value"]?.bool == false)
        let yes = try document("coachme", [fact("push_permission_changed", #"{"status":"denied"}"#)])
        #expect(try field("check_ins_enabled", yes)["value"]?.bool == true)
        #expect(yes["permission"]?.string == "denied")
        #expect(try field("channels/push", yes)["help"]?.string?.contains("disabled in the device's settings") == true)
    }

    @Test func `screentime: a switch for each event, for each child, quiet hours, digest, master`() throws {
        let settings = try document(
            "screentime",
            [
                fact("subject_named", #"{"subject":"child:lea","title":"Lea"}"#),
                fact("subject_named", #"{"subject":"child:tom","title":"Tom"}"#),
                fact(
                    "preferences_changed",
                    #"{"patch":{"subjects":{"child:lea":{"kinds":{"points_earned":{"enabled":false}}}}}}"#),
            ])
        let kinds = labels(section("kinds", settings), "kinds")
        #expect(
            kinds == [
                "Learning goals achieved", "Streaks achieved", "Points earned", "Daily summary", "Weekly progress",
            ])
        let children = section("subjects", settings)
        #expect(children?["label"]?.string == "For each child")
        #expect(children?["subjects"]?.elements?.compactMap { $0["title"]?.string } == ["Lea", "Tom"])
        let lea = try field("subjects/child:lea/kinds/points_earned/enabled", settings)
        #expect(lea["value"]?.bool == false && lea["default"]?.bool == true && lea["changed"]?.bool == true)
        let tom = try field("subjects/child:tom/kinds/points_earned/enabled", settings)
        #expect(tom["value"]?.bool == true && tom["changed"]?.bool == false)
        #expect(try field("quiet_hours/start", settings)["value"]?.string == "20:00")
        #expect(settings["consent"]?["asked"]?.bool == false)
        #expect(try field("kinds/daily_summary/enabled", settings)["help"]?.string == "Every day at 18:00.")
    }

    @Test func `messageai: smart mode with its ranges, keywords, fallback and status`() throws {
        let settings = try document("messageai", [fact("consent_given", #"{"by":"user"}"#)])
        #expect(try field("enabled", settings)["label"]?.string == "Smart notifications")
        func range(_ name: String) throws -> [Int?]? { try field(name, settings)["range"]?.elements?.map(\.integer) }
        #expect(try range("pause_threshold_seconds") == [60, 300])
        #expect(try range("active_conversation_threshold") == [10, 50])
        #expect(try range("max_analyses_per_hour") == [5, 20])
        #expect(try field("priority_keywords", settings)["value"]?.elements?.count == 5)
        #expect(try field("fallback_strategy", settings)["values"]?.elements?.count == 3)
        #expect(section("smart", settings)?["analyser"]?["status"]?.string == "untested")
        #expect(settings["consent"] == .of([("asked", .bool(true)), ("by", .string("user")), ("given", .bool(true))]))
        #expect(try field("quiet_hours/enabled", settings)["help"]?.string?.contains("Not sent at all") == true)
        let off = try document("messageai", hasAnalyser: false)
        #expect(section("smart", off)?["analyser"]?["status"]?.string == "off")
        #expect(off["consent"]?["given"]?.bool == false)
        #expect(!names(settings).contains("check_ins") && !names(settings).contains("goals"))
    }

    @Test func `microcommit: eight types with their parts, presets, goals, channels, quiet hours, schedule`() throws {
        let settings = try document(
            "microcommit",
            [
                fact("goal_started", #"{"goal":"g1","title":"Run","deadline":"2026-03-09T12:00:00Z"}"#),
                fact("goal_started", #"{"goal":"g2","title":"Read"}"#),
                fact("goal_ended", #"{"goal":"g2","outcome":"completed"}"#),
                fact(
                    "preferences_changed",
                    #"{"patch":{"goals":{"g1":{"reminder_time":"06:30","kinds":{"referee":{"enabled":false}}}}}}"#),
            ])
        #expect(
            names(settings) == [
                "master", "presets", "kinds", "goals", "channels", "quiet_hours", "schedule", "choices",
            ])
        #expect(labels(section("presets", settings), "presets") == ["Minimal", "Balanced", "All"])
        let kinds = section("kinds", settings)?["kinds"]?.elements ?? []
        #expect(
            kinds.prefix(8).compactMap { $0["label"]?.string } == [
                "Goal reminders", "Deadline warnings", "Streak & achievements", "Referee interactions",
                "Payment & financial", "Goal lifecycle", "Social & community", "Product updates",
            ])
        // Payments cannot be switched off; their reminder can.
        let payment = try #require(kinds.first { $0["name"]?.string == "payment" })
        #expect(payment["locked"]?.bool == true && payment["enabled"]?["locked"]?.bool == true)
        #expect(payment["channels"]?["why_locked"]?.string == "Always sent by Push and Email.")
        #expect(try field("kinds/payment/subtypes/payment_failed", settings)["locked"]?.bool == true)
        #expect(try field("kinds/payment/subtypes/payment_reminder", settings)["locked"]?.bool == false)
        #expect(try field("kinds/deadline_warning/subtypes/15_minutes", settings)["value"]?.bool == false)
        #expect(try field("kinds/product_update/digest", settings)["value"]?.string == "none")
        // A goal's own, and what holds for all.
        let goals = section("goals", settings)?["goals"]?.elements ?? []
        #expect(goals.compactMap { $0["title"]?.string } == ["Run"])
        let time = try field("goals/g1/reminder_time", settings)
        #expect(time["value"]?.string == "06:30" && time["default"]?.string == "08:00" && time["changed"]?.bool == true)
        #expect(try field("reminder_time", settings)["value"]?.string == "08:00")
        #expect(
            try field("goals/g1/days_before", settings)["values"]?.elements?.compactMap { $0["value"]?.integer } == [
                0, 1, 2,
            ])
        #expect(try field("goals/g1/repeat", settings)["value"]?.string == "once")
        #expect(try field("goals/g1/kinds/referee/enabled", settings)["value"]?.bool == false)
        let warning = try field("goals/g1/kinds/deadline_warning/subtypes/6_hours", settings)
        #expect(warning["value"]?.bool == true && warning["changed"]?.bool == false)
        // Off for a goal, its parts and its time are off with it, and say by which switch.
        func path(_ name: String, _ field: JSONValue) -> String? {
            field[name]?.elements?.compactMap(\.string).joined(separator: "/")
        }
        let ofGoal = "goals/g1/kinds/deadline_warning/enabled"
        #expect(path("depends_on", warning) == ofGoal)
        #expect(path("depends_on", try field(ofGoal, settings)) == "kinds/deadline_warning/enabled")
        #expect(path("depends_on", time) == "goals/g1/kinds/goal_reminder/enabled")
        // A warning that comes more often near the deadline comes by that switch too.
        for (place, part, switching) in [
            ("", "3_hours", "escalation"), ("goals/g1/", "15_minutes", "escalation"), ("goals/g1/", "1_hour", nil),
        ] {
            let parts = "\(place)kinds/deadline_warning/subtypes/"
            #expect(path("also_on", try field(parts + part, settings)) == switching.map { parts + $0 })
        }
        let exceptions = try field("quiet_hours/exceptions", settings)
        #expect(exceptions["value"]?.elements?.compactMap(\.string) == ["critical"])
        #expect(exceptions["values"]?.elements?.contains { $0["value"]?.string == "referee" } == true)
        let level = try field("choices/celebration_level", settings)
        #expect(level["type"]?.string == "one_of" && level["values"]?.elements?.count == 3)
    }

    @Test func `who never applied a preset is shown the one that their settings are like`() throws {
        func preset(_ facts: [String]) throws -> JSONValue? { try document("microcommit", facts)["preset"] }
        func changed(_ patch: String) -> String { fact("preferences_changed", "{\"patch\":\(patch)}") }
        #expect(try preset([])?.string == "balanced")
        // What no preset sets makes none of them another.
        #expect(try preset([changed(#"{"quiet_hours":{"end":"07:00"}}"#)])?.string == "balanced")
        #expect(try preset([changed(#"{"kinds":{"goal_reminder":{"enabled":false}}}"#)]) == .null)
        #expect(
            try preset([fact("preset_applied", #"{"preset":"minimal"}"#), changed(#"{"quiet_hours":{"end":"07:00"}}"#)]
            )?
            .string == "custom")
    }

    // MARK: Addresses

    @Test func `addresses are shown as far as their owner knows them by`() throws {
        let asked = [
            fact("contact_changed", #"{"email":"anna@example.org","phone":"+15551234567","phone_verified":true}"#),
            fact("phone_verification_requested", #"{"phone":"+33612345678"}"#),
            fact("device_registered", #"{"device":"d1","platform":"android","token":"the-push-token"}"#),
        ]
        let settings = try document("microcommit", asked, platforms: ["d1": .android])
        let text = settings.text
        for secret in ["anna@example.org", "5551234567", "612345678", "the-push-token"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        let channels = section("channels", settings)
        #expect(channels?["email"]?.string == "a•••@example.org")
        let phone = try #require(channels?["phone"])
        #expect(phone["number"]?.string == "+1 ••• •• 67" && phone["verified"]?.bool == true)
        #expect(phone["asked"]?.string == "+33 ••• •• 78" && phone["attempts_left"]?.integer == 5)
        #expect(phone["resend_at"]?.string == "2026-03-02T14:00:30.000Z" && phone["locked_until"] == .null)
        let device = try #require(channels?["devices"]?.elements?.first)
        #expect(
            device["device"]?.string == "d1" && device["platform"]?.string == "android" && device["alive"]?.bool == true
        )
        let justBefore = try document("microcommit", asked, at: Self.now.advanced(byMilliseconds: 29_999))
        #expect(section("channels", justBefore)?["phone"]?["resend_at"] == phone["resend_at"])
        let later = try document("microcommit", asked, at: Self.now.advanced(bySeconds: 30))
        #expect(section("channels", later)?["phone"]?["resend_at"] == .null)
        #expect(section("channels", later)?["phone"]?["code_expires_at"]?.string == "2026-03-02T14:10:00.000Z")
        #expect(
            try field("channels/sms", try document("microcommit"))["help"]?.string
                == "Needs a phone number that is verified.")
    }

    // MARK: Drawn from the policy

    private static let allowed: [String: [JSONValue]] = [
        "bool": [.bool(true), .bool(false)], "time": [.string("07:15")], "zone": [.string("Asia/Tokyo")],
        "days": [.array([.string("mon"), .string("sun")])], "text": [.string("hello")],
        "schedule": [.of([("mon", .array([.array([.string("09:00"), .string("17:00")])]))])],
    ]

    private func values(of field: JSONValue) throws -> [JSONValue] {
        let type = try #require(field["type"]?.string)
        switch type {
        case "one_of": return try #require(field["values"]?.elements).compactMap { $0["value"] }
        case "number": return try #require(field["range"]?.elements)
        case "list": return [.array((field["allowed"]?.elements ?? [.string("word")]).prefix(2).map { $0 })]
        case "channels": return [.array([.string("email")]), .array([])]
        default: return try #require(Self.allowed[type], "\(type)")
        }
    }

    /// A page that writes what a field allows to where its path says is never refused, and `null` puts the default back.
    @Test(arguments: ShippedPolicies.names) func `every field can be written as it says`(policy: String) throws {
        let plan = ShippedPlans[policy]
        let facts = [
            fact("goal_started", #"{"goal":"g1","title":"Run"}"#),
            fact("subject_named", #"{"subject":"child:lea","title":"Lea"}"#),
        ]
        let settings = try document(policy, facts)
        #expect(fields(settings).count > 10)
        for field in fields(settings) {
            let path = path(field)
            #expect(field["label"]?.string?.isEmpty == false, "\(path)")
            #expect(field["locked"]?.bool == (field["why_locked"] != .null), "\(path)")
            for value in try values(of: field) + [.null] {
                let patch = path.reversed().reduce(value) { inner, key in .of([(key, inner)]) }
                #expect(plan.rules.problem(withPatch: patch, on: .emptyObject, saidYes: true) == nil, "\(patch.text)")
                guard value != .null, path != ["timezone"], field["type"]?.string != "schedule" else { continue }
                let changed = try document(policy, facts + [fact("preferences_changed", #"{"patch":\#(patch.text)}"#)])
                let written = try self.field(path.joined(separator: "/"), changed)
                #expect(written["value"] == value, "\(patch.text): \(written.text)")
                // What is switched for one goal or subject is said, also where it is what holds for all.
                let isSwitch = ["goals", "subjects"].contains(path[0]) && path.contains("kinds")
                let isOther = value != field["default"]
                #expect(written["changed"]?.bool == (isOther || isSwitch), "\(patch.text)")
            }
        }
    }

    /// What a person can change anywhere in the document is on the page, where the policy has a use for it.
    @Test(arguments: ShippedPolicies.names) func `nothing that has an effect is left out`(policy: String) throws {
        let settings = try document(policy)
        let rules = ShippedPlans[policy].rules
        let paths = Set(fields(settings).map { path($0).joined(separator: "/") })
        func leaves(_ value: JSONValue, _ path: [String]) -> [[String]] {
            guard !value.members.isEmpty, path != ["schedule"] else { return [path] }
            return value.members.flatMap { leaves($0.value, path + [$0.key]) }
        }
        for leaf in leaves(try #require(settings["preferences"]), []) {
            // Objects of goals, subjects and choices that are empty here.
            if ["goals", "subjects", "choices"].contains(leaf[0]) || leaf.last == "subtypes" { continue }
            if paths.contains(leaf.joined(separator: "/")) { continue }
            // Left out for having no effect: the warnings of a change say the same.
            let other = try #require(Self.otherwise[leaf[0]], "\(leaf)")
            let patch = leaf.reversed().reduce(other) { inner, key in .of([(key, inner)]) }
            let new = rules.differences(of: .emptyObject, patchedWith: patch, saidYes: true)
            let warnings = rules.warnings(
                from: .emptyObject, to: new, saidYes: true, standing: PreferenceStanding())
            #expect(warnings.contains { $0.sentence.contains("has no effect") }, "\(leaf): \(warnings.map(\.sentence))")
        }
    }

    private static let otherwise: [String: JSONValue] = [
        "channels": .bool(true), "check_ins_enabled": .bool(true), "frequency": .string("daily"),
        "check_in_time": .string("07:00"),
        "check_in_days": .array([.string("tue")]),
        "digest_mode": .bool(true), "reminder_time": .string("06:00"), "pause_threshold_seconds": .of(90),
        "active_conversation_threshold": .of(30), "priority_keywords": .of(["x"]), "max_analyses_per_hour": .of(7),
        "fallback_strategy": .string("notify_all"),
    ]

    @Test func `a policy that nobody has seen has its page`() throws {
        let plan = ShippedPlans.plan(
            document: #"""
                {"name":"library","about":"Books","kinds":[{"name":"due","label":"Books due","on_request":true}],
                 "choices":[{"name":"shelf","label":"Shelf","type":"text","length_max":20,"default":"A"},
                            {"name":"copies","type":"number","range":[1,9],"default":2},
                            {"name":"large_print","type":"bool","default":false},{"name":"visit","type":"time","default":"10:00"}]}
                """#)
        let settings = try document(of: plan, [])
        #expect(names(settings) == ["master", "kinds", "channels", "quiet_hours", "schedule", "choices"])
        #expect(labels(section("kinds", settings), "kinds") == ["Books due"])
        #expect(try field("choices/shelf", settings)["length_max"]?.integer == 20)
        #expect(try field("choices/copies", settings)["range"] == .array([.of(1), .of(9)]))
        #expect(try field("choices/copies", settings)["label"]?.string == "Copies")
        #expect(try field("choices/visit", settings)["type"]?.string == "time")
    }

    /// `P14`.
    @Test(arguments: [
        ("standard", "Only what is urgent comes", " These come at any hour: Urgent notices."),
        ("microcommit", "Only what is urgent comes", " These come at any hour: Payment & financial."),
        ("coachme", "Nothing comes", ""),
    ])
    func `a weekly schedule says what comes outside its hours`(policy: String, outside: String, exception: String)
        throws
    {
        let schedule = try field("schedule", try document(policy))
        #expect(schedule["outside"]?.string == outside)
        #expect(
            schedule["help"]?.string
                == "Where some are set, notices come only in them, and none on a day without any." + exception)
    }

    @Test func `a preset is told, and custom once something was changed beside it`() throws {
        let settings = try document(
            "microcommit", [fact("preset_applied", #"{"preset":"minimal"}"#)])
        #expect(settings["preset"]?.string == "minimal")
        #expect(try field("kinds/referee/enabled", settings)["changed"]?.bool == true)
        let custom = try document(
            "microcommit",
            [
                fact("preset_applied", #"{"preset":"minimal"}"#),
                fact("preferences_changed", #"{"patch":{"digest_mode":true}}"#),
            ])
        #expect(custom["preset"]?.string == "custom")
    }
}
