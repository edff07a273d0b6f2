import Notices

/// Facts that a command tells by itself, such as a wish to send something once more.
struct OwnFacts {
    let taker: any FactTaker

    /// What became of each, in their order.
    func append(_ facts: [JSONValue]) throws(Failure) -> [FactReceipt] {
        var outcomes: [FactReceipt] = []
        var rest = facts[...]
        while !rest.isEmpty {
            let batch = rest.prefix(taker.batchLines)
            rest = rest.dropFirst(batch.count)
            var lines = ByteBuffer()
            for fact in batch {
                fact.write(into: &lines)
                lines.append(UInt8(ascii: "\n"))
            }
            let receipts: [LineReceipt]
            do throws(Untaken) { receipts = try taker.appendOwn(Array(lines.bytes)) } catch {
                switch error {
                case .notTaken(let problem): throw Failure(.environment, problem)
                case .inDoubt(let problem), .partly(_, doubtful: _, let problem):
                    throw Failure(.environment, "\(problem); `belfry log` shows what went in")
                case .journal(let error): throw Failure(error)
                }
            }
            outcomes += receipts.map(\.outcome)
        }
        return outcomes
    }

    static func fact(_ type: String, about user: String, _ data: [JSONValue.Member]) -> JSONValue {
        .object([.init("type", .string(type)), .init("user", .string(user)), .init("data", .object(data))])
    }
}
