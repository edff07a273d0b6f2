import Notices

/// Prints the jobs of a "run now" as they come, then how many there were and, for people, what became of the other notices.
struct RunNowOutput {
    let isJSON: Bool
    let output: Output
    private var count = 0
    /// Those that are not told one by one.
    var leftOut = 0
    private var unsent = UnsentTally()

    init(isJSON: Bool, _ output: Output) {
        self.isJSON = isJSON
        self.output = output
    }

    /// - Parameter job: as the log prints it.
    mutating func tell(_ job: [UInt8]) {
        count += 1
        guard !isJSON, let event = JSONValue(parsing: String(decoding: job, as: UTF8.self)) else {
            return output.line { line in job.withUnsafeBytes { line.append($0) } }
        }
        output.line(JobLine(event).text)
    }

    /// - Parameter decision: what was decided about a notice that was not sent.
    mutating func note(_ decision: Payload) { unsent.take(decision) }

    /// - Parameter decision: the same as the log prints it.
    mutating func note(printed decision: JSONValue) { unsent.take(printed: decision) }

    func finish() {
        guard !isJSON else { return }
        let more = leftOut == 0 ? "" : ", of which the first \(count) are listed"
        let sent = count == 0 ? "nothing to send" : counted(count + leftOut, "job") + more
        output.line(unsent.text.map { "\(sent); \($0)" } ?? sent)
    }
}
