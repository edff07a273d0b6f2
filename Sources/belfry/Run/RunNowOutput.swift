import Console
import Notices

/// Prints the jobs of a "run now" as they come, and what became of the other notices: for people how many there were, for
/// machines each.
struct RunNowOutput {
    let isJSON: Bool
    let output: Output
    private var count = 0
    /// Those that are not told one by one.
    private var leftOut = 0
    private var unsentLeftOut = 0
    private var unsent = UnsentTally()

    init(isJSON: Bool, _ output: Output) {
        self.isJSON = isJSON
        self.output = output
    }

    /// - Parameter job: as the log prints it.
    mutating func tell(_ job: [UInt8]) {
        count += 1
        guard !isJSON, let event = JSONValue(parsing: String(decoding: job, as: UTF8.self)) else {
            return print(job)
        }
        output.line(JobLine(event).text)
    }

    /// A machine is told each by itself, as the log prints it.
    ///
    /// - Parameter decision: what was decided about a notice that was not sent; anything else is passed over.
    mutating func note(_ decision: Event) {
        guard isJSON else { return unsent.take(decision.payload) }
        if UnsentTally.counts(decision.payload) { print(decision.line) }
    }

    /// - Parameter decision: the same as the log prints it.
    mutating func note(printed decision: [UInt8]) {
        guard !isJSON else { return print(decision) }
        if let printed = JSONValue(parsing: String(decoding: decision, as: UTF8.self)) { unsent.take(printed: printed) }
    }

    /// What a worker tells of a run that this machine cannot read: the first of each, and how many there are.
    mutating func tell(_ report: RunReport) {
        for job in report.jobs { tell(job) }
        leftOut += report.jobCount - report.jobs.count
        guard isJSON else { return unsent.take(report.withheld) }
        for decision in report.unsent { print(decision) }
        unsentLeftOut += report.unsentCount - report.unsent.count
    }

    private func print(_ bytes: [UInt8]) { output.line { line in bytes.withUnsafeBytes { line.append($0) } } }

    func finish() {
        guard !isJSON else {
            let more = leftOut + unsentLeftOut
            if more > 0 { complain("note: the worker listed the first decisions; \(more) more are not printed") }
            return
        }
        let more = leftOut == 0 ? "" : ", of which the first \(count) are listed"
        let sent = count == 0 ? "nothing to send" : counted(count + leftOut, "job") + more
        output.line(unsent.text.map { "\(sent); \($0)" } ?? sent)
    }
}
