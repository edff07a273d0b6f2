import CivilTime
import Delivery
import Notices
import Worker

/// A person's history, for people and for machines.
struct HistoryTable {
    let report: HistoryReport
    let zone: ZoneRules
    let displayName: String?
    /// Of what failed, whether it can be sent once more (`N7`).
    let retries: [String: RetryStanding]
    /// The title of a goal or the name of another subject, where one is known.
    let nameOfSubject: (String) -> String?

    // MARK: For people

    var lines: [String] {
        let query = report.query
        let known = displayName.map { " (\($0))" } ?? ""
        let only = query.status.map { ", only \($0.rawValue)" } ?? ""
        var lines = ["\(query.user)\(known), \(days) up to \(query.now.told(in: zone))\(only)"]
        let width = report.entries.map { what($0).count }.max() ?? 0
        for entry in report.entries {
            let row = [
                clock(entry.shownAt), left(entry.status.rawValue, 9), left(what(entry), width), text(entry),
                told(entry),
            ]
            lines.append(row.filter { !$0.isEmpty }.joined(separator: "  "))
            lines += entry.parts.map { part in
                let title = part.title.flatMap { $0 == Erased.text ? nil : "  “\($0)”" }
                return "    with \(what(part))\(title ?? "")"
            }
        }
        lines.append(summary)
        return lines
    }

    private var days: String { report.query.days == 1 ? "the last day" : "the last \(report.query.days) days" }

    private var summary: String {
        let query = report.query
        let counts = HistoryQuery.Status.allCases.map { "\(report.counts[$0] ?? 0) \($0.rawValue)" }
        if report.counts.isEmpty {
            let nothing = "nothing" + (query.status.map { " \($0.rawValue)" } ?? "")
            if let last = report.lastBefore {
                return "\(nothing) in \(days); the last was \(last.told(in: zone)), --days N goes further back"
            }
            if let cleared = report.clearedAt {
                return "\(nothing) since the history was cleared, \(cleared.told(in: zone))"
            }
            return "\(nothing) yet"
        }
        guard let only = query.status else { return counts.joined(separator: ", ") }
        let others = HistoryQuery.Status.allCases.filter { $0 != only }.reduce(0) { $0 + (report.counts[$1] ?? 0) }
        return "\(report.counts[only] ?? 0) \(only.rawValue), and \(others) that are not listed"
    }

    /// What the person was shown: title and text, on one line and not too long for it.
    private func text(_ entry: HistoryEntry) -> String {
        if entry.title == Erased.text { return "(what it said is erased)" }
        let words = [entry.title, entry.body].compactMap { $0 }.filter { !$0.isEmpty }
            .map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
        guard !words.isEmpty else { return "" }
        let whole = words.joined(separator: ": ")
        let shown = whole.count > Self.textMax ? whole.prefix(Self.textMax - 1) + "…" : whole
        return "“\(shown)”\(entry.sender.map { " from \($0)" } ?? "")"
    }

    private static let textMax = 120

    private func told(_ entry: HistoryEntry) -> String {
        var parts: [String]
        switch entry.state {
        case .undecided: parts = ["not decided yet: no worker has run since"]
        case .held(let until, let reason): parts = ["held until \(clock(until)): \(reason.words)"]
        case .gathered(let into, let reason): parts = ["gathered into \(into): \(reason.words)"]
        case .dropped(let reason):
            parts = [
                entry.takenAlongBy.map { "dropped with \($0), which could not go: \(reason.words)" }
                    ?? "dropped: \(reason.words)"
            ]
        case .skipped(let reason, _, _, 1): parts = ["skipped: \(reason.words)"]
        case .skipped(let reason, let first, let last, let count):
            parts = ["\(count) skipped, from \(first) to \(last): \(reason.words)"]
        case .emitted where entry.outcomes.isEmpty:
            parts = ["handed out for \(entry.channels.map(\.name).joined(separator: ", ")); no word of it yet"]
        case .emitted: parts = []
        }
        if entry.isTest { parts.insert("a test", at: 0) }
        // The first says what came of it; when, is of interest once there are more.
        parts += entry.outcomes.enumerated().map { place, outcome in
            outcome.told + (place == 0 ? "" : " \(clock(outcome.at))")
        }
        if !entry.outcomes.isEmpty, !entry.silent.isEmpty {
            parts.append("no word of \(entry.silent.map(\.name).joined(separator: ", ")) yet")
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
            .init("subject_title", entry.subject.flatMap(nameOfSubject).map { .string($0) } ?? .null),
            .init("title", entry.title.map { .string($0) } ?? .null),
            .init("body", entry.body.map { .string($0) } ?? .null),
            .init("raised_at", .string("\(entry.raisedAt)")), .init("state", .string(entry.state.name)),
        ]
        members += entry.state.members
        if let digest = entry.takenAlongBy { members.append(.init("taken_along_by", .string(digest))) }
        if entry.state == .emitted {
            members.append(.init("channels", .array(entry.channels.map { .string($0.name) })))
            members.append(.init("notices", .array(entry.parts.map(document))))
        }
        // One that was withheld is a sample all the same (N8).
        if entry.state == .emitted || entry.isTest { members.append(.init("test", .bool(entry.isTest))) }
        if let retry = retries[entry.name] { members += retry.members }
        members.append(.init("outcomes", .array(entry.outcomes.map(document))))
        members.append(.init("answers", .array(entry.answers.map(document))))
        return .object(members)
    }

