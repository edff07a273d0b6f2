import Audit
import CivilTime
import Notices
import Testing

/// A log written by hand: each step is one event, numbered from 1 in the order they stand.
struct History {
    var policy: String
    var steps: [Step]

    init(_ policy: String, _ steps: [Step]) {
        self.policy = policy
        self.steps = steps
    }

    init(_ policy: String, _ steps: Step...) { self.init(policy, steps) }

    /// Under `standard`.
    init(_ steps: Step...) { self.init(Policies.standard, steps) }

    func report(_ ending: Ending = .anywhere) throws -> AuditReport {
        let zones = try ZoneDatabase()
        var auditor = Auditor(policy: JSONDocument(trusted: policy)) { try? zones.zone(named: $0) }
        for (index, step) in steps.enumerated() {
            auditor.take(
                Event(
                    seq: UInt64(index + 1), at: try Instant(rfc3339: step.at), user: step.user, id: step.id,
                    payload: try step.payload()))
        }
        return auditor.finish(ending)
    }

    /// What is found: each violation's check and event, such as `quiet_hours 3`. A drop in these histories stands for any end that
    /// a notice may have; whether its reason holds is asked in `DropTests`.
    func found(_ ending: Ending = .anywhere) throws -> [String] {
        try report(ending).violations.filter { $0.check != .drops }.map { "\($0.check.name) \($0.seq)" }
    }

    /// How often a check was asked.
    func asked(_ check: Check) throws -> Int { try report()[check].asked }
}

/// One event: when, about whom, and what, as the log prints it.
struct Step {
    var at: String
    var user: String?
    var type: String
    var data: String
    var id: String?

    func payload() throws -> Payload {
        try Payload.read(logged: JSONTape().parse(data), of: type)
    }

    func about(_ user: String?) -> Step {
        var step = self
        step.user = user
        return step
    }

    func with(id: String) -> Step {
        var step = self
        step.id = id
        return step
    }
}

/// A fact about Anna.
func fact(_ at: String, _ type: String, _ data: String = "{}") -> Step {
    Step(at: at, user: "anna", type: type, data: data)
}

func enrolled(_ zone: String = "UTC", _ more: String = "", at: String = "2026-03-01T12:00:00Z") -> Step {
    fact(at, "user_enrolled", "{\"timezone\":\"\(zone)\"\(more)}")
}

func wants(_ patch: String, at: String = "2026-03-01T12:00:01Z") -> Step {
    fact(at, "preferences_changed", "{\"patch\":\(patch)}")
}

func requested(_ at: String, _ kind: String = "reminder", _ more: String = "") -> Step {
    fact(at, "notice_requested", "{\"kind\":\"\(kind)\"\(more)}")
}

/// A job of the kind and subject that its name says, on push and of its kind's priority unless said otherwise. It may be sent
/// at its own instant alone, which every rule allows that allows the job.
func job(
    _ at: String, _ id: String, on channels: [String] = ["push"], _ priority: String? = nil,
    notices: [String]? = nil, kind: String? = nil, more: String = ""
) -> Step {
    let parts = id.split(separator: "/").map(String.init)
    let subjects = Set((notices ?? [id]).map { $0.split(separator: "/").dropFirst(2).dropLast().first })
    let subject = parts.count == 4 && subjects.count == 1 ? ",\"subject\":\"\(parts[2])\"" : ""
    let base = id.split(separator: "~").first.map(String.init) ?? id
    let names = (notices ?? [base]).map { "\"\($0)\"" }.joined(separator: ",")
    let usual = ["urgent": "critical", "alert": "high"][kind ?? parts[1]] ?? "medium"
    let last = more.contains("not_after") ? "" : ",\"not_after\":\"\(justAfter(at))\""
    let places = channels.map { "\"\($0)\"" }.joined(separator: ",")
    return fact(
        at, "job_emitted",
        """
        {"job":"\(id)","kind":"\(kind ?? parts[1])","notices":[\(names)]\(subject),"channels":[\(places)],\
        "priority":"\(priority ?? usual)","title":"T","body":"B"\(last)\(more)}
        """)
}

private func justAfter(_ at: String) -> String {
    (try? Instant(rfc3339: at).advanced(byMilliseconds: 1)).map { "\($0)" } ?? at
}

func held(_ at: String, _ id: String, until: String, _ reason: String = "quiet_hours") -> Step {
    fact(at, "notice_held", "{\(about(id)),\"until\":\"\(until)\",\"reason\":\"\(reason)\"}")
}

func gathered(_ at: String, _ id: String, into: String, _ reason: String = "daily_cap") -> Step {
    fact(at, "notice_gathered", "{\(about(id)),\"into\":\"\(into)\",\"reason\":\"\(reason)\"}")
}

func dropped(_ at: String, _ id: String, _ reason: String) -> Step {
    fact(at, "notice_dropped", "{\(about(id)),\"reason\":\"\(reason)\"}")
}

func skipped(_ at: String, _ kind: String, _ first: String, _ last: String, _ count: Int, _ reason: String = "missed")
    -> Step
{
    fact(
        at, "slots_skipped",
        "{\"kind\":\"\(kind)\",\"reason\":\"\(reason)\",\"first\":\"\(first)\",\"last\":\"\(last)\",\"count\":\(count)}"
    )
}

private func about(_ id: String) -> String {
    let parts = id.split(separator: "/").map(String.init)
    let subject = parts.count == 4 ? ",\"subject\":\"\(parts[2])\"" : ""
    return "\"notice\":\"\(id)\",\"kind\":\"\(parts.count > 1 ? parts[1] : "?")\"\(subject)"
}
