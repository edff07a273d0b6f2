internal import CivilTime
internal import Notices

/// A job as Firebase Cloud Messaging takes it (HTTP v1).
struct FCMMessage {
    let order: Order
    /// Where a click on a message in a browser leads that names no page (`data.url`).
    var page: String?

    private static let bytesMax = 4096

    func request(
        to address: FCMAddress, origin: String, project: String, token: String, at now: Instant
    ) throws(MessageObjection) -> ProviderRequest {
        ProviderRequest(
            url: "\(origin)/v1/projects/\(project)/messages:send",
            headers: [("authorization", "Bearer \(token)"), ("content-type", "application/json")],
            body: try body(to: address, at: now))
    }

    func body(to address: FCMAddress, at now: Instant) throws(MessageObjection) -> [UInt8] {
        guard
            let bytes = Fitting.message(
                title: order.job.title.text, body: order.job.body.text, bytesMax: Self.bytesMax,
                encode: { JSONValue.members(["message": message(to: address, title: $0, body: $1, at: now)]).bytes })
        else { throw .tooLong(bytesMax: Self.bytesMax) }
        return bytes
    }

    private func message(to address: FCMAddress, title: String, body: String, at now: Instant) -> JSONValue {
        let isShown = presentation != .badgeOnly
        let notification = JSONValue.members(["title": .words(title), "body": .words(body)])
        return .members([
            address.kind.rawValue: .string(address.value), "notification": isShown ? notification : nil,
            "data": .object(data),
            "android": address.platform == .android ? android(at: now) : nil,
            "apns": address.platform == .ios ? apns(title: title, body: body) : nil,
            "webpush": address.platform == .web ? webpush(at: now) : nil,
        ])
    }

    /// Strings only. An app that is shown nothing finds the badge here.
    private var data: [JSONValue.Member] {
        var own: [JSONValue.Member] = [
            .init("job", .string(order.id)), .init("kind", .string(order.job.kind.text)),
        ]
        if presentation == .badgeOnly, let badge = order.job.badge { own.append(.init("badge", .string("\(badge)"))) }
        let names = Set(own.map(\.key))
        return own
            + order.job.dataMembers.map { member in
                let isTaken = names.contains(member.key) || Self.isReserved(member.key)
                return isTaken ? .init("data.\(member.key)", member.value) : member
            }
    }

    /// Firebase refuses a message with a word of its own among the app's data.
    private static func isReserved(_ key: String) -> Bool {
        key == "from" || key == "message_type" || key == "notification" || key.hasPrefix("google")
            || key.hasPrefix("gcm")
    }

    private func android(at now: Instant) -> JSONValue {
        .members([
            "priority": .string(presentation == .loud ? "high" : "normal"),
            "ttl": .string("\(Lifetime(order).seconds(at: now))s"),
            "notification": presentation == .badgeOnly ? nil : androidNotification,
        ])
    }

    private var androidNotification: JSONValue {
        .members([
            "sound": presentation == .loud ? .string("default") : nil,
            "tag": .string(MessageNames.collapse(order.id)),
            "click_action": order.job.category.map { .string($0.text) },
            // Sounds are the channel's on every Android that is still in use: apps make one for each priority.
            "channel_id": .string(order.job.priority.name),
            "notification_priority": .string(androidPriority), "visibility": .string("PRIVATE"),
            "notification_count": order.job.badge.map { .whole($0) },
        ])
    }

    private var androidPriority: String {
        switch order.job.priority {
        case .critical: "PRIORITY_MAX"
        case .high: "PRIORITY_HIGH"
        case .medium: "PRIORITY_DEFAULT"
        case .low: "PRIORITY_MIN"
        }
    }

    private func apns(title: String, body: String) -> JSONValue {
        let message = APNsMessage(order: order)
        return .members([
            "headers": .members([
                "apns-priority": .string("\(message.priority)"), "apns-expiration": .string("\(message.expiration)"),
                "apns-collapse-id": .string(MessageNames.collapse(order.id)),
            ]),
            "payload": .members(["aps": message.payload(title: title, body: body)["aps"]]),
        ])
    }

    private func webpush(at now: Instant) -> JSONValue {
        .members([
            "headers": .members([
                "TTL": .string("\(Lifetime(order).seconds(at: now))"),
                "Urgency": .string(WebPushMessage.urgency(order.job.priority)),
                "Topic": .string(MessageNames.collapse(order.id)),
            ]),
            "notification": presentation == .badgeOnly
                ? nil
                : .members(["tag": .string(MessageNames.collapse(order.id)), "silent": .bool(presentation == .silent)]),
            "fcm_options": WebPushMessage.page(of: order, or: page).map { .members(["link": .string($0)]) },
        ])
    }

    private var presentation: Presentation { Presentation(order.job.priority) }
}
