internal import CivilTime
internal import Notices

/// A job as a browser's push service takes it: a declarative message, which a browser shows by itself, sealed for it.
///
/// Safari drops subscriptions whose worker stays silent, and browsers show something of their own in place of nothing: so a
/// job of low priority is shown too, without a sound.
struct WebPushMessage {
    let order: Order
    /// Where a click leads if the job names no page (`data.url`).
    let page: String

    /// - Parameter authorization: what the push service is shown (`VAPIDTokens`).
    func request(
        to subscription: WebPushSubscription, authorization: String, at now: Instant
    ) throws(MessageObjection) -> ProviderRequest {
        guard let sealed = WebPushSealing.sealed(try payload(), for: subscription) else {
            throw .badAddress("the subscription's p256dh is no public key")
        }
        return ProviderRequest(
            url: subscription.endpoint.url,
            headers: [
                ("Authorization", authorization), ("TTL", "\(Lifetime(order).seconds(at: now))"),
                ("Urgency", Self.urgency(order.job.priority)), ("Topic", MessageNames.collapse(order.id)),
                ("Content-Encoding", "aes128gcm"), ("Content-Type", "application/octet-stream"),
            ],
            body: sealed)
    }

    /// What the browser reads, cut to what one record holds.
    func payload() throws(MessageObjection) -> [UInt8] {
        guard
            let bytes = Fitting.message(
                title: order.job.title.text, body: order.job.body.text, bytesMax: WebPushSealing.plainBytesMax,
                encode: { payload(title: $0, body: $1).bytes })
        else { throw .tooLong(bytesMax: WebPushSealing.plainBytesMax) }
        return bytes
    }

    private func payload(title: String, body: String) -> JSONValue {
        let data =
            [.init("job", .string(order.id)), .init("kind", .string(order.job.kind.text))]
            + order.job.dataMembers.filter { $0.key != "job" && $0.key != "kind" }
        return .members([
            "web_push": .whole(8030),
            "notification": .members([
                // A declarative message must have both.
                "title": .string(title), "navigate": .string(Self.page(of: order, or: page) ?? page),
                "body": .words(body), "tag": .string(MessageNames.collapse(order.id)),
                "silent": .bool(Presentation(order.job.priority) != .loud), "data": .object(data),
            ]),
            "app_badge": order.job.badge.map { .whole($0) },
        ])
    }

    /// The page that the job names, if it is one: a browser follows any link it is given.
    static func page(of order: Order, or usual: String?) -> String? {
        guard let url = order.job.data["url"]?.text, let address = HTTPAddress(url), url.hasPrefix("https://"),
            !address.hasPassword
        else { return usual }
        return url
    }

    static func urgency(_ priority: Priority) -> String {
        switch priority {
        case .critical, .high: "high"
        case .medium: "normal"
        case .low: "low"
        }
    }
}
