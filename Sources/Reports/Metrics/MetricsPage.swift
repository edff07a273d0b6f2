public import Measuring
internal import Notices

/// Metrics as Prometheus reads them, in its older text format or in OpenMetrics.
///
/// The two differ in how counters are named in their metadata and in how a page ends.
public struct MetricsPage: ~Copyable {
    public enum Kind: String, Sendable { case counter, gauge, histogram }

    public enum Format: Sendable { case prometheus, openMetrics }

    /// The name and value of each label.
    public typealias Labels = KeyValuePairs<String, String>

    private let format: Format
    private var buffer = ByteBuffer(capacity: 16 << 10)
    private var name = ""

    public init(_ format: Format) { self.format = format }

    /// Begins a family; its samples follow. A counter's name has no `_total`: that is its samples' end.
    public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        self.name = kind == .counter ? name + "_total" : name
        let told = kind == .counter && format == .prometheus ? self.name : name
        buffer.append("# HELP \(told) \(Self.escaped(help, quotes: false))\n")
        buffer.append("# TYPE \(told) \(kind.rawValue)\n")
    }

    public mutating func sample(_ value: Int, _ labels: Labels = [:]) { line(name, labels, "\(value)") }
    public mutating func sample(_ value: Double, _ labels: Labels = [:]) { line(name, labels, "\(value)") }

    /// A histogram, in seconds.
    public mutating func durations(_ durations: Durations, _ labels: Labels = [:]) {
        var all = 0
        for (place, bound) in durations.boundsMs.enumerated() {
            if place < durations.counts.count { all += durations.counts[place] }
            line(name + "_bucket", labels, "\(all)", bound: "\(bound / 1000)")
        }
        line(name + "_bucket", labels, "\(durations.count)", bound: "+Inf")
        line(name + "_sum", labels, "\(durations.sumMs / 1000)")
        line(name + "_count", labels, "\(durations.count)")
    }

    private mutating func line(_ name: String, _ labels: Labels, _ value: String, bound: String? = nil) {
        buffer.append(name)
        let all = labels.map { ($0.key, $0.value) } + (bound.map { [("le", $0)] } ?? [])
        if !all.isEmpty {
            buffer.append("{")
            for (place, label) in all.enumerated() {
                if place > 0 { buffer.append(",") }
                buffer.append("\(label.0)=\"\(Self.escaped(label.1, quotes: true))\"")
            }
            buffer.append("}")
        }
        buffer.append(" \(value)\n")
    }

    public consuming func finished() -> [UInt8] {
        if format == .openMetrics { buffer.append("# EOF\n") }
        return Array(buffer.bytes)
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
