import Console
import Journal
import Notices
import Worker

/// Behind which event of each of some partitions the last so many begin.
struct BacklogParts: PartedQuestion {
    static let word = "backlog"
    let share: Int
    let types: [String]
    /// The last event of each partition that is looked at; `nil` for the end of its log.
    let through: [UInt64]?

    init(share: Int, types: [String], through: [UInt64]? = nil) {
        (self.share, self.types, self.through) = (share, types, through)
    }

    var members: [JSONValue.Member] {
        [.init("share", .number("\(share)")), .init("types", .array(types.map { .string($0) }))]
            + (through.map { [.init("through", .array($0.map { .number("\($0)") }))] } ?? [])
    }

    init?(_ question: JSONValue) {
        guard let share = question["share"]?.integer, (0...1000).contains(share),
            let types = question["types"]?.elements?.compactMap(\.string)
        else { return nil }
        let through = question["through"]?.elements?.map(\.integer)
        guard through?.allSatisfy({ ($0 ?? -1) >= 0 }) != false else { return nil }
        self.init(share: share, types: types, through: through?.compactMap { $0.map(UInt64.init) })
    }

    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> [Int: UInt64] {
        var starts: [Int: UInt64] = [:]
        do throws(JournalError) {
            for log in logs {
                let last = log.worker.standing.durable.lastSeq
                let number = log.name.number ?? 0
                let end = through.flatMap { $0.indices.contains(number) ? $0[number] : nil }
                let start = try log.hub.seq(beforeLast: share, of: EventFilter(named: types), through: end) {
                    !asker.isGone
                }
                starts[number] = min(last, start)
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
            guard let partition = Int(member.key), let seq = member.value.natural else { return nil }
            starts[partition] = seq
        }
        return starts
    }
}
