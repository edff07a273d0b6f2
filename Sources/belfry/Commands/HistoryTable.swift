import CivilTime
import Notices
import Worker

/// A person's history, for people and for machines.
struct HistoryTable {
    let report: HistoryReport
    let zone: ZoneRules
    let displayName: String?

    // MARK: For people

    var lines: [String] {
        let query = report.query
        let known = displayName.map { " (\($0))" } ?? ""
        let only = query.status.map { ", only \($0.rawValue)" } ?? ""
        var lines = ["\(query.user)\(known), \(days) up to \(query.now.told(in: zone))\(only)"]
        let width = report.entries.map { what($0).count }.max() ?? 0
        for entry in report.entries {
            let title = entry.title.map { "“\($0)”  " } ?? ""
            lines.append(
                "\(clock(entry.shownAt))  \(left(entry.status.rawValue, 9))  \(left(what(entry), width))  \(title)\(told(entry))"
            )
            lines += entry.parts.map { "    with \(what($0))\($0.title.map { "  “\($0)”" } ?? "")" }
        }
        lines.append(summary)
        return lines
    }

    private var days: String { report.query.days == 1 ? "the last day" : "the last \(report.query.days) days" }

    private var summary: String {
        let counts = HistoryQuery.Status.allCases.map { "\(report.counts[$0] ?? 0) \($0.rawValue)" }
        if report.counts.isEmpty {
            if let last = report.lastBefore {
                return "nothing in \(days); the last was \(last.told(in: zone)), --days N goes further back"
            }
            if let cleared = report.clearedAt {
                return "nothing since the history was cleared, \(cleared.told(in: zone))"
            }
            return "nothing yet"
        }
        return counts.joined(separator: ", ")
    }

    private func told(_ entry: HistoryEntry) -> String {
        var parts: [String]
        switch entry.state {
        case .undecided: parts = ["not decided yet: no worker has run since"]
        case .held(let until, let reason): parts = ["held until \(clock(until)): \(reason.words)"]
        case .gathered(let into, let reason): parts = ["gathered into \(into): \(reason.words)"]
        case .dropped(let reason): parts = ["dropped: \(reason.words)"]
        case .skipped(let reason, _, _, 1): parts = ["skipped: \(reason.words)"]
        case .skipped(let reason, let first, let last, let count):
            parts = ["\(count) skipped, from \(first) to \(last): \(reason.words)"]
        case .emitted where entry.outcomes.isEmpty:
            parts = ["sent on \(entry.channels.map(\.name).joined(separator: ", ")); nothing known of its delivery"]
        case .emitted: parts = []
        }
        parts += entry.outcomes.map { outcome in
            outcome.failure.map { "failed on \(outcome.channel.name): \($0)" }
                ?? "delivered on \(outcome.channel.name)"
        }
        parts += entry.answers.map { "\($0.act.told) \(clock($0.at))" }
        return parts.joined(separator: "; ")
    }

    private func what(_ entry: HistoryEntry) -> String { entry.kind + (entry.subject.map { " \($0)" } ?? "") }

    private func what(_ part: HistoryEntry.Part) -> String { part.kind + (part.subject.map { " \($0)" } ?? "") }

    /// On the person's own clock; the zone is told once, at the top.
    private func clock(_ instant: Instant) -> String {
        let local = zone.local(at: instant)
        return "\(local.date.weekday.name) \(local.date) \(local.time)"
    }

    private func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    // MARK: For machines

    /// One object for each entry, oldest first.
    var documents: [JSONValue] { report.entries.map(document) }

    private func document(_ entry: HistoryEntry) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("at", .string("\(entry.shownAt)")), .init("status", .string(entry.status.rawValue)),
            .init("notice", .string(entry.name)), .init("kind", .string(entry.kind)),
            .init("subject", entry.subject.map { .string($0) } ?? .null),
            .init("title", entry.title.map { .string($0) } ?? .null),
            .init("raised_at", .string("\(entry.raisedAt)")), .init("state", .string(entry.state.name)),
        ]
        members += entry.state.members
        if entry.state == .emitted {
            members.append(.init("channels", .array(entry.channels.map { .string($0.name) })))
            members.append(.init("notices", .array(entry.parts.map(document))))
        }
        members.append(.init("outcomes", .array(entry.outcomes.map(document))))
        members.append(.init("answers", .array(entry.answers.map(document))))
        return .object(members)
    }

    private func document(_ part: HistoryEntry.Part) -> JSONValue {
        .object([
            .init("notice", .string(part.notice)), .init("kind", .string(part.kind)),
            .init("subject", part.subject.map { .string($0) } ?? .null),
            .init("title", part.title.map { .string($0) } ?? .null),
        ])
    }

    private func document(_ outcome: HistoryEntry.Outcome) -> JSONValue {
        .object([
            .init("at", .string("\(outcome.at)")), .init("channel", .string(outcome.channel.name)),
            .init("delivered", .bool(outcome.failure == nil)),
            .init("reason", outcome.failure.map { .string($0) } ?? .null),
        ])
    }

    private func document(_ answer: HistoryEntry.Answer) -> JSONValue {
        .object([.init("at", .string("\(answer.at)"))] + answer.act.members)
    }
}

extension HistoryEntry.State {
    fileprivate var name: String {
        switch self {
        case .undecided: "undecided"
        case .held: "held"
        case .gathered: "gathered"
        case .dropped: "dropped"
        case .skipped: "skipped"
        case .emitted: "emitted"
        }
    }

    fileprivate var members: [JSONValue.Member] {
        switch self {
        case .undecided, .emitted: []
        case .held(let until, let reason):
            [.init("until", .string("\(until)")), .init("reason", .string(reason.name))]
        case .gathered(let into, let reason):
            [.init("into", .string(into)), .init("reason", .string(reason.name))]
        case .dropped(let reason): [.init("reason", .string(reason.name))]
        case .skipped(let reason, let first, let last, let count):
            [
                .init("reason", .string(reason.name)), .init("first", .string(first)), .init("last", .string(last)),
                .init("count", .number("\(count)")),
            ]
        }
    }
}

extension HistoryEntry.Answer.Act {
    fileprivate var told: String {
        switch self {
        case .opened: "opened"
        case .dismissed: "dismissed"
        case .snoozed(let minutes): "snoozed for \(minutes) minutes"
        case .judged(let isHelpful): isHelpful ? "found helpful" : "found not helpful"
        }
    }

    fileprivate var members: [JSONValue.Member] {
        switch self {
        case .opened: [.init("answer", .string("opened"))]
        case .dismissed: [.init("answer", .string("dismissed"))]
        case .snoozed(let minutes): [.init("answer", .string("snoozed")), .init("minutes", .number("\(minutes)"))]
        case .judged(let isHelpful):
            [.init("answer", .string("judged")), .init("helpful", .bool(isHelpful))]
        }
    }
}
