internal import CivilTime
public import Notices

extension DayReport {
    /// For machines.
    public var document: JSONValue {
        var members: [JSONValue.Member] = [
            .init("user", .string(user)), .init("date", .string("\(date)")),
            .init("previous_date", .text(previousDate?.description)), .init("next_date", .text(nextDate?.description)),
            .init("timezone", .string(zone)),
            .init("zones", .array(zones.map { .string($0) })), .init("clock", clock),
            .init("from", .instant(day.lowerBound)), .init("to", .instant(day.upperBound)), .init("now", .instant(now)),
            .init("jobs_today", .count(jobs)), .init("all_jobs_today", .count(allJobs)),
            .init("daily_cap", dailyCap.map { .count($0) } ?? .null),
            .init("quiet", .stretches(quiet)), .init("quiet_until", .instant(quietUntil)),
            .init("schedule", schedule.map { .stretches($0) } ?? .null),
            .init("app_open", .stretches(appOpen)), .init("slots", .array(slots.map(\.document))),
            .init("waits", .array(waits.map(\.document))), .init("marks", .array(marks.map(\.document))),
            .init("subjects", .object(subjects.map { .init($0.subject, .string($0.title)) })),
        ]
        if marksLeftOut > 0 { members.append(.init("marks_left_out", .count(marksLeftOut))) }
        members.append(.init("next_wake", .instant(nextWake)))
        return .object(members)
    }
}

extension DaySlot {
    fileprivate var document: JSONValue {
        .object([
            .init("at", .instant(at)), .init("kind", .string(kind)), .init("label", .string(label)),
            .init("subject", .text(subject)), .init("state", .string(state.rawValue)), .init("notice", .text(notice)),
            .init("decided_at", .instant(decidedAt)), .init("silence", .text(silence)),
        ])
    }
}

extension DayWait {
    fileprivate var document: JSONValue {
        .object([
            .init("notice", .string(notice)), .init("kind", .string(kind)), .init("subject", .text(subject)),
            .init("raised_at", .instant(raisedAt)), .init("until", .instant(until)), .init("into", .text(into)),
            .init("reason", .string(reason)),
        ])
    }
}

extension DayMark {
    fileprivate var document: JSONValue {
        .object([
            .init("seq", .number("\(seq)")), .init("at", .instant(at)), .init("type", .string(type)),
            .init("kind", .text(kind)), .init("subject", .text(subject)), .init("notice", .text(notice)),
            .init("until", .instant(until)),
            .init("into", .text(into)), .init("reason", .text(reason)),
        ])
    }
}
