import Foundation
import Journal
import Synchronization

/// Many who each append one fact after the other, and wait for each.
struct Callers {
    let count: Int
    let each: Int

    /// Each appends its next fact when it is told that the last one is durable.
    func calledBack(in directory: String) throws -> (rate: Double, p99: Double) {
        let commits = try group(directory)
        let lags = Lags(capacity: count * each)
        let done = DispatchGroup()
        @Sendable func append(_ caller: Int, _ round: Int) {
            let begin = seconds()
            let intake = commits.submit([entry(caller, round)], bytes: 200) { result in
                guard case .success = result else { preconditionFailure("append failed") }
                lags.add(seconds() - begin)
                if round + 1 < each { append(caller, round + 1) } else { done.leave() }
            }
            precondition(intake == .taken)
        }
        let start = seconds()
        for caller in 0..<count {
            done.enter()
            append(caller, 0)
        }
        done.wait()
        return try result(commits, lags, since: start)
    }

    func onThreads(in directory: String) throws -> (rate: Double, p99: Double) {
        let commits = try group(directory)
        let lags = Lags(capacity: count * each)
        let done = DispatchGroup()
        let start = seconds()
        for caller in 0..<count {
            done.enter()
            Thread.detachNewThread {
                for round in 0..<each {
                    let begin = seconds()
                    guard (try? commits.append([entry(caller, round)], bytes: 200)) != nil else {
                        preconditionFailure("append failed")
                    }
                    lags.add(seconds() - begin)
                }
                done.leave()
            }
        }
        done.wait()
        return try result(commits, lags, since: start)
    }

    private func group(_ directory: String) throws -> GroupCommit {
        GroupCommit(try Journal(directory, on: RealDisk(), holder: "the benchmark"), clock: Samples.clock)
    }

    private func entry(_ caller: Int, _ round: Int) -> Entry {
        Samples.entry(caller * each + round, people: 10_000, withID: false)
    }

    private func result(
        _ commits: GroupCommit, _ lags: Lags, since start: Double
    ) throws -> (rate: Double, p99: Double) {
        let rate = Double(count * each) / (seconds() - start)
        try commits.close()
        return (rate, lags.percentile(0.99))
    }

    /// How long each wait was.
    private final class Lags: Sendable {
        private let all: Mutex<[Double]>

        init(capacity: Int) {
            var empty: [Double] = []
            empty.reserveCapacity(capacity)
            all = Mutex(empty)
        }

        func add(_ lag: Double) { all.withLock { $0.append(lag) } }

        func percentile(_ part: Double) -> Double { all.withLock { $0.percentile(part) } }
    }
}
