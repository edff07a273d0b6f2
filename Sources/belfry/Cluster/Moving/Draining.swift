import Console
import Foundation

/// `belfry cluster drain`: waits until a worker has given all of its partitions away.
struct Draining {
    private let worker: WorkerClient

    private static let pause = 0.2

    init(_ directory: String) throws(Failure) {
        guard let worker = WorkerClient(directory) else {
            throw Failure(.environment, "no worker runs on \(directory); what it had, others take or have")
        }
        self.worker = worker
    }

    func run(_ output: Output) throws(Failure) {
        var told = -1
        while true {
            let standing = try worker.drain()
            if standing.isAnnounced, standing.left == 0 { return output.line("it has no partition any more; stop it") }
            guard standing.others > 0 || !standing.isAnnounced else {
                throw Failure(
                    .no,
                    "there is no other worker that stays and could take the \(counted(standing.left, "log")) of this one; start one, and drain this one again. It goes on as before"
                )
            }
            if standing.isAnnounced, standing.left != told {
                output.line("\(counted(standing.left, "log")) left, \(counted(standing.others, "worker")) to take them")
                output.flush()
            }
            if standing.isAnnounced { told = standing.left }
            Thread.sleep(forTimeInterval: Self.pause)
        }
    }
}
