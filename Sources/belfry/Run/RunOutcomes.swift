import Console
import Delivery
import Notices
import Worker

/// What has been said so far of a "run now": by partitions here, and by other workers of theirs.
struct RunOutcomes: Sendable {
    private(set) var done: [(log: Int, receipt: RunReceipt)] = []
    /// What other workers have run.
    private(set) var others: [RunReport] = []
    /// What is wrong with the order; each partition judges by itself.
    private var problem: FieldError?
    /// Why some were not run, or that it is not known whether they were.
    private var hindrance: WorkerRefusal?

    private static let partlyDone = "; the people of other partitions were run"
    private static let perhapsDone = "; whether the people of other partitions were run is not known"

    mutating func hear(_ result: Result<RunReceipt, WorkerRefusal>, from log: Int) {
        switch result {
        case .success(let receipt): done.append((log, receipt))
        case .failure(let refusal): hear(refusal)
        }
    }

    mutating func hear(_ result: Result<RunReport, WorkerRefusal>) {
        switch result {
        case .success(let report): others.append(report)
        case .failure(let refusal): hear(refusal)
        }
    }

    /// A partition's worker has no room for the order.
    mutating func hear(busy log: Int) { hear(.elsewhere("partition \(log) is busy", isInDoubt: false)) }

    /// What leaves doubt is told rather than what does not.
    private mutating func hear(_ refusal: WorkerRefusal) {
        if case .problem(let problem) = refusal {
            self.problem = self.problem ?? problem
        } else if hindrance == nil || !leavesDoubt {
            hindrance = refusal
        }
    }

    private var leavesDoubt: Bool { hindrance?.inability.leavesDoubt ?? false }

    /// What is answered in place of a report; `nil` where everybody was run. Whoever asks again runs those who were run twice, so
    /// a part that is done is said, and leaves doubt about the whole.
    var refusal: RunAnswer? {
        let isPartlyDone = !done.isEmpty || !others.isEmpty
        if let problem {
            let words = "\(problem)"
            // Of the other worker's partitions it may have said so itself.
            if words.hasSuffix(Self.partlyDone) { return .refused(words) }
            return .refused(words + (isPartlyDone ? Self.partlyDone : leavesDoubt ? Self.perhapsDone : ""))
        }
        guard let hindrance else { return nil }
        guard isPartlyDone else { return .unable(hindrance.inability) }
        let words = "\(hindrance)"
        return .unable(.inDoubt(words.hasSuffix(Self.partlyDone) ? words : words + Self.partlyDone))
    }
}

extension HTTPAnswer {
    /// What another worker made of a "run now" that was passed on to it.
    ///
    /// - Parameter isDry: whether it was only tried, of which nothing is ever in doubt.
    func runOutcome(isDry: Bool) -> Result<RunReport, WorkerRefusal> {
        if status == 400 { return .failure(.problem(FieldError(problem))) }
        if status == 200, let report = runReport { return .success(report) }
        let isInDoubt = JSONValue(parsing: text)?["in_doubt"]?.bool ?? (status != 503)
        return .failure(
            .elsewhere(
                "another worker could not run now: \(Self.withoutAdvice(problem))", isInDoubt: isInDoubt && !isDry))
    }

    /// What helps is said once, at the end, by whoever answers.
    private static func withoutAdvice(_ problem: String) -> String {
        for advice in [HTTPResponse.adviceInDoubt, "; try again"] where problem.hasSuffix(advice) {
            return String(problem.dropLast(advice.count))
        }
        return problem
    }
}
