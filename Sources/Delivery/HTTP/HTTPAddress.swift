internal import CCurl

/// A URL of http or https, taken apart by the library that will use it.
public struct HTTPAddress: Sendable, Hashable {
    public let url: String
    /// Scheme, host and port alone: paths and queries often hold a secret, and this is shown in reasons and logs.
    public let origin: String
    /// A name, or an address as it is written in URLs.
    let host: String
    /// Whether a user or a password stands in it.
    let hasPassword: Bool
    /// Whether it has what is surely meant for its server alone: a user, a password or a query.
    public let holdsCredentials: Bool

    /// `nil` when it is no URL, or one of another kind.
    public init?(_ url: String) {
        guard url.utf8.allSatisfy(Self.isOfURL), let parts = curl_url() else { return nil }
        defer { curl_url_cleanup(parts) }
        guard curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parts), scheme == "http" || scheme == "https",
            let host = Self.part(CURLUPART_HOST, of: parts), !host.isEmpty
        else { return nil }
        let usual = scheme == "https" ? "443" : "80"
        let port = Self.part(CURLUPART_PORT, of: parts).map { $0 == usual ? "" : ":\($0)" } ?? ""
        self.url = url
        self.host = host
        hasPassword = Self.part(CURLUPART_USER, of: parts) != nil || Self.part(CURLUPART_PASSWORD, of: parts) != nil
        origin = "\(scheme)://\(host)\(port)"
        holdsCredentials = hasPassword || Self.part(CURLUPART_QUERY, of: parts) != nil
    }

    /// Whether what is sent there stays on this machine, so that it needs no encryption.
    var isOfThisMachine: Bool {
        host == "localhost" || NetworkAddress(text: host).map { $0.bytes[0] == 127 || host == "[::1]" } ?? false
    }

    /// Whether nobody on the way can read along: what is secret goes there in the clear to this machine alone.
    var isPrivate: Bool { origin.hasPrefix("https://") || isOfThisMachine }

    /// Whether a URL may hold it.
    static func isOfURL(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }

    private static func part(_ part: CURLUPart, of parts: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
