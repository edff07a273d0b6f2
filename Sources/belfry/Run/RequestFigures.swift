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

    func count(_ request: HTTPRequest, _ response: HTTPResponse, took: Duration) {
        let known = ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"]
        let method = known.contains(request.method) ? request.method : "other"
        let key = Key(route: Router.route(of: request), method: method, status: response.status)
        state.withLock { state in
            state.counts[key, default: 0] += 1
            state.durations.add(milliseconds: took / .milliseconds(1))
        }
    }
}

extension HTTPHandler {
    /// Counts what it answers.
    func counted(_ figures: RequestFigures) -> HTTPHandler {
        HTTPHandler(
            atOnce: { head in
                let start = ContinuousClock.now
                let response = self.atOnce(&head)
                if let response { figures.count(head, response, took: ContinuousClock.now - start) }
                return response
            },
            answer: { request, asker, reply in
                let start = ContinuousClock.now
                self.answer(request, asker) { response in
                    figures.count(request, response, took: ContinuousClock.now - start)
                    reply(response)
                }
            })
    }
}
