import CivilTime
import Foundation
import Journal
import Worker

/// A live worker that many clients tell facts at once; prints each fact's id when it is acknowledged.
///
/// Made to be killed: what it printed must be in the log, whenever it dies and however (`G3`).
@main
enum Storm {
    static func main() async {
        guard let orders = Orders(CommandLine.arguments.dropFirst()) else { end(2, Orders.usage) }
        let worker: LiveWorker
        do {
            worker = try open(orders)
        } catch {
            end(5, "\(error)")
        }
        await worker.start()
        await withDiscardingTaskGroup { clients in
            for number in 0..<orders.clients {
                clients.addTask { await Client(number: number, orders: orders, worker: worker).run() }
            }
        }
        if case .failure(let error) = await worker.close() { end(5, "\(error)") }
    }

    /// As `belfry run` opens it, without what surrounds the worker: no API, and jobs go nowhere.
    private static func open(_ orders: Orders) throws -> LiveWorker {
        let opening = try WorkerOpening(
            orders.directory, on: RealDisk(), holder: "process \(getpid()) (storm)",
            options: JournalOptions(segmentBytesMax: orders.segmentBytes), .standard(try ZoneDatabase()))
        return LiveWorker(
            opening.core,
            LiveWorker.Surroundings(clock: { now }, handOver: { _ in }, failed: { end(5, "\($0)") }))
    }

    static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    static func end(_ code: Int32, _ message: String) -> Never {
        write(message + "\n", to: STDERR_FILENO)
        exit(code)
    }

    /// One call for a whole line, which a pipe takes whole or not at all.
    static func write(_ line: String, to descriptor: Int32) {
        var line = line
        line.withUTF8 { _ = Foundation.write(descriptor, $0.baseAddress, $0.count) }
    }
}
