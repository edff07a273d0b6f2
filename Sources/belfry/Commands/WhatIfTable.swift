import CivilTime
import Foundation
import Notices
import Worker

/// What another policy would have changed, for whoever decides about policies and for machines.
struct WhatIfTable {
    let report: WhatIfReport

    private static let affectedMax = 10
    /// For machines, which can turn pages.
    private static let listedMax = 100

    // MARK: For people

    var lines: [String] {
        var lines = [sentence, "between \(report.start) and \(report.end), with a worker awake all the time", ""]
        let rows = report.kinds.map { ($0.name, $0.tally, $0.moves) } + [("all", report.total, report.moves)]
        lines += table("kind", rows.map { row($0, $1, told($2)) })
        lines += ["", rhythm]
        if report.affected.isEmpty {
            lines.append("nobody would have been affected")
        } else {
            lines += [
                "",
                "\(Self.number(report.affected.count)) \(report.affected.count == 1 ? "person" : "people") would have been affected, most of all:",
            ]
            lines += table("person", report.affected.prefix(Self.affectedMax).map { row($0.user, $0.tally) })
        }
        if report.refusedCount > 0 {
            let facts = report.refusedCount == 1 ? "1 fact" : "\(Self.number(report.refusedCount)) facts"
            lines += ["", "\(facts) would have been refused under \(report.policy):"]
            lines += report.refused.map { refused in
                let kind = refused.kind.map { " \($0)" } ?? ""
                return
                    "  \(Self.number(refused.count)) \(refused.type)\(kind), as event \(refused.first)\(refused.log.map { " of partition \($0)" } ?? ""): \(refused.problem)"
            }
        }
        return lines
    }

    private var sentence: String {
        let total = report.total
        let people = report.people == 1 ? "1 person" : "\(Self.number(report.people)) people"
        let jobs = total.decided == 1 ? "1 job" : "\(Self.number(total.decided)) jobs"
        return
            "Under \(report.policy) \(people) would have had \(jobs) instead of \(Self.number(total.recorded)): \(Self.number(total.gained)) gained, \(Self.number(total.lost)) lost, \(Self.number(total.moved)) moved."
    }

    private var rhythm: String {
        "jobs a person a week: \(Self.decimal(report.averageDecided)) instead of \(Self.decimal(report.averageRecorded)) on average, \(Self.number(report.highestDecided)) instead of \(Self.number(report.highestRecorded)) at most"
    }

    private func told(_ moves: WhatIfReport.Moves) -> String {
        var parts: [String] = []
        if moves.earlier > 0 {
            parts.append("\(Self.number(moves.earlier)) earlier (median \(Self.duration(moves.earlierMedianMs)))")
        }
        if moves.later > 0 {
            parts.append("\(Self.number(moves.later)) later (median \(Self.duration(moves.laterMedianMs)))")
        }
        return parts.joined(separator: ", ")
    }

    private func row(_ name: String, _ tally: JobTally, _ remark: String = "") -> [String] {
        [name] + [tally.recorded, tally.decided, tally.gained, tally.lost, tally.moved].map(Self.number) + [remark]
    }

    /// Numbers stand right under their heads.
    private func table(_ what: String, _ rows: [[String]]) -> [String] {
        let all = [[what, "recorded", report.policy, "gained", "lost", "moved", ""]] + rows
        let widths = all[0].indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = "  "
            for (column, word) in row.enumerated() {
                let blank = String(repeating: " ", count: widths[column] - word.count)
                line += column == 0 ? word + blank : column == row.count - 1 ? "  " + word : "  " + blank + word
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    // MARK: Numbers

    /// With commas between the thousands.
    private static func number(_ number: Int) -> String {
        var digits = String(number)
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
            place -= 3
        }
        return digits
    }

    private static func decimal(_ number: Double) -> String { String(format: "%.2f", number) }

    private static func duration(_ milliseconds: Int64) -> String {
        let minutes = milliseconds / 60_000
        switch minutes {
        case ..<120: return "\(minutes) min"
        case ..<2880: return "\(minutes / 60) h\(minutes % 60 > 0 ? " \(minutes % 60) min" : "")"
        default: return "\(minutes / 1440) d\(minutes % 1440 >= 60 ? " \(minutes % 1440 / 60) h" : "")"
        }
    }

    // MARK: For machines

    var document: JSONValue {
        .object([
            .init("policy", .string(report.policy)), .init("from", .string("\(report.start)")),
            .init("to", .string("\(report.end)")), .init("people", .count(report.people)),
            .init("facts", .count(report.facts)),
            .init("jobs", .object(report.total.members + report.moves.members)),
            .init(
                "kinds",
                .array(
                    report.kinds.map { kind in
                        .object([.init("kind", .string(kind.name))] + kind.tally.members + kind.moves.members)
                    })),
            .init(
                "weekly",
                .object([
                    .init("recorded_average", .number(Self.decimal(report.averageRecorded))),
                    .init("average", .number(Self.decimal(report.averageDecided))),
                    .init("recorded_highest", .count(report.highestRecorded)),
                    .init("highest", .count(report.highestDecided)),
                ])),
            .init("affected", .count(report.affected.count)),
            .init(
                "most_affected",
                .array(
                    report.affected.prefix(Self.listedMax).map { person in
                        .object([.init("user", .string(person.user))] + person.tally.members)
                    })),
            .init("refused", .count(report.refusedCount)),
            .init("refusals", .array(report.refused.map(document))),
            .init("examples", .array(report.examples.map(document))),
        ])
    }

    private func document(_ job: WhatIfReport.Example) -> JSONValue {
        .object([
            .init("user", .string(job.user)), .init("kind", .string(job.kind)),
            .init("was", job.was.map { .string("\($0)") } ?? .null),
            .init("becomes", job.becomes.map { .string("\($0)") } ?? .null),
        ])
    }

    private func document(_ refused: WhatIfReport.Refused) -> JSONValue {
        .object(
            [
                .init("type", .string(refused.type)), .init("kind", refused.kind.map { .string($0) } ?? .null),
                .init("count", .count(refused.count)), .init("first", .number("\(refused.first)")),
                .init("problem", .string(refused.problem)),
            ] + (refused.log.map { [.init("partition", .number("\($0)"))] } ?? []))
    }
}

extension JSONValue {
    fileprivate static func count(_ number: Int) -> JSONValue { .number("\(number)") }
}

extension JobTally {
    /// `recorded` jobs are the same, moved or lost; `decided` ones the same, moved or gained.
    fileprivate var members: [JSONValue.Member] {
        [
            .init("recorded", .count(recorded)), .init("decided", .count(decided)), .init("same", .count(same)),
            .init("gained", .count(gained)), .init("lost", .count(lost)), .init("moved", .count(moved)),
        ]
    }
}

extension WhatIfReport.Moves {
    fileprivate var members: [JSONValue.Member] {
        [
            .init("earlier", .count(earlier)), .init("earlier_median_ms", .number("\(earlierMedianMs)")),
            .init("later", .count(later)), .init("later_median_ms", .number("\(laterMedianMs)")),
        ]
    }
}
