internal import CivilTime
internal import Measuring
public import Notices
public import Worker

extension NumbersReport {
    /// For machines.
    public var document: JSONValue {
        .object([
            .init("from", from.map { .string("\($0)") } ?? .null), .init("to", to.map { .string("\($0)") } ?? .null),
            .init("by", .string(grouping.rawValue)),
            .init("rows", .array(rows.map { $0.document(grouping) })), .init("use", use.document),
            .init("through_seq", .number("\(throughSeq)")),
        ])
    }

    // MARK: As a table of commas

    /// One line a row, with a line of names in front. The same columns whatever was counted, so that tables of different
    /// months can be put together.
    public var csv: [String] {
        let reasons = Reason.names
        let head =
            [grouping.rawValue] + NumberCell.Figure.allCases.map(\.name) + ["blocked"] + reasons.map { "blocked_\($0)" }
            + ["late_p50_ms", "late_p99_ms"]
        return [head.joined(separator: ",")]
            + rows.map { row in
                let blocked = Reason.allCases.map { row.cell.blocked[$0] ?? 0 }
                let numbers =
                    NumberCell.Figure.allCases.map { row.cell[$0] } + [blocked.reduce(0, +)] + blocked
                let late = [0.5, 0.99].map { row.cell.late.quantileMs($0).map { "\(Int($0))" } ?? "" }
                return ([row.name] + numbers.map { "\($0)" } + late).joined(separator: ",")
            }
    }

    // MARK: For people

    public var lines: [String] {
        guard throughSeq > 0, let from, let to else { return ["the log holds nothing yet"] }
        let head = "from \(from) to \(to), days of UTC"
        guard !rows.isEmpty else { return [head, "nothing was counted", ""] + use.lines }
        let figures = NumberCell.Figure.allCases
        let table =
            [[grouping.rawValue] + figures.map(\.name) + ["blocked", "late p99"]]
            + rows.map { row in
                [row.name] + figures.map { "\(row.cell[$0])" }
                    + ["\(row.cell.blocked.values.reduce(0, +))", row.cell.late.quantileMs(0.99).map(Self.told) ?? ""]
            }
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        let shown = table.map { row in
            row.indices.map { column in
                let blank = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + blank : blank + row[column]
            }.joined(separator: "  ")
        }
        return [head] + shown + blocked + [""] + use.lines
    }

    private var blocked: [String] {
        var all: [Reason: Int] = [:]
        for row in rows { for (reason, count) in row.cell.blocked { all[reason, default: 0] += count } }
        guard !all.isEmpty else { return [] }
        let told = all.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .map { "\($0.value) \($0.key.name)" }
        return ["", "blocked: " + told.joined(separator: ", ")]
    }

    private static func told(_ milliseconds: Double) -> String {
        milliseconds < 1_000
            ? "\(Int(milliseconds)) ms"
            : milliseconds < 60_000 ? "\(Int(milliseconds) / 1_000) s" : "\(Int(milliseconds) / 60_000) min"
    }
}

extension NumbersReport.Row {
    fileprivate func document(_ grouping: NumbersQuery.Grouping) -> JSONValue {
        var members: [JSONValue.Member] = [.init(grouping.rawValue, .string(name))]
        members += NumberCell.Figure.allCases.map { .init($0.name, .count(cell[$0])) }
        members.append(
            .init(
                "blocked",
                .object(
                    cell.blocked.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                        .init($0.key.name, .count($0.value))
                    }
                )))
        for (name, share) in [("late_p50_ms", 0.5), ("late_p99_ms", 0.99)] {
            if let late = cell.late.quantileMs(share) { members.append(.init(name, .count(Int(late)))) }
        }
        return .object(members)
    }
}

extension UseCounts {
    fileprivate var document: JSONValue {
        func counts(_ counts: [String: Int]) -> JSONValue {
            .object(counts.sorted { $0.key < $1.key }.map { .init($0.key, .count($0.value)) })
        }
        return .object([
            .init("people", .count(people)), .init("quiet_hours", .count(quietHours)),
            .init("digest_mode", .count(digestMode)), .init("frequency", counts(frequencies)),
            .init("presets", counts(presets)),
        ])
    }

    fileprivate var lines: [String] {
        func told(_ counts: [String: Int]) -> String {
            counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        }
        return [
            "people       \(people)", "quiet hours  \(quietHours)", "digest mode  \(digestMode)",
            "frequency    \(told(frequencies))", "presets      \(presets.isEmpty ? "none taken" : told(presets))",
        ]
    }
}
