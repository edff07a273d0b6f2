/// A fact as a sender tells it, about Anna unless it says otherwise. The instant is the scenario's.
struct Told: Sendable {
    var type: String
    var data = "{}"
    var user: String? = "anna"
    var id: String?

    init(_ type: String, _ data: String = "{}") {
        self.type = type
        self.data = data
    }

    func of(_ user: String?) -> Told {
        var told = self
        told.user = user
        return told
    }

    func with(id: String) -> Told {
        var told = self
        told.id = id
        return told
    }

    /// The line a sender would write.
    func line(at instant: String) -> String {
        var line = "{\"type\":\"\(type)\""
        if let user { line += ",\"user\":\"\(user)\"" }
        if let id { line += ",\"id\":\"\(id)\"" }
        return line + ",\"at\":\"\(instant)\",\"data\":\(data)}"
    }
}

// MARK: Who they are

extension Told {
    static func enrolled(_ zone: String = "UTC", _ more: String = "") -> Told {
        Told("user_enrolled", "{\"timezone\":\"\(zone)\"\(more.isEmpty ? "" : ",\(more)")}")
    }

    static func moved(to zone: String, keep: Bool? = nil) -> Told {
        Told("timezone_changed", "{\"timezone\":\"\(zone)\"\(keep.map { ",\"keep\":\($0)" } ?? "")}")
    }

    static func consent(by giver: String = "user") -> Told { Told("consent_given", "{\"by\":\"\(giver)\"}") }

    static func noConsent(by giver: String = "user") -> Told { Told("consent_withdrawn", "{\"by\":\"\(giver)\"}") }

    static func permission(_ status: String) -> Told { Told("push_permission_changed", "{\"status\":\"\(status)\"}") }

    static func device(_ name: String) -> Told {
        Told("device_registered", "{\"device\":\"\(name)\",\"platform\":\"ios\",\"token\":\"t-\(name)\"}")
    }

    static func lostDevice(_ name: String) -> Told { Told("device_removed", "{\"device\":\"\(name)\"}") }

    /// A merge patch on the preferences.
    static func wants(_ patch: String) -> Told { Told("preferences_changed", "{\"patch\":\(patch)}") }

    static let noCheckIns = wants(#"{"check_ins_enabled":false}"#)

    static let reset = Told("preferences_reset")

    static func preset(_ name: String) -> Told { Told("preset_applied", "{\"preset\":\"\(name)\"}") }

    static func asksForCode(_ phone: String) -> Told {
        Told("phone_verification_requested", "{\"phone\":\"\(phone)\"}")
    }

    static func enters(code: String) -> Told { Told("phone_code_entered", "{\"code\":\"\(code)\"}") }
}

// MARK: What they do

extension Told {
    static let opensApp = Told("app_opened")
    static let closesApp = Told("app_closed")

    static func opens(_ conversation: String) -> Told {
        Told("conversation_opened", "{\"conversation\":\"\(conversation)\"}")
    }

    static func leaves(_ conversation: String) -> Told {
        Told("conversation_closed", "{\"conversation\":\"\(conversation)\"}")
    }

    static func reads(_ conversation: String) -> Told {
        Told("messages_read", "{\"conversation\":\"\(conversation)\"}")
    }

    static func message(in conversation: String, _ text: String? = nil, mentions: Bool = false) -> Told {
        let said = text.map { ",\"text\":\"\($0)\"" } ?? ""
        let mention = mentions ? ",\"mentions_user\":true" : ""
        return Told("message_received", "{\"conversation\":\"\(conversation)\",\"message\":\"m\"\(said)\(mention)}")
    }

    static func sends(in conversation: String) -> Told {
        Told("message_sent", "{\"conversation\":\"\(conversation)\",\"message\":\"m\"}")
    }

    static let session = Told("session_completed")

    static func checkedIn(_ goal: String? = nil) -> Told {
        Told("checked_in", goal.map { "{\"goal\":\"\($0)\"}" } ?? "{}")
    }

    static func earned(_ points: Int, for subject: String? = nil) -> Told {
        Told("points_earned", "{\"points\":\(points)\(subject.map { ",\"subject\":\"\($0)\"" } ?? "")}")
    }

    static func named(_ subject: String, _ title: String) -> Told {
        Told("subject_named", "{\"subject\":\"\(subject)\",\"title\":\"\(title)\"}")
    }

    static func goal(_ goal: String, _ more: String = "", title: String? = nil) -> Told {
        let rest = more.isEmpty ? "" : ",\(more)"
        return Told("goal_started", "{\"goal\":\"\(goal)\",\"title\":\"\(title ?? "Goal \(goal)")\"\(rest)}")
    }

    static func goalChanged(_ goal: String, _ more: String) -> Told {
        Told("goal_changed", "{\"goal\":\"\(goal)\",\(more)}")
    }

    static func goalEnded(_ goal: String, _ outcome: String = "completed") -> Told {
        Told("goal_ended", "{\"goal\":\"\(goal)\",\"outcome\":\"\(outcome)\"}")
    }
}

// MARK: What is asked for, and what became of it

extension Told {
    static func requested(
        _ kind: String, _ subject: String? = nil, priority: String? = nil, expires: String? = nil,
        and more: String = ""
    ) -> Told {
        var data = "{\"kind\":\"\(kind)\""
        if let subject { data += ",\"subject\":\"\(subject)\"" }
        if let priority { data += ",\"priority\":\"\(priority)\"" }
        if let expires { data += ",\"expires_at\":\"\(expires)\"" }
        return Told("notice_requested", data + (more.isEmpty ? "" : ",\(more)") + "}")
    }

    /// A recorded "run now"; of nobody it is for everyone.
    static func run(_ kind: String? = nil, force: Bool? = nil) -> Told {
        let parts = [kind.map { "\"kind\":\"\($0)\"" }, force.map { "\"force\":\($0)" }].compactMap { $0 }
        return Told("run_requested", "{\(parts.joined(separator: ","))}")
    }

    static func snoozes(_ job: String, _ minutes: Int) -> Told {
        Told("notice_snoozed", "{\"job\":\"anna/\(job)\",\"minutes\":\(minutes)}")
    }

    static func delivered(_ job: String, on channel: String = "push") -> Told {
        Told("job_delivered", "{\"job\":\"anna/\(job)\",\"channel\":\"\(channel)\"}")
    }

    static func failed(_ job: String, on channel: String, permanent: Bool) -> Told {
        Told(
            "job_failed",
            "{\"job\":\"anna/\(job)\",\"channel\":\"\(channel)\",\"reason\":\"bounced\",\"permanent\":\(permanent)}")
    }

    static func answer(_ conversation: String, notify: Bool, _ priority: String = "medium", _ text: String = "Look")
        -> Told
    {
        Told(
            "analysis_answered",
            """
            {"conversation":"\(conversation)","should_notify":\(notify),"priority":"\(priority)","reason":"because",\
            "text":"\(text)"}
            """)
    }

    static func noAnswer(_ conversation: String) -> Told {
        Told("analysis_failed", "{\"conversation\":\"\(conversation)\",\"reason\":\"timeout\"}")
    }

    /// A policy is for everyone.
    static func adopts(_ document: String) -> Told { Told("policy_adopted", "{\"policy\":\(document)}").of(nil) }
}
