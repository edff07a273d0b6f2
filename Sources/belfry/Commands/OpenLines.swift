import Notices

/// Lines of facts that are offered until it is known of each what became of it.
struct OpenLines {
    /// In the order of the lines.
    var told: [LineReceipt] { receipts.sorted { $0.line < $1.line } }
    /// Lines that may have been taken, of which nothing more is heard.
    private(set) var doubtful: [Int] = []
    /// Why the first of those that are open is open.
    private(set) var problem = "the worker did not say why"
    /// What is left to offer.
    private(set) var body: [UInt8]

    private var receipts: [LineReceipt] = []
    /// The number of each line that is left to offer; `nil` for all of them.
    private var numbers: [Int]?

    init(_ body: [UInt8]) { self.body = body }

    /// Whether it is known of all what became of them.
    var isEmpty: Bool { body.isEmpty && doubtful.isEmpty }

    /// - Parameter entries: what was said of what was left.
    mutating func hear(_ entries: [JSONValue]) {
        // Each ends with its line end.
        let lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        var silent = Set(lines.indices)
        var left: (body: [UInt8], numbers: [Int]) = ([], [])
        let reasons = entries.lazy.compactMap { $0["in_doubt"]?.string ?? $0["not_taken"]?.string }
        if let reason = reasons.first { problem = reason }
        for entry in entries {
            guard let line = entry["line"]?.integer, lines.indices.contains(line - 1) else { continue }
            guard silent.remove(line - 1) != nil else { continue }
            let number = numbers?[line - 1] ?? line
            if let receipt = LineReceipt(entry) {
                receipts.append(
                    LineReceipt(line: number, outcome: receipt.outcome, partition: receipt.partition))
            } else if entry["not_taken"] != nil {
                left.body += lines[line - 1] + [UInt8(ascii: "\n")]
                left.numbers.append(number)
            } else {
                doubtful.append(number)
            }
        }
        // Of what nothing is said nothing is known.
        doubtful += silent.sorted().map { numbers?[$0] ?? $0 + 1 }
        (body, numbers) = (left.body, left.numbers)
    }

    /// What is to be said of all of them, when nothing more is heard of those that are left.
    func partly(_ untaken: Untaken) -> Untaken {
        guard !receipts.isEmpty, let numbers else { return untaken }
        switch untaken {
        case .notTaken(let problem): return .partly(told, doubtful: [], problem)
        case .inDoubt(let problem): return .partly(told, doubtful: numbers, problem)
        case .partly, .journal: return untaken
        }
    }
}
