import Console
import Journal
import Notices
import Worker

/// Behind which event of each of some partitions the last so many begin.
struct BacklogParts: PartedQuestion {
    static let word = "backlog"
    let share: Int
    let types: [String]

    init(share: Int, types: [String]) { (self.share, self.types) = (share, types) }

    var members: [JSONValue.Member] {
        [.init("share", .number("\(share)")), .init("types", .array(types.map { .string($0) }))]
    }

    init?(_ question: JSONValue) {
        guard let share = question["share"]?.integer, (0...1000).contains(share),
            let types = question["types"]?.elements?.compactMap(\.string)
        else { return nil }
        self.init(share: share, types: types)
    }

    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> [Int: UInt64] {
        var starts: [Int: UInt64] = [:]
        do throws(JournalError) {
            for log in logs {
                let last = log.worker.standing.durable.lastSeq
                let start = try log.hub.seq(beforeLast: share, of: EventFilter(named: types)) { !asker.isGone }
                starts[log.name.number ?? 0] = min(last, start)
            }
        } catch {
            throw .unable(.failed("\(error)"))
        }
        return starts
    }

    static func document(of starts: [Int: UInt64]) -> JSONValue {
        .object([
            .init(
                "starts", .object(starts.sorted { $0.key < $1.key }.map { .init("\($0.key)", .number("\($0.value)")) }))
        ])
    }

    func part(_ document: JSONValue) -> [Int: UInt64]? {
        guard let told = document["starts"], told.isObject else { return nil }
        var starts: [Int: UInt64] = [:]
        for member in told.members {
            guard let partition = Int(member.key), let seq = member.value.integer, seq >= 0 else { return nil }
            starts[partition] = UInt64(seq)
        }
        return starts
    }
}
