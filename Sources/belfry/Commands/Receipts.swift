import Journal
import Notices

/// What is told of each line: on standard output what is in the log, on standard error what was refused.
final class Receipts {
    private(set) var acknowledged = 0
    private(set) var refused = 0
    private let output: Output
    private let isJSON: Bool

    init(output: Output, isJSON: Bool) {
        self.output = output
        self.isJSON = isJSON
    }

    /// Nobody hears of it any more.
    var mustStop: Bool { output.hasFailed }

    func acknowledge(_ lines: [Int], _ outcomes: [Appended]) {
        for (line, outcome) in zip(lines, outcomes) {
            output.line { isJSON ? Self.writeJSON(line, outcome, into: &$0) : Self.writeText(outcome, into: &$0) }
        }
        output.flush()
        acknowledged += outcomes.count
    }

    func refuse(_ line: Int, _ problem: String) {
        refused += 1
        say(line, "refused", problem)
    }

    /// A change that went in has consequences (SPEC §3).
    func warn(_ line: Int, _ warning: String) {
        say(line, "warning", isJSON ? warning : "warning: \(warning)")
    }

    /// What is said when the acknowledgements could not be printed.
    static func unheard(after line: Int) -> Failure {
        Failure(
            .environment,
            "cannot write to standard output, so nothing was read after line \(line). Send everything again that was not acknowledged; a fact that has an id is taken once"
        )
    }

    private func say(_ line: Int, _ what: StaticString, _ text: String) {
        guard isJSON else { return complain("line \(line): \(text)") }
        complainAsJSON(line, what, text)
    }

    func refusalSummary(isNothingAppended: Bool) -> String {
        let lines = counted(refused, "line was", "lines were") + " refused"
        return isNothingAppended
            ? "\(lines), so nothing was appended (--all-or-nothing)" : "\(lines); \(acknowledged) went in"
    }

    private static func writeText(_ outcome: Appended, into line: inout ByteBuffer) {
        line.appendDecimal(outcome.seq)
        if case .duplicate = outcome { line.append(" duplicate") }
    }

    private static func writeJSON(_ number: Int, _ outcome: Appended, into line: inout ByteBuffer) {
        line.append("{\"line\":\(number),\"seq\":\(outcome.seq)")
        if case .duplicate = outcome { line.append(",\"duplicate\":true") }
        line.append("}")
    }
}
