/// One type of fact as the table of SPEC §2 has it, with a value for each field as senders write it.
struct FactExample: Sendable {
    struct Field: Sendable {
        let name: String
        let json: String
    }

    let type: String
    let required: [Field]
    let optional: [Field]
    let isAboutPerson: Bool

    init(
        _ type: String, _ required: KeyValuePairs<String, String> = [:],
        optional: KeyValuePairs<String, String> = [:], isAboutPerson: Bool = true
    ) {
        self.type = type
        self.required = required.map { Field(name: $0.key, json: $0.value) }
        self.optional = optional.map { Field(name: $0.key, json: $0.value) }
        self.isAboutPerson = isAboutPerson
    }

    var fields: [Field] { required + optional }

    /// The line a sender writes, with these fields as its data.
    func line(_ fields: [Field], user: String? = "anna") -> String {
        let data = fields.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",")
        let user = isAboutPerson ? user.map { "\"user\":\"\($0)\"," } ?? "" : ""
        return "{\"type\":\"\(type)\",\(user)\"data\":{\(data)}}"
    }

    /// Whether `null` in a field means that there is none any more.
    func isErasable(_ field: Field) -> Bool {
        type == "contact_changed" && ["email", "phone"].contains(field.name)
    }

    /// The full line with another value in one of its fields.
    func line(replacing name: String, with json: String) -> String {
        line(fields.map { $0.name == name ? Field(name: name, json: json) : $0 })
    }
}

extension FactExample {
    private static let patch = """
        {"enabled":true,"timezone":"Asia/Tokyo","check_ins_enabled":true,"frequency":"daily","check_in_time":"09:00",\
        "check_in_days":null,"quiet_hours":{"enabled":true,"start":"22:00","end":"08:00","days":["mon"],"exceptions":[]},\
        "schedule":{"mon":[["09:00","17:00"]]},"digest_mode":false,"channels":{"push":true,"email":true,"sms":false},\
        "kinds":{"goal_reminder":{"enabled":true,"channels":["push","email"],"subtypes":{"x":false}}},\
        "goals":{"g1":{"reminder_time":"07:30","repeat":"once","days_before":0,"kinds":{}}},\
        "pause_threshold_seconds":120,"active_conversation_threshold":20,"priority_keywords":["urgent","ASAP"],\
        "max_analyses_per_hour":10,"fallback_strategy":"simple_rules"}
        """

