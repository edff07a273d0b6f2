import CivilTime
import Foundation
import Notices
import Shared

/// Who owns what.
struct ClusterStatus {
    private let connection: any SharedLogConnection
    private let view: ClusterView
    private let tails: [Int: Shared.LogTail]
    /// Where the newest snapshot of each partition stands that has one.
    private let snapshots: [Int: UInt64]
    private let isHalfImported: Bool

    /// For how many milliseconds somebody has been due, as the workers say; `nil` where none was asked.
    private let late: [Int: Int64]?

    /// What that worker could not use of its copies, and why.
    private let unusable: [Int: String]

    /// The worker that keeps its copy in a directory.
    static func worker(_ directory: String) throws(Failure) -> WorkerClient {
        guard let worker = WorkerClient(directory) else {
            throw Failure(
                .environment, "no worker runs on \(directory) that could say how late each partition is decided")
        }
        return worker
    }

    /// - Parameter worker: who is asked how late each partition is decided.
    init(_ log: PostgresLog, _ worker: WorkerClient?) throws(Failure) {
        late = try worker.map { (worker) throws(Failure) in try Self.late(worker) }
        unusable = try worker.map { (worker) throws(Failure) in try Self.unusable(worker) } ?? [:]
        do throws(SharedLogError) {
            connection = try log.connect(ConnectionTerms(isReading: true))
            view = try connection.view()
            var tails: [Int: Shared.LogTail] = [:]
            var snapshots: [Int: UInt64] = [:]
            for partition in view.partitions.map(\.number) {
                snapshots[partition] = try connection.snapshots(.state, of: partition).first?.position
                tails[partition] = try connection.tail(of: partition)
            }
            (self.tails, self.snapshots) = (tails, snapshots)
            isHalfImported = try connection.missing().contains(where: \.isOfImport)
        } catch {
            throw Failure(error)
        }
    }

    private static func late(_ worker: WorkerClient) throws(Failure) -> [Int: Int64] {
        var known: [Int: Int64] = [:]
        // It waits for no other worker, and has heard of all of them a moment later.
        for look in 0..<looksMost {
            if look > 0 { Thread.sleep(forTimeInterval: pause) }
            guard let answer = try worker.ask(PathAndQuery("/v1/now", []), wantsText: false),
                let partitions = JSONValue(parsing: String(decoding: answer, as: UTF8.self))?["partitions"],
                let late = NowPart.late(partitions["late"])
            else {
                throw Failure(
                    .environment, "that worker is of no cluster, or does not say how late anything is decided")
            }
            known = late
            if known.count == partitions["of"]?.integer { break }
        }
        return known
    }

    private static func unusable(_ worker: WorkerClient) throws(Failure) -> [Int: String] {
        guard let answer = try worker.ask(PathAndQuery("/health", []), wantsText: false),
            let copies = JSONValue(parsing: String(decoding: answer, as: UTF8.self))?["unusable_copies"]?.elements
        else { return [:] }
        return copies.reduce(into: [:]) { known, copy in
            if let partition = copy["partition"]?.integer { known[partition] = copy["problem"]?.string }
        }
    }

    private static let looksMost = 10
    private static let pause = 0.2

    /// Fails where an import has not ended, and where a partition has no owner.
    func print(isJSON: Bool, _ output: Output) throws(Failure) {
        defer { connection.close() }
        if !isJSON {
            output.line("cluster \(connection.cluster.id), \(counted(view.living.count, "worker"))")
        }
        for partition in view.partitions { output.line { write(partition, isJSON: isJSON, into: &$0) } }
        guard !isHalfImported else {
            throw Failure(.no, "\(SharedLogError.halfImported(database: connection.cluster.database))")
        }
        let orphans = view.partitions.filter { view.url(ofOwnerOf: $0.number) == nil }
        guard orphans.isEmpty else {
            throw Failure(.no, "\(counted(orphans.count, "log has", "logs have")) no living owner")
        }
    }

    private func write(_ partition: PartitionState, isJSON: Bool, into line: inout ByteBuffer) {
        let url = view.url(ofOwnerOf: partition.number)
        let since = Instant(milliseconds: partition.since)
        let end = tails[partition.number]?.until ?? 0
        // What a worker would have to fold that has nothing of the partition.
        let unfolded = end - min(end, snapshots[partition.number] ?? 0)
        let isLeaving = view.workers.contains { $0.id == partition.owner && $0.isLeaving }
        guard isJSON else {
            let name = partition.number == Partition.everyone ? "everyone" : "\(partition.number)"
            line.append(name + String(repeating: " ", count: max(1, 10 - name.count)))
            line.append("epoch \(partition.epoch), \(end) bytes, \(unfolded) of them behind the newest snapshot, ")
            line.append(url.map { "\($0)\(isLeaving ? " (leaving)" : "") since \(since)" } ?? "nobody since \(since)")
            if let words = lateness(of: partition.number) { line.append(", \(words)") }
            if let words = unusable[partition.number] { line.append("; its copy here cannot be used: \(words)") }
            return
        }
        line.append("{\"partition\":\(partition.number),\"epoch\":\(partition.epoch),\"owner\":")
        if let url { line.appendJSONString(url) } else { line.append("null") }
        line.append(",\"leaving\":\(isLeaving),\"since\":\"\(since)\",\"bytes\":\(end),\"unfolded\":\(unfolded)")
        if let late { line.append(",\"late_ms\":\(late[partition.number].map { "\($0)" } ?? "null")") }
        if let words = unusable[partition.number] {
            line.append(",\"unusable\":")
            line.appendJSONString(words)
        }
        line.append("}")
    }

    /// What is about everyone waits for nobody.
    private func lateness(of partition: Int) -> String? {
        guard let late, partition != Partition.everyone else { return nil }
        guard let milliseconds = late[partition] else { return "not heard of how late" }
        return milliseconds == 0 ? "on time" : "\(Double(milliseconds) / 1000) s late"
    }
}
