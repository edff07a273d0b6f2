/// What a browser hands out when its user subscribes: where to send, and the keys with which only it can read.
public struct WebPushSubscription: Sendable, Equatable {
    public let endpoint: WebPushEndpoint
    /// `p256dh`: the browser's public point, 65 bytes.
    let publicKey: [UInt8]
    /// `auth`: 16 bytes.
    let authSecret: [UInt8]

    /// From the words of `PushSubscription.toJSON()`.
    ///
    /// - Parameter trusted: origins that may be of a private network (`WebPushSender.Settings`).
    public init(
        endpoint: String, p256dh: String, auth: String, trusted: Set<String> = []
    ) throws(WebPushSubscriptionError) {
        guard let address = WebPushEndpoint(endpoint, trusted: trusted) else { throw .endpoint }
        self.endpoint = address
        guard let point = Base64.decodeURL(Self.unpadded(p256dh)), point.count == 65, point[0] == 4 else {
            throw .p256dh
        }
        guard let secret = Base64.decodeURL(Self.unpadded(auth)), secret.count == 16 else { throw .auth }
        (publicKey, authSecret) = (point, secret)
    }

    private static func unpadded(_ text: String) -> Substring {
        var rest = text[...]
        while rest.last == "=" { rest = rest.dropLast() }
        return rest
    }
}

public enum WebPushSubscriptionError: Error, Sendable, Equatable, CustomStringConvertible {
    case endpoint
    case p256dh
    case auth

    public var description: String {
        switch self {
        case .endpoint: "the endpoint is no https: URL of a push service"
        case .p256dh: "p256dh is no public key of P-256 (65 bytes in base64url)"
        case .auth: "auth is no secret of 16 bytes in base64url"
        }
    }
}
