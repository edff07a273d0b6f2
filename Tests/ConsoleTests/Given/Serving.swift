import CivilTime
import Console
import Foundation
import Synchronization

/// A directory of a test's own, gone with it.
final class Folder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/belfry-console-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("no directory for a test") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Time that passes when a test says so.
final class Hands: Sendable {
    private let now = Mutex(SuspendingClock.now)

    @Sendable func read() -> SuspendingClock.Instant { now.withLock { $0 } }
    func advance(_ duration: Duration) { now.withLock { $0 += duration } }

    var clocks: HTTPClocks { HTTPClocks(passing: read, wall: { Instant(milliseconds: 1_772_460_000_000) }) }
}

extension HTTPClocks {
    /// Time as it passes.
    static let real = HTTPClocks(passing: { SuspendingClock.now }, wall: { Instant(milliseconds: 1_772_460_000_000) })
}

/// A server on a Unix socket, with a clock that stands still unless it is moved.
struct Serving {
    let folder: Folder
    let hands = Hands()
    let server: HTTPServer
    let path: String

    init(limits: HTTPLimits = HTTPLimits(), _ handler: HTTPHandler) throws {
        folder = Folder()
        var limits = limits
        // Time passes by the hands alone: deadlines are looked at when the test says so.
        limits.lookInterval = .seconds(3600)
        path = folder.path + "/belfry.sock"
        server = try HTTPServer(on: .unix(path), limits: limits, clocks: hands.clocks, handler: handler)
    }

    var client: Client {
        let client = Client(path: path)
        client.keeping = [server, folder]
        return client
    }
}

extension HTTPHandler {
    /// Says what it was asked.
    static let echo = HTTPHandler { request, _, reply in
        let coming = "\(request.method) \(request.target) \(request.body.count)\n"
        reply(HTTPResponse(status: 200, body: Array(coming.utf8) + request.body.prefix(100)))
    }

    /// Waits for each reply to be given by the test.
    static func waiting(_ asked: Asked) -> HTTPHandler {
        HTTPHandler { request, asker, reply in
            if request.target == "/quick" {
                reply(HTTPResponse(status: 200, body: Array("quick".utf8)))
            } else {
                asked.take(request, asker, reply)
            }
        }
    }
}

/// Requests that wait for their answer.
final class Asked: Sendable {
    struct Waiting: Sendable {
        let request: HTTPRequest
        let asker: Asker
        let reply: HTTPHandler.Reply
    }

    private let waiting = Mutex<[Waiting]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func take(_ request: HTTPRequest, _ asker: Asker, _ reply: @escaping HTTPHandler.Reply) {
        waiting.withLock { $0.append(Waiting(request: request, asker: asker, reply: reply)) }
        arrived.signal()
    }

    /// The next request that came in, once it has.
    func next() -> Waiting {
        guard arrived.wait(timeout: .now() + 600) == .success else { preconditionFailure("no request came") }
        return waiting.withLock { $0.removeFirst() }
    }
}
