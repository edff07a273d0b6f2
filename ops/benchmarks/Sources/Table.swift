import Foundation

/// What was measured, beside its goal.
struct Table {
    struct Row {
        var what: String
        var measured: String
        var goal: String
        var isMet: Bool?
        var values: [(name: String, value: Double)]
    }

    private var rows: [Row] = []

    mutating func add(
        _ what: String, _ measured: String, goal: String = "", isMet: Bool? = nil, _ values: (String, Double)...
    ) {
        rows.append(
            Row(
                what: what, measured: measured, goal: goal, isMet: isMet,
                values: values.map { (name: $0.0, value: $0.1) }))
        say("  \(what): \(measured)")
    }

    var text: String {
        var lines = ["| what | measured | goal | met |", "|---|---|---|---|"]
        for row in rows {
            lines.append(
                "| \(row.what) | \(row.measured) | \(row.goal) | \(row.isMet.map { $0 ? "yes" : "no" } ?? "") |")
        }
        return Machine.description + "\n\n" + lines.joined(separator: "\n")
    }

    var json: String {
        let objects = rows.map { row -> [String: Any] in
            var object: [String: Any] = ["what": row.what, "measured": row.measured, "goal": row.goal]
            if let isMet = row.isMet { object["met"] = isMet }
            for (name, value) in row.values { object[name] = value }
            return object
        }
        let whole: [String: Any] = ["machine": Machine.description, "rows": objects]
        guard let data = try? JSONSerialization.data(withJSONObject: whole, options: [.prettyPrinted, .sortedKeys])
        else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}

enum Machine {
    static var description: String {
        let cpu =
            (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
        let info = ProcessInfo.processInfo
        let day = ISO8601DateFormatter.string(from: Date(), timeZone: .gmt, formatOptions: [.withFullDate])
        return
            "\(cpu), \(info.activeProcessorCount) cores, \(info.physicalMemory >> 30) GiB, \(info.operatingSystemVersionString), \(day)"
    }
}

/// Large numbers as people read them.
func grouped(_ value: Double) -> String {
    var digits = String(Int(value.rounded()))[...]
    var groups: [Substring] = []
    while digits.count > 3 {
        groups.insert(digits.suffix(3), at: 0)
        digits = digits.dropLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
}

func milliseconds(_ seconds: Double) -> String { String(format: "%.3f ms", seconds * 1000) }

func ratio(_ value: Double) -> String { String(format: "%.2f", value) }
