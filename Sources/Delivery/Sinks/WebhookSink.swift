public import CivilTime
internal import Notices

/// Posts each job to a URL, signed as Standard Webhooks 1.0 says: a status of 200 to 299 is delivery, 410 (Gone) means never
/// again, and any other is a failure that may pass, such as a receiver that was given another secret.
public final class WebhookSink: Sink {
    public let name: String
    public let window: Int

    private let address: HTTPAddress
    private let secrets: WebhookSecrets
    private let patience: HTTPCall.Patience
    private let route: HTTPCall.Route
    private let clock: @Sendable () -> Instant
    private let pool: HTTPPool

    public static let usualWindow = 64
    /// More of an answer than this is not read; its status is believed all the same.
    private static let answerBytesMax = 64 << 10
    /// How long a rate limit is waited for that does not say how long.
    private static let rateLimitSeconds = 60

    /// - Parameter clock: what the receiver holds `webhook-timestamp` against, so the machine's own.
    public init(
        _ address: HTTPAddress, secrets: WebhookSecrets, window: Int = WebhookSink.usualWindow, caFile: String? = nil,
        patience: HTTPCall.Patience = HTTPCall.Patience(connectMs: 5000, totalMs: 15_000),
        clock: @escaping @Sendable () -> Instant
    ) {
        name = "webhook \(address.origin)"
        self.address = address
        self.secrets = secrets
        self.window = window
        self.patience = patience
        route = HTTPCall.Route(caFile: caFile)
        self.clock = clock
        pool = HTTPPool(concurrency: window, waitingMax: window)
    }

    public func take(_ order: Order, answer: @escaping @Sendable (SinkOutcome) -> Void) {
        let clock = clock
        var call = call(order, at: clock())
        call.route = route
        call.deadline = order.deadline(by: clock)
        pool.ask(call) { result in answer(Self.verdict(result, at: clock())) }
    }

    public func close(_ done: @escaping @Sendable () -> Void) { pool.stop(done) }

    private func call(_ order: Order, at now: Instant) -> HTTPCall {
        // The log holds no other, and none of its characters means anything in a header.
        var name = order.id
        precondition(name.withUTF8 { NoticeName.accepts(UnsafeRawBufferPointer($0)) }, "a job without a proper id")
        let (id, body) = (order.key, order.line)
        return HTTPCall(
            .post, address.url,
            headers: (order.trace.map { [("traceparent", $0.text)] } ?? [])
                + (order.stopLink.map(StopLink.fields) ?? []) + [
                    ("Content-Type", "application/json"), ("User-Agent", "belfry"), ("webhook-id", id),
                    ("webhook-timestamp", "\(now.wholeSeconds)"),
                    ("webhook-signature", secrets.signature(id: id, at: now, body: body)),
                ],
            body: body, patience: patience, answerBytesMax: Self.answerBytesMax)
    }
}

extension WebhookSink {
    /// What an answer means. A status that came is believed even where the rest of the answer did not come.
    static func verdict(_ result: Result<HTTPAnswer, HTTPFailure>, at now: Instant) -> SinkOutcome {
        switch result {
        case .success(let answer):
            return verdict(status: answer.status, answer.headers, at: now)
        case .failure(let failure):
            if let status = failure.status { return verdict(status: status, failure.headers, at: now) }
            if failure.reason == .tooLate { return .refused(reason: SenderVerdict.tooLateReason) }
            if failure.reason == .badCall { return .refused(reason: "\(failure)") }
            return .retry(after: nil, reason: "\(failure)")
        }
    }

    private static func verdict(status: Int, _ headers: AnswerHeaders, at now: Instant) -> SinkOutcome {
        let reason = "answered \(status)"
        let told = headers["retry-after"].flatMap { RetryAfter.seconds($0, at: now) }
        switch status {
        case 200...299:
            return .taken(providerID: headers["x-request-id"].flatMap(providerID))
        case 410:
            return .refused(reason: reason)
        case 300...399:
            return .retry(after: nil, reason: "\(reason); redirects are not followed")
        case 429:
            return .retry(after: told ?? rateLimitSeconds, reason: reason)
        case 503:
            return .retry(after: told, reason: reason)
        default:
            return .retry(after: nil, reason: reason)
        }
    }

    /// What a receiver calls the job, if that can be recorded.
    private static func providerID(_ text: String) -> String? {
        var text = text
        return text.withUTF8 { Token.accepts(UnsafeRawBufferPointer($0)) && $0.count <= 256 } ? text : nil
    }
}
