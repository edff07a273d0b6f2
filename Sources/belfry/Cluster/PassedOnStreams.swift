import Console
import Delivery
import Synchronization

/// Streams that another worker has, read there and sent on as they come (`M3`, `V5`).
///
/// A page may ask nobody but the worker that it came from, so it cannot be sent on to another itself. A slow reader is waited
/// for by the other worker as well; what breaks there breaks here, and its reader comes again with what it has had.
final class PassedOnStreams: Sendable {
    /// So many at once, each with a connection to the other worker.
    static let streamsMax = 4096

    private let pool = HTTPPool(concurrency: streamsMax, waitingMax: 0)
    private let underway = Mutex<[ObjectIdentifier: (url: String, stream: AnswerStream)]>([:])

    /// Those of workers that live no longer are cut off: one that merely stands still would keep its readers for ever.
    func keep(_ urls: [String]) {
        let lost = underway.withLock { $0.values.filter { !urls.contains($0.url) }.map(\.stream) }
        for stream in lost { stream.breakOff() }
    }

    /// - Parameter headers: to ask with.
    func open(
        _ url: String, _ target: String, _ headers: [(name: String, value: String)],
        _ reply: @escaping HTTPHandler.Reply
    ) {
        var call = HTTPCall(
            .get, url + target, headers: headers, patience: .init(connectMs: 2000, totalMs: 0), answerBytesMax: 1 << 20)
        let begun = Flag()
        let stream = AnswerStream { stream, headers in
            begun.raise()
            var response = HTTPResponse(status: 200, headers: HTTPHeaders(passedOn: headers))
            response.stream = BodyStream(stream)
            reply(response)
        }
        call.stream = stream
        let key = ObjectIdentifier(stream)
        underway.withLock { $0[key] = (url, stream) }
        pool.ask(call) { [self] result in
            underway.withLock { _ = $0.removeValue(forKey: key) }
            switch result {
            // Of a stream everything was said.
            case .success where begun.isRaised: break
            case .failure where begun.isRaised: break
            case .success(let answer): reply(HTTPResponse(passedOn: answer))
            case .failure(let failure) where failure.reason == .cancelled:
                reply(
                    .problem(.notNow, "the worker that owned this partition is gone; try again", retryAfterSeconds: 1))
            // Programs may follow where there is no room to read for them.
            case .failure(let failure) where failure.reason == .busy:
                reply(HTTPResponse(status: 307, headers: HTTPHeaders([("Location", url + target)])))
            case .failure(let failure):
                reply(
                    .problem(
                        .notNow, "the worker that owns this partition \(failure); try again", retryAfterSeconds: 1))
            }
        }
    }
}

extension BodyStream {
    /// What another worker sends, signs of life and all.
    fileprivate convenience init(_ stream: AnswerStream) {
        self.init(
            Source(
                next: {
                    switch stream.next() {
                    case .piece(let bytes): .piece(bytes)
                    case .nothing: .nothing
                    case .end: .end
                    case .broken: .broken
                    }
                }, begin: { stream.begin($0) }, close: { stream.close() }))
    }
}

extension HTTPResponse {
    /// Another worker's answer, for who asked this one.
    init(passedOn answer: HTTPAnswer) {
        self.init(status: answer.status, headers: HTTPHeaders(passedOn: answer.headers), body: answer.body)
    }
}

extension HTTPHeaders {
    fileprivate init(passedOn headers: AnswerHeaders) {
        let names = [
            "Content-Type", "Cache-Control", "X-Content-Type-Options", "X-Accel-Buffering", "Retry-After",
            PassedOn.notHere,
        ]
        self.init(names.compactMap { name in headers[name].map { (name, $0) } })
    }
}
