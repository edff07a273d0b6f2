import Foundation
import Hashing
import Shared
import SimulatedShared
import Testing

/// The two shared databases, each to be tried by the same suite.
enum LogKind: CaseIterable, CustomTestStringConvertible {
    case postgres, simulated

    /// `ops/bootstrap --test` installs PostgreSQL.
    static let available = allCases.filter { $0 == .simulated || PostgresServer.isInstalled }

    var testDescription: String { self == .postgres ? "PostgreSQL" : "the simulated database" }

    /// A new database, with a cluster of eight partitions in it or without.
    func bench(isEmpty: Bool = false) throws -> SharedBench {
        switch self {
        case .simulated:
            let database = SimulatedSharedLog()
            if !isEmpty { _ = try database.create(ClusterPlan(id: .random(), partitions: 8)) }
            return SharedBench(
                log: database, lapse: { _ in database.advance(by: .seconds(7)) },
                cut: { database.cut(backend: $0.backend) })
        case .postgres:
            let server = try PostgresServer.common.get()
            let name = try server.database(isEmpty: isEmpty)
            return SharedBench(
                log: try PostgresLog(server.url(name)),
                lapse: { worker in
                    try server.administer(
                        name, "UPDATE belfry.worker SET alive_until = now() - interval '1 ms' WHERE id = '\(worker)'")
                },
                cut: { try server.administer(name, "SELECT pg_terminate_backend(\($0.backend), 5000)") })
        }
    }
}

/// A database, and what a test may do to it from outside.
struct SharedBench {
    let log: any SharedLog
    /// Lets a worker's lease run out.
    let lapse: (WorkerID) throws -> Void
    /// Ends a connection on the server's side.
    let cut: (any SharedLogConnection) throws -> Void

    /// A worker that is known and alive.
    func worker(for lease: Duration = .seconds(6)) throws -> BenchWorker {
        let id = WorkerID.random()
        let connection = try log.connect(ConnectionTerms(worker: id))
        try connection.register(id, at: "http://\(id)", for: lease)
        return BenchWorker(id: id, connection: connection)
    }
}

/// A worker with one connection for everything.
struct BenchWorker {
    let id: WorkerID
    let connection: any SharedLogConnection

    func state(of partition: Int) throws -> PartitionState {
        try #require(try connection.view().partitions.first { $0.number == partition })
    }

    func take(_ partition: Int) throws -> Holding {
        try #require(try connection.take(try state(of: partition), for: id, sparing: [connection.backend]))
    }
}

extension Holding {
    /// A row that continues this partition, of as many frames' bytes as are wanted.
    func flush(_ text: String, bytes: Int = 64) -> Flush {
        var frames = Array(text.utf8.prefix(bytes))
        frames += [UInt8](repeating: 0, count: bytes - frames.count)
        return Flush(partition: partition, epoch: epoch, after: tail, head: Digest(of: frames), frames: frames)
    }

    /// The partition once a flush was taken.
    func after(_ flush: Flush) -> Holding { Holding(partition: partition, epoch: epoch, tail: flush.tail) }
}

/// What a call throws, if it throws an error of the door.
func sharedError<Value>(_ body: () throws -> Value) -> SharedLogError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? SharedLogError
    }
}
