import Journal
import Notices
import Synchronization

/// What is told of each line: on standard output what is in the log, on standard error what was refused.
final class Receipts: Sendable {
    private struct Counts {
        var acknowledged = 0
        var refused = 0
        var failure: JournalError?
    }

    private let output: Output
    private let isJSON: Bool
    private let counts = Mutex(Counts())

    init(output: Output, isJSON: Bool) {
        self.output = output
        self.isJSON = isJSON
    }

    var acknowledged: Int { counts.withLock { $0.acknowledged } }
    var refused: Int { counts.withLock { $0.refused } }
    var failure: JournalError? { counts.withLock { $0.failure } }
    /// Nothing more is taken, or nobody hears of it.
    var mustStop: Bool { failure != nil || output.hasFailed }

    func acknowledge(_ lines: [Int], _ result: Result<[Appended], JournalError>) {
        let outcomes: [Appended]
        switch result {
        case .failure(let error):
            counts.withLock { $0.failure = $0.failure ?? error }
            return
        case .success(let all): outcomes = all
        }
        for (line, outcome) in zip(lines, outcomes) {
            output.line { isJSON ? Self.writeJSON(line, outcome, into: &$0) : Self.writeText(outcome, into: &$0) }
        }
        output.flush()
        counts.withLock { $0.acknowledged += outcomes.count }
    }

    func refuse(_ line: Int, _ problem: String) {
        counts.withLock { $0.refused += 1 }
        guard isJSON else { return complain("line \(line): \(problem)") }
        var text = ByteBuffer()
        text.append("{\"line\":\(line),\"refused\":")
        text.appendJSONString(problem)
        text.append("}")
        complain(text.text)
    }

    func refusalSummary(isNothingAppended: Bool) -> String {
        let (acknowledged, refused) = counts.withLock { ($0.acknowledged, $0.refused) }
        let lines = refused == 1 ? "1 line was refused" : "\(refused) lines were refused"
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
