import Console
import Notices

/// Prints the jobs of a "run now" as they come, what became of the other notices, and whom retention erases: for people how many
/// there were, for machines each.
struct RunNowOutput {
    let isJSON: Bool
    /// Whether nothing of it is recorded.
    let isDry: Bool
    let output: Output
    private var count = 0
    /// Those that are not told one by one.
    private var leftOut = 0
    private var unsentLeftOut = 0
    private var unsent = UnsentTally()
    private var erased = 0
    private var erasedLeftOut = 0

    init(isJSON: Bool, isDry: Bool = false, _ output: Output) {
        (self.isJSON, self.isDry) = (isJSON, isDry)
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
    /// - Parameter decision: what was decided about a notice that was not sent, or the end of a retention; anything else is passed
    ///   over.
    mutating func note(_ decision: Event) {
        if decision.payload.endsRetention {
            erased += 1
            if isJSON { print(decision.line) }
            return
        }
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
        erased += report.erasedCount
        if isJSON { for erasure in report.erased { print(erasure) } }
        erasedLeftOut += report.erasedCount - report.erased.count
        guard isJSON else { return unsent.take(report.withheld) }
        for decision in report.unsent { print(decision) }
        unsentLeftOut += report.unsentCount - report.unsent.count
    }

    private func print(_ bytes: [UInt8]) { output.line { line in bytes.withUnsafeBytes { line.append($0) } } }

    func finish() {
        guard !isJSON else {
            let more = leftOut + unsentLeftOut + erasedLeftOut
            if more > 0 { complain("note: the worker listed the first decisions; \(more) more are not printed") }
            return
        }
        let more = leftOut == 0 ? "" : ", of which the first \(count) are listed"
        let sent = count == 0 ? "nothing to send" : counted(count + leftOut, "job") + more
        output.line([sent, unsent.text, erasures].compactMap(\.self).joined(separator: "; "))
    }

    private var erasures: String? {
        guard erased > 0 else { return nil }
        return Self.told(erased: erased, isDry: isDry)
    }

    static func told(erased people: Int, isDry: Bool = false) -> String {
        let many = counted(people, "person", "people")
        let verb = isDry ? "would be erased for ever" : people == 1 ? "was erased" : "were erased"
        return "\(many) \(verb), whom the policy keeps no longer (retention)"
    }
}
