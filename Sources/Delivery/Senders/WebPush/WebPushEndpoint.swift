/// Where a browser wants its messages sent. It comes from a client, who could name any machine.
///
/// Only https, and nothing that is written as an address of this machine or a private network; what a name leads to is
/// looked at again when the connection is made (`NetworkAddress`). No redirect is followed.
public struct WebPushEndpoint: Sendable, Equatable {
    public let url: String
    /// For whom tokens are made, and all of it that may be shown: the rest is as good as a password.
    public let origin: String

    private static let bytesMax = 2048

    /// - Parameter trusted: origins of the operator's own, for trying things out: of any network, of http too.
    public init?(_ url: String, trusted: Set<String> = []) {
        guard url.utf8.count <= Self.bytesMax, let address = HTTPAddress(url), !address.hasPassword,
            trusted.contains(address.origin) || Self.mayBePublic(address)
        else { return nil }
        self.url = url
        origin = address.origin
    }

    /// Whether it is of https, and written as an address that others cannot reach.
    static func isPrivate(_ url: String) -> Bool {
        guard let address = HTTPAddress(url), address.origin.hasPrefix("https://") else { return false }
        return !mayBePublic(address)
    }

    private static func mayBePublic(_ address: HTTPAddress) -> Bool {
        if let literal = NetworkAddress(text: address.host), !literal.isPublic { return false }
        let name = address.host.lowercased()
        return address.origin.hasPrefix("https://") && name != "localhost" && !name.hasSuffix(".localhost")
    }
}
