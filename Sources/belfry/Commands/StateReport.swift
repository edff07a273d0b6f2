import CivilTime
import Notices

/// A person's state, for people and for machines.
struct StateReport {
    let user: String
    let person: Person
    let plan: Plan
    let seq: UInt64
    let now: Instant
    /// Whether messages can be analysed here (`A4`); unknown where only the log is looked at.
    let analyserHere: AnalyserHere
    /// Whose numbers `seq` and the person's other events have, where there are several logs.
    var partition: Int?
    /// Where the log ends, if something falls due for the person between that and `now`: nothing of it is decided yet.
    var decidedUntil: Instant?

    // MARK: For machines

    var document: JSONValue {
        let details = person.details
        var members: [JSONValue.Member] = [.init("user", .string(user))]
        if let partition { members.append(.init("partition", .number("\(partition)"))) }
        members += [
            .init("seq", .number("\(seq)")), .init("at", .string("\(now)")),
            .init("name", details.displayName.map { .string($0) } ?? .null),
            .init("policy", .string(plan.rules.policy.name.text)),
            .init("enrolled_at", .string("\(person.enrolledAt)")),
            .init("timezone", .string(zoneName)), .init("local_time", .string("\(person.zone.local(at: now))")),
            .init("clock", person.zone.clock(around: now)),
        ]
        if let device = details.deviceZone { members.append(.init("device_timezone", .string(device))) }
        members += [
            .init("preset", plan.rules.presetInForce(details.preset).map { .string($0) } ?? .null),
            .init(
                "preferences",
                plan.rules.document(
                    differing: details.differences, saidYes: person.flags.contains(.saidYes), timezone: zoneName)),
            .init("changed", details.differences),
            .init("warnings", .array(person.preferences.warnings.map { .string("\($0)") })),
            .init("consent", .array(consents.map { .string($0) })),
            .init("permission", .string(permission)), .init("app_open", .bool(person.isInApp(at: now))),
            .init("reachable", .array(person.reachable(plan).list.map { .string($0.name) })),
            .init("email", email.map { .string($0) } ?? .null), .init("phone", phone.map { .string($0) } ?? .null),
            .init("devices", .array(person.devices.map(device))),
            .init("jobs_today", .number("\(person.jobsToday(now))")),
            .init("all_jobs_today", .number("\(person.allJobsToday(now))")),
            .init("daily_cap", plan.rules.policy.dailyCap.map { .number("\($0)") } ?? .null),
            .init("waiting", .array(details.waiting.map(waiting))),
            .init("snoozed", .array(details.snoozes.map(snoozed))),
            .init("goals", .array(details.goals.map(goal))),
        ]
        if !details.stopped.isEmpty { members.append(.init("stopped", .array(details.stopped.map(stopped)))) }
        if plan.rules.policy.isSmart { members.append(.init("smart", smart)) }
        if let end = person.retentionEnds(plan) { members.append(.init("retention_ends", .string("\(end)"))) }
        if let decidedUntil { members.append(.init("decided_until", .string("\(decidedUntil)"))) }
        members.append(.init("next_wake", person.nextWake == .distantFuture ? .null : .string("\(person.nextWake)")))
        return .object(members)
    }

    private var zoneName: String { person.details.unknownZone ?? person.zone.name }

    private var zoneNote: String {
        if person.flags.contains(.zoneUnknown) { return " (unknown to this tz database: nothing is sent)" }
        return person.details.deviceZone.map { " (kept; the device is in \($0))" } ?? ""
    }

