internal import CivilTime
internal import Notices

/// A job as Apple's servers take it.
struct APNsMessage {
    let order: Order
    /// Whether the app may break through silence and focus; Apple grants that as an entitlement.
    var mayBeCritical = false

    private static let bytesMax = 4096

    /// - Parameters:
    ///   - token: what Apple is shown (`APNsToken`).
    ///   - device: the registration's name, which the message's id derives from.
    func request(
        to address: APNsAddress, device: String, origin: String, topic: String, token: String
    ) throws(MessageObjection) -> ProviderRequest {
        let body = try payload()
        return ProviderRequest(
            url: "\(origin)/3/device/\(address.token)",
            headers: [
                ("authorization", "bearer \(token)"), ("apns-topic", address.topic ?? topic),
                ("apns-push-type", isBackground ? "background" : "alert"), ("apns-priority", "\(priority)"),
                ("apns-expiration", "\(expiration)"), ("apns-collapse-id", MessageNames.collapse(order.id)),
                ("apns-id", MessageNames.uuid(order.id, for: device)), ("content-type", "application/json"),
            ],
            body: body)
    }

    /// The instant, in seconds since 1970, after which Apple need not try any more.
    var expiration: Int64 { Lifetime(order).end.wholeSeconds }

    /// 10 at once, 5 when it suits the battery, 1 when the device is awake anyway.
    var priority: Int {
        switch presentation {
        case .loud: 10
        case .silent: 5
        // Apple refuses any other for a background message.
        case .badgeOnly: isBackground ? 5 : 1
        }
    }

    /// What the device is told, cut to what Apple takes.
    func payload() throws(MessageObjection) -> [UInt8] {
        guard
            let bytes = Fitting.message(
                title: order.job.title.text, body: order.job.body.text, bytesMax: Self.bytesMax,
                encode: { payload(title: $0, body: $1).bytes })
        else { throw .tooLong(bytesMax: Self.bytesMax) }
        return bytes
    }

    func payload(title: String, body: String) -> JSONValue {
        let data = order.job.dataMembers
        return .members([
            "aps": aps(title: title, body: body), "job": .string(order.id), "kind": .string(order.job.kind.text),
            "data": data.isEmpty ? nil : .object(data),
        ])
    }

    private func aps(title: String, body: String) -> JSONValue {
        let badge = order.job.badge.map { JSONValue.whole($0) }
        guard presentation != .badgeOnly else {
            return .members(["badge": badge, "content-available": isBackground ? .whole(1) : nil])
        }
        return .members([
            "alert": .members(["title": .words(title), "body": .words(body)]), "badge": badge, "sound": sound,
            "thread-id": order.job.thread.map { .string($0.text) },
            "category": order.job.category.map { .string($0.text) }, "interruption-level": .string(interruption),
            "relevance-score": .number(relevance),
        ])
    }

    private var sound: JSONValue? {
        guard presentation == .loud else { return nil }
        return isCritical
            ? .members(["critical": .whole(1), "name": .string("default"), "volume": .number("1.0")])
            : .string("default")
    }

    /// iOS treats a level that the app has no right to as "active".
    private var interruption: String {
        switch order.job.priority {
        case .critical: mayBeCritical ? "critical" : "time-sensitive"
        case .high, .medium: "active"
        case .low: "passive"
        }
    }

    /// Where several are summed up, the greatest stands first.
    private var relevance: String {
        switch order.job.priority {
        case .critical: "1.0"
        case .high: "0.75"
        case .medium: "0.5"
        case .low: "0.25"
        }
    }

    private var presentation: Presentation { Presentation(order.job.priority) }
    private var isCritical: Bool { order.job.priority == .critical && mayBeCritical }
    /// A badge that is not known cannot be shown: the app is woken to see for itself.
    private var isBackground: Bool { presentation == .badgeOnly && order.job.badge == nil }
}