    private func document(_ part: HistoryEntry.Part) -> JSONValue {
        .object([
            .init("notice", .string(part.notice)), .init("kind", .string(part.kind)),
            .init("subject", part.subject.map { .string($0) } ?? .null),
            .init("subject_title", part.subject.flatMap(nameOfSubject).map { .string($0) } ?? .null),
            .init("title", part.title.map { .string($0) } ?? .null),
        ])
    }

    private func document(_ outcome: HistoryEntry.Outcome) -> JSONValue {
        .object(
            [
                .init("at", .string("\(outcome.at)")),
                .init("channel", outcome.channel.map { .string($0.name) } ?? .null),
            ] + outcome.word.members + [.init("provider_id", outcome.providerID.map { .string($0) } ?? .null)])
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

extension RetryStanding {
    fileprivate var members: [JSONValue.Member] {
        let (word, notAfter): (String, Instant?) =
            switch self {
            case .possible(let last): ("possible", last)
            case .forgotten: ("forgotten", nil)
            case .hasNotFailed: ("not_failed", nil)
            case .underWay: ("under_way", nil)
            case .reached: ("reached", nil)
            case .tooLate(let last): ("too_late", last)
            case .stopped: ("stopped", nil)
            }
        return [
            .init("retry", .string(word)), .init("not_after", notAfter.map { .string("\($0)") } ?? .null),
        ]
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

extension HistoryEntry.Outcome {
    fileprivate var told: String {
        let place = channel.map { " on \($0.name)" } ?? ""
        switch word {
        case .sent: return "sent\(place)"
        case .failed(let reason, isPermanent: _): return "failed\(place): \(reason)"
        case .reported(let status, let code, isPermanent: _, let device, let ways):
            return status.name + place + (device.map { " (\($0))" } ?? "") + (code.map { ": \($0)" } ?? "")
                + ways.toldInstead
        case .retried: return "asked for once more"
        }
    }
}

extension HistoryEntry.Outcome.Word {
    /// The same members whatever the word is.
    fileprivate var members: [JSONValue.Member] {
        switch self {
        case .sent: Self.members("sent")
        case .failed(let reason, let isPermanent):
            Self.members("failed", reason, isPermanent, means: FailureMeaning(reason, isPermanent: isPermanent))
        case .reported(let status, let code, let isPermanent, let device, let ways):
            Self.members(
                status.name, code, isPermanent, device,
                means: !status.isGood && isPermanent == true ? .addressDead : nil, ways)
        case .retried: Self.members("retried")
        }
    }

    private static func members(
        _ status: String, _ reason: String? = nil, _ isPermanent: Bool? = nil, _ device: String? = nil,
        means meaning: FailureMeaning? = nil, _ ways: [Channel] = []
    ) -> [JSONValue.Member] {
        [
            .init("status", .string(status)), .init("reason", reason.map { .string($0) } ?? .null),
            .init("permanent", isPermanent.map { .bool($0) } ?? .null),
            .init("means", meaning.map { .string($0.rawValue) } ?? .null),
            .init("device", device.map { .string($0) } ?? .null),
            .init("gives_way_to", ways.isEmpty ? .null : .array(ways.map { .string($0.name) })),
        ]
    }
}
