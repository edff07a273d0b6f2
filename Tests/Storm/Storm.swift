import CivilTime
import Foundation
import Journal

/// Appends to a log from many clients at once, and prints each fact's id when it is acknowledged.
///
/// Made to be killed: what it printed must be in the log, whenever it dies and however (`G3`).
@main
enum Storm {
    static func main() {
        guard let orders = Orders(CommandLine.arguments.dropFirst()) else { end(2, Orders.usage) }
        do {
            let journal = try Journal(
                orders.directory, on: RealDisk(), holder: "process \(getpid()) (storm)",
                options: JournalOptions(segmentBytesMax: orders.segmentBytes))
            let commits = GroupCommit(journal) { now }
            let everyone = DispatchGroup()
            for number in 0..<orders.clients {
                everyone.enter()
                Thread.detachNewThread {
                    Client(number: number, orders: orders, commits: commits).run()
                    everyone.leave()
                }
            }
            everyone.wait()
            try commits.close()
        } catch {
            end(5, "\(error)")
        }
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
