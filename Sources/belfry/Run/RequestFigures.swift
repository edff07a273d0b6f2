import Console
import Measuring
import Synchronization
import Worker

/// The requests that were answered since the start, by route, method and status.
final class RequestFigures: Sendable {
    struct Key: Hashable, Sendable {
        /// The path as the table of routes has it, with places for names: no label grows with people.
        var route: String
        var method: String
        var status: Int
    }

    private struct State: Sendable {
        var counts: [Key: Int] = [:]
        var durations = Durations(upTo: WorkFigures.boundsMs)
    }

    private let state = Mutex(State())

    var all: [(key: Key, count: Int)] {
        state.withLock { $0.counts }.map { ($0.key, $0.value) }.sorted {
            ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
        }
    }

    var durations: Durations { state.withLock { $0.durations } }

    /// - Parameter request: `nil` for what was none.
    func count(_ request: HTTPRequest?, _ response: HTTPResponse, took: Duration) {
        let method = request.flatMap { Self.methods.contains($0.method) ? $0.method : nil } ?? "other"
        let route = request.map { Router.route(of: $0) } ?? "other"
        state.withLock { state in
            state.counts[Key(route: route, method: method, status: response.status), default: 0] += 1
            state.durations.add(milliseconds: took / .milliseconds(1))
        }
    }

    private static let methods: Set = ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"]
}

extension HTTPHandler {
    /// Counts what is answered.
    func counted(_ figures: RequestFigures) -> HTTPHandler {
        var handler = self
        handler.answered = { request, response, took in
            answered(request, response, took)
            figures.count(request, response, took: took)
        }
        return handler
    }
}
