import CivilTime
import Console
import Journal
import Notices
import Worker

/// Where the logs of some partitions end, and the hash of all of each (`G7`).
struct HeadParts: PartedQuestion {
    static let word = "heads"
    let members: [JSONValue.Member] = []

    init() {}
    init?(_ question: JSONValue) {}

    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> [ChainHead] {
        logs.map(\.chainHead)
    }

    static func document(of heads: [ChainHead]) -> JSONValue {
        .object([.init("heads", .array(heads.map(\.document)))])
    }

    func part(_ document: JSONValue) -> [ChainHead]? {
        guard let heads = document["heads"]?.elements?.map(ChainHead.init), !heads.contains(nil) else { return nil }
        return heads.compactMap(\.self)
    }
}

extension RunningLog {
    var chainHead: ChainHead {
        let durable = worker.standing.durable
        return ChainHead(
            seq: durable.lastSeq, commit: durable.position, hash: "\(durable.hash)",
            recordedAt: durable.position == 0 ? nil : durable.at,
            partition: name == .whole ? nil : name.number ?? LogName.everyonesNumber)
    }
}

extension ChainHead {
    fileprivate var document: JSONValue {
        .object([
            .init("partition", .number("\(partition ?? 0)")), .init("seq", .number("\(seq)")),
            .init("commit", .number("\(commit)")), .init("hash", .string(hash)),
            .init("at", recordedAt.map { .number("\($0.milliseconds)") } ?? .null),
        ])
    }

    fileprivate init?(_ document: JSONValue) {
        guard let partition = document["partition"]?.integer, let seq = document["seq"]?.natural,
            let commit = document["commit"]?.natural, let hash = document["hash"]?.string
        else { return nil }
        self.init(
            seq: seq, commit: commit, hash: hash,
            recordedAt: document["at"]?.integer.map { Instant(milliseconds: Int64($0)) }, partition: partition)
    }
}
