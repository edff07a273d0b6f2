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
}

/// A server on a Unix socket, with a clock that stands still unless it is moved.
struct Serving {
    let folder: Folder
    let hands = Hands()
    let server: HTTPServer
    let path: String

    init(limits: HTTPLimits = HTTPLimits(), _ handler: HTTPHandler) throws {
        folder = Folder()
        path = folder.path + "/belfry.sock"
        server = try HTTPServer(on: .unix(path), limits: limits, clock: hands.read, handler: handler)
    }

    var client: Client {
        let client = Client(path: path)
        client.keeping = [server, folder]
        return client
    }
}

extension HTTPHandler {
    /// Says what it was asked.
    static let echo = HTTPHandler { request, reply in
        let coming = "\(request.method) \(request.target) \(request.body.count)\n"
        reply(HTTPResponse(status: 200, body: Array(coming.utf8) + request.body.prefix(100)))
    }

    /// Waits for each reply to be given by the test.
    static func waiting(_ asked: Asked) -> HTTPHandler {
        HTTPHandler { request, reply in
            if request.target == "/quick" {
                reply(HTTPResponse(status: 200, body: Array("quick".utf8)))
            } else {
                asked.take(request, reply)
            }
        }
    }
}

/// Requests that wait for their answer.
final class Asked: Sendable {
    private let waiting = Mutex<[(request: HTTPRequest, reply: HTTPHandler.Reply)]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func take(_ request: HTTPRequest, _ reply: @escaping HTTPHandler.Reply) {
        waiting.withLock { $0.append((request, reply)) }
        arrived.signal()
    }

    /// The next request that came in, once it has.
    func next() -> (request: HTTPRequest, reply: HTTPHandler.Reply) {
        guard arrived.wait(timeout: .now() + 600) == .success else { preconditionFailure("no request came") }
        return waiting.withLock { $0.removeFirst() }
    }
}
