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

    /// What is in the log first, all of it, and then what is to be said of others and besides.
    func tell(_ receipts: [LineReceipt]) {
        for receipt in receipts {
            guard let seq = receipt.outcome.seq else { continue }
            let isThere = if case .duplicate = receipt.outcome { true } else { false }
            output.line {
                isJSON ? Self.writeJSON(receipt, seq, isThere, into: &$0) : Self.writeText(seq, isThere, into: &$0)
            }
            acknowledged += 1
        }
        output.flush()
        for receipt in receipts {
            switch receipt.outcome {
            case .recorded(_, let warnings): for warning in warnings { warn(receipt.line, warning.sentence) }
            case .refused(let problem): refuse(receipt.line, "\(problem)")
            case .duplicate, .leftOut: break
            }
        }
    }

    func refuse(_ line: Int, _ problem: String) {
        refused += 1
        say(line, "refused", problem)
    }

    /// A change that went in has consequences (SPEC §3).
    private func warn(_ line: Int, _ warning: String) {
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

    private static func writeText(_ seq: UInt64, _ isDuplicate: Bool, into line: inout ByteBuffer) {
        line.appendDecimal(seq)
        if isDuplicate { line.append(" duplicate") }
    }

    /// In the order of the API's answers.
    private static func writeJSON(
        _ receipt: LineReceipt, _ seq: UInt64, _ isDuplicate: Bool, into line: inout ByteBuffer
    ) {
        line.append("{\"line\":\(receipt.line)")
        if let partition = receipt.partition { line.append(",\"partition\":\(partition)") }
        line.append(",\"seq\":\(seq)")
        if isDuplicate { line.append(",\"duplicate\":true") }
        line.append("}")
    }
}
