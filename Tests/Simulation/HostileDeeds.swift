internal import CivilTime
public import Notices

/// What hostile people do, one deed each.
extension HostilePerson {
    func named(_ description: String) -> HostilePerson {
        var other = HostilePerson(description, policy)
        (other.told, other.recorded, other.then) = (told, recorded, then)
        (other.asleepHours, other.outageHours) = (asleepHours, outageHours)
        return other
    }

    mutating func tell(_ facts: [Payload], at text: String) {
        told += facts.map { (Instant(milliseconds: Self.start(text)), $0) }
    }

    mutating func tell(_ fact: Payload, at text: String) { tell([fact], at: text) }

    mutating func tell(_ fact: Payload, at instant: Instant) { told.append((instant, fact)) }

    mutating func record(_ events: [Payload], at text: String) {
        recorded += events.map { (Instant(milliseconds: Self.start(text)), $0) }
    }

    static func start(_ text: String) -> Int64 {
        guard let instant = try? Instant(rfc3339: text) else { preconditionFailure("\(text) is no instant") }
        return instant.milliseconds
    }

    public static func fact(_ type: String, _ data: String) -> Payload {
        let reader = FactReader { _ in nil }
        let line = #"{"type":"\#(type)","user":"\#(user)","data":\#(data)}"#
        do { return try reader.read(line).payload } catch { preconditionFailure("\(line): \(error)") }
    }

    static func enrolled() -> Payload { fact("user_enrolled", #"{"timezone":"UTC"}"#) }
    static func consent() -> Payload { fact("consent_given", #"{"by":"user"}"#) }
    static func travel(_ zone: String) -> Payload { fact("timezone_changed", #"{"timezone":"\#(zone)"}"#) }
    static func patch(_ patch: String) -> Payload { fact("preferences_changed", #"{"patch":\#(patch)}"#) }
    static func preset(_ name: String) -> Payload { fact("preset_applied", #"{"preset":"\#(name)"}"#) }

    static func request(_ kind: String, about subject: String?) -> Payload {
        let subject = subject.map { #","subject":"\#($0)""# } ?? ""
        return fact("notice_requested", #"{"kind":"\#(kind)"\#(subject),"title":"Something","body":"has happened"}"#)
    }

    static func startedGoal(_ number: Int) -> Payload {
        let minute = number % 60 < 10 ? "0\(number % 60)" : "\(number % 60)"
        return fact(
            "goal_started",
            #"{"goal":"goal-\#(number)","title":"Goal \#(number)","deadline":"2026-03-20T12:\#(minute):00Z"}"#)
    }

    static func endedGoal(_ number: Int) -> Payload {
        fact("goal_ended", #"{"goal":"goal-\#(number)","outcome":"completed"}"#)
    }

    static func checkedIn(_ number: Int) -> Payload { fact("checked_in", #"{"goal":"goal-\#(number)"}"#) }

    static func received(in number: Int) -> Payload {
        fact("message_received", #"{"conversation":"conversation-\#(number)","message":"m\#(number)"}"#)
    }

    static func sent(in number: Int) -> Payload {
        fact("message_sent", #"{"conversation":"conversation-\#(number)","message":"m\#(number)"}"#)
    }

    static func device(_ number: Int) -> Payload {
        fact("device_registered", #"{"device":"device-\#(number)","platform":"ios","token":"token-\#(number)"}"#)
    }

    static func snoozed(_ job: String) -> Payload {
        fact("notice_snoozed", #"{"job":"\#(user)/\#(job)","minutes":15}"#)
    }

    /// A hundred goals a patch, each with as much as can be said of one.
    static func settingsPatches(_ count: Int) -> [Payload] {
        stride(from: 0, to: count, by: 100).map { first in
            let goals = (first..<min(first + 100, count)).map {
                #""goal-\#($0)":{"reminder_time":"07:30","days_before":1,"kinds":{"achievement":{"enabled":false,"#
                    + #""channels":["email"],"subtypes":{"major":false,"minor":true}},"referee":{"enabled":false}}}"#
            }
            return patch(#"{"goals":{\#(goals.joined(separator: ","))}}"#)
        }
    }

    // MARK: Decisions

    private static func name(_ kind: String, _ subject: String?, _ last: String) -> NoticeName {
        NoticeName(([user, kind] + [subject].compactMap { $0 } + [last]).joined(separator: "/"))
    }

    static func held(_ kind: String, _ subject: String, seq: Int, until: String) -> Payload {
        var held = NoticeHeld()
        held.notice = name(kind, subject, "#\(seq)")
        held.kind = Identifier(kind)
        held.subject = Identifier(subject)
        held.until = Instant(milliseconds: start(until))
        held.reason = .quietHours
        return .noticeHeld(held)
    }

    static func gathered(_ kind: String, _ subject: String, seq: Int, into digest: String) -> Payload {
        var gathered = NoticeGathered()
        gathered.notice = name(kind, subject, "#\(seq)")
        gathered.kind = Identifier(kind)
        gathered.subject = Identifier(subject)
        gathered.into = NoticeName("\(user)/\(digest)")
        gathered.reason = .digestMode
        return .noticeGathered(gathered)
    }

    static func job(_ kind: String, seq: Int) -> Payload {
        var job = JobEmitted()
        job.job = name(kind, nil, "#\(seq)")
        job.notices = [job.job]
        job.kind = Identifier(kind)
        job.channels = [.push]
        job.priority = .critical
        job.title = Text("Something")
        job.body = Text("has happened")
        return .jobEmitted(job)
    }
}