    private func waiting(_ waiting: Waiting) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("notice", .string(waiting.notice.name)),
            .init("kind", .string(plan.rules.kinds[waiting.notice.kind].name.text)),
            .init("raised_at", .string("\(waiting.notice.raisedAt)")),
        ]
        switch waiting.state {
        case .held(let until): members.append(.init("until", .string("\(until)")))
        case .gathered(let into): members.append(.init("into", .string(into)))
        }
        members.append(.init("reason", .string(waiting.reason.name)))
        return .object(members)
    }

    private func snoozed(_ snooze: Snooze) -> JSONValue {
        .object([
            .init("notice", .string("\(snooze.base)~\(snooze.number)")), .init("due", .string("\(snooze.due)")),
        ])
    }

    /// What a link stopped (`N6`), which no preference need say.
    private func stopped(_ stop: StoppedChannels) -> JSONValue {
        .object([
            .init("kind", .string(stop.kind)),
            .init("channels", .array(stop.channels.list.map { .string($0.name) })),
        ])
    }

    private func device(_ device: RegisteredDevice) -> JSONValue {
        .object([
            .init("device", .string(device.id)), .init("registered_at", .string("\(device.registeredAt)")),
            .init("seq", .number("\(device.sequence)")),
        ])
    }

    /// What is known of the address; the address itself is in the log.
    private var email: String? {
        guard person.flags.contains(.hasEmail) else { return nil }
        return person.flags.contains(.emailBounced) ? "bounced" : "known"
    }

    private var phone: String? {
        person.details.phone.number.map { _ in
            if person.flags.contains(.phoneDead) { return "dead" }
            return person.flags.contains(.phoneVerified) ? "verified" : "not verified"
        }
    }

    private func goal(_ goal: Goal) -> JSONValue {
        .object([
            .init("goal", .string(goal.id)), .init("title", .string(goal.title)),
            .init("deadline", goal.deadline.map { .string("\($0)") } ?? .null), .init("ended", .bool(goal.hasEnded)),
            .init("last_check_in", goal.checkIns.last.map { .string("\($0)") } ?? .null),
        ])
    }

    private var analyser: AnalyserStanding { AnalyserStanding(of: person, analyserHere) }

    /// `A4`: whether the analyser decides or a fallback, and why.
    private var smart: JSONValue {
        .object([
            .init("opted_in", .bool(person.wantsAnalysis(plan))), .init("status", .string(analyser.word)),
            .init("reason", analyser.reason.map { .string($0) } ?? .null),
        ])
    }

    private var analyses: String {
        guard person.wantsAnalysis(plan) else { return "not opted in: every message is told of" }
        switch analyser {
        case .untested: return "nothing was asked of the analyser yet"
        case .active: return "active"
        case .usingFallback(let reason): return "using the fallback: \(reason)"
        case .off: return "off: no analyser is configured"
        }
    }

    private var consents: [String] {
        var consents: [String] = []
        if person.flags.contains(.ownConsent) { consents.append("user") }
        if person.flags.contains(.guardianConsent) { consents.append("guardian") }
        return consents
    }

    private var permission: String {
        if person.flags.contains(.permissionGranted) { return "granted" }
        if person.flags.contains(.permissionDenied) { return "denied" }
        return "unknown"
    }

    // MARK: For people

    var lines: [String] {
        let details = person.details
        let zone = person.zone
        var lines = [
            "\(user)\(details.displayName.map { " (\($0))" } ?? ""), as of event \(seq), \(now.told(in: zone))",
            "policy       \(plan.rules.policy.name)",
            "timezone     \(zoneName)\(zoneNote)",
            "known since  \(person.enrolledAt.told(in: zone))",
            "reachable    \(person.reachable(plan).list.map(\.name).joined(separator: ", ")); push permission \(permission)",
            "addresses    email \(email ?? "unknown"), phone \(phone ?? "unknown"), \(counted(person.devices.count, "device"))",
            "consent      \(consents.isEmpty ? "none given" : consents.joined(separator: ", "))",
            "jobs today   \(person.jobsToday(now))\(plan.rules.policy.dailyCap.map { " of \($0)" } ?? ", no daily cap")",
        ]
        if plan.rules.policy.isSmart { lines.append("analyses     \(analyses)") }
        let changed = details.differences == .emptyObject ? "as the policy's defaults" : details.differences.text
        let preset = plan.rules.presetInForce(details.preset)
        lines.append("preferences  \(changed)\(preset.map { " (preset \($0))" } ?? "")")
        lines += person.preferences.warnings.map { "warning      \($0)" }
        for waiting in details.waiting {
            switch waiting.state {
            case .held(let until):
                lines.append(
                    "held         \(waiting.notice.name) until \(until.told(in: zone)): \(waiting.reason.name)")
            case .gathered(let into):
                lines.append("gathered     \(waiting.notice.name) into \(into): \(waiting.reason.name)")
            }
        }
        for snooze in details.snoozes {
            lines.append("snoozed      \(snooze.base)~\(snooze.number) until \(snooze.due.told(in: zone))")
        }
        for stop in details.stopped {
            let channels = stop.channels.list.map(\.name).joined(separator: ", ")
            lines.append("stopped      \(channels) for \(stop.kind), by a link")
        }
        for device in person.devices {
            lines.append("device       \(device.id), registered \(device.registeredAt.told(in: zone))")
        }
        for goal in details.goals where !goal.hasEnded {
            lines.append(
                "goal         \(goal.id) “\(goal.title)”\(goal.deadline.map { ", deadline \($0.told(in: zone))" } ?? "")"
            )
        }
        if let end = person.retentionEnds(plan) {
            lines.append("erased on    \(end.told(in: zone)), unless something is heard of them")
        }
        lines.append(
            "next wake    \(person.nextWake == .distantFuture ? "none: nothing is planned" : person.nextWake.told(in: zone))"
        )
        if let decidedUntil {
            lines.append("not decided  \(decidedUntil.undecidedBehind(in: zone))")
        }
        return lines
    }
}

extension Instant {
    /// What is said of a moment behind this one, at which the log ends.
    func undecidedBehind(in zone: ZoneRules) -> String {
        "what falls due after the log's end, \(told(in: zone)); `belfry explain --at` foretells it"
    }
}