    static let all: [FactExample] = [
        FactExample(
            "policy_adopted", ["policy": #"{"name":"standard","kinds":[{"name":"check_in"}]}"#], isAboutPerson: false),
        FactExample(
            "user_enrolled", ["timezone": #""Europe/Paris""#],
            optional: [
                "minor": "false", "email": #""anna@example.com""#, "phone": #""+14155550123""#,
                "name": #""Anna Ødegård""#,
            ]),
        FactExample("timezone_changed", ["timezone": #""Asia/Tokyo""#], optional: ["keep": "true"]),
        FactExample("consent_given", ["by": #""guardian""#]),
        FactExample("consent_withdrawn", ["by": #""user""#]),
        FactExample("push_permission_changed", ["status": #""not_now""#]),
        FactExample("preferences_changed", ["patch": patch]),
        FactExample("preset_applied", ["preset": #""balanced""#]),
        FactExample("preferences_reset"),
        FactExample(
            "device_registered", ["device": #""d1""#, "platform": #""ios""#, "token": #""f3:a9/c1==""#],
            optional: [
                "provider": #""webpush""#, "address": #""fid""#, "environment": #""sandbox""#,
                "app": #""com.example.bell""#, "p256dh": #""BCVx-s_Y""#, "auth": #""c2VjcmV0""#,
            ]),
        FactExample(
            "device_removed", ["device": #""d1""#],
            optional: ["platform": #""web""#, "token": #""f3a9""#, "reason": #""apns: Unregistered""#]),
        FactExample("phone_verification_requested", ["phone": #""+4915112345678""#]),
        FactExample("phone_code_entered", ["code": #""123456""#]),
        FactExample("app_opened"),
        FactExample("app_closed"),
        FactExample("conversation_opened", ["conversation": #""c1""#]),
        FactExample("conversation_closed", ["conversation": #""c1""#]),
        FactExample("messages_read", ["conversation": #""c1""#]),
        FactExample(
            "message_received", ["conversation": #""c1""#, "message": #""m1""#],
            optional: [
                "sender": #""bo""#, "mentions_user": "true", "text": #""The production is down, help!""#,
                "avatar": #""https://example.com/bo.png""#,
            ]),
        FactExample("message_sent", ["conversation": #""c1""#, "message": #""m2""#]),
        FactExample("session_completed", optional: ["session": #""s1""#]),
        FactExample("checked_in", optional: ["goal": #""g1""#]),
        FactExample("points_earned", ["points": "25"], optional: ["subject": #""child:k1""#]),
        FactExample(
            "goal_started", ["goal": #""g1""#, "title": #""Run 5 km""#],
            optional: [
                "deadline": #""2026-03-02T14:00:00+01:00""#, "reminder_time": #""07:30""#,
                "check_in_days": #"["mon","sun"]"#,
            ]),
        FactExample(
            "goal_changed", ["goal": #""g1""#],
            optional: [
                "title": #""Run 10 km""#, "deadline": #""2026-04-02T14:00:00.5Z""#, "reminder_time": #""00:00""#,
                "check_in_days": "[]",
            ]),
        FactExample("goal_ended", ["goal": #""g1""#, "outcome": #""cancelled""#]),
        FactExample(
            "notice_requested", ["kind": #""reminder""#],
            optional: [
                "subject": #""goal:g1""#, "title": #""Hello""#, "body": #""There\nyou are""#,
                "priority": #""critical""#,
                "expires_at": #""2026-03-02T14:00:00Z""#, "data": #"{"link":"app://x","é":"y","e\#u{301}":"z"}"#,
            ]),
        FactExample(
            "analysis_answered",
            [
                "conversation": #""c1""#, "should_notify": "false", "priority": #""low""#, "reason": #""small talk""#,
                "text": #""""#,
            ]),
        FactExample("analysis_failed", ["conversation": #""c1""#, "reason": #""timeout""#]),
        FactExample(
            "job_delivered", ["job": #""anna/check_in/goal:g1/2026-03-02T09:00~1""#, "channel": #""in_app""#],
            optional: ["provider_id": #""apns-1""#]),
        FactExample(
            "job_failed",
            ["job": #""anna/reminder/#12""#, "channel": #""push""#, "reason": #""bad token""#, "permanent": "false"],
            optional: ["retry_after_seconds": "0"]),
        FactExample("notice_opened", ["job": #""anna/reminder/#12""#]),
        FactExample("notice_dismissed", ["job": #""anna/reminder/#12""#]),
        FactExample("notice_snoozed", ["job": #""anna/reminder/#12""#, "minutes": "120"]),
        FactExample("feedback_given", ["job": #""anna/reminder/#12""#, "helpful": "false"]),
        FactExample("history_cleared"),
        FactExample(
            "run_requested", optional: ["user": #""anna""#, "kind": #""check_in""#, "force": "true"],
            isAboutPerson: false),
        FactExample(
            "delivery_reported",
            ["job": #""anna/reminder/#12""#, "channel": #""email""#, "status": #""bounced""#],
            optional: [
                "permanent": "true", "code": #""5.1.1""#, "provider_id": #""MSG-1""#, "device": #""d1""#,
            ]),
        FactExample("job_retry_requested", ["job": #""anna/reminder/#12""#]),
        FactExample("test_requested", ["kind": #""reminder""#], optional: ["channel": #""sms""#]),
        FactExample(
            "unsubscribed", ["channel": #""email""#, "how": #""one_click""#], optional: ["kind": #""reminder""#]),
        FactExample("feed_seen"),
        FactExample("subject_named", ["subject": #""child:lea""#, "title": #""Lea""#]),
        FactExample(
            "contact_changed",
            optional: [
                "email": #""bo@example.com""#, "phone": #""+14155550123""#, "phone_verified": "true",
                "name": #""Bo""#,
            ]),
    ]
}

extension FactExample: CustomStringConvertible {
    var description: String { type }
}
