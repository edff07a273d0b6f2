import Reports
import Synchronization

/// How often a snapshot was taken beside the worker, of which log, and how often one could not be.
final class SnapshotTally: Sendable {
    enum Result: String, CaseIterable {
        case taken, failed
    }

    private let counts = Mutex<[LogName: [Result: Int]]>([:])

    /// From now on it is there with nothing: Prometheus sees no rise in what begins with one.
    func begin(_ name: LogName) { counts.withLock { $0[name] = $0[name] ?? [:] } }

    func count(_ result: Result, _ name: LogName) {
        counts.withLock { $0[name, default: [:]][result, default: 0] += 1 }
    }

    func write(to page: inout MetricsPage) {
        page.family(
            "belfry_snapshots", .counter, "Snapshots that were taken beside the worker, and those that could not be")
        let all = counts.withLock { $0 }.sorted { ($0.key.number ?? -1) < ($1.key.number ?? -1) }
        for (name, results) in all {
            for result in Result.allCases {
                let count = results[result] ?? 0
                if name == .whole {
                    page.sample(count, ["result": result.rawValue])
                } else {
                    page.sample(count, ["partition": name.text, "result": result.rawValue])
                }
            }
        }
    }
}
