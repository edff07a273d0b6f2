/// What a browser says of where a request comes from, and what follows from it: a page of another site must not act with
/// the cookie of who is signed in here, nor reach this port by a name of its own.
extension HTTPRequest {
    var isSafe: Bool { method == "GET" || method == "HEAD" }

    /// Whether a cookie may speak for who asks: it comes with whatever the browser sends, whoever had it sent.
    ///
    /// Browsers say where a request comes from (`Sec-Fetch-Site`). Older ones name the origin of what changes
    /// something. A request that says neither is a browser's only if it changes nothing.
    var isOfOwnSite: Bool {
        if let site = headers["Sec-Fetch-Site"] { return ["same-origin", "none"].contains(site) }
        if let origin = headers["Origin"] { return isOwn(origin) }
        return isSafe
    }

    /// Whether an origin is the one that is asked: its host is that of the request.
    func isOwn(_ origin: String) -> Bool {
        guard let authority = Authority(origin: origin), let host = headers["Host"].flatMap(Authority.init(_:)) else {
            return false
        }
        return authority == host || authority == host.withoutPort(authority.usualPort)
    }

    /// Whether it came by TLS, as far as whoever stands in front says, or ought to: a cookie must not go in the clear to
    /// another machine.
    var wantsSecureCookie: Bool {
        if headers["X-Forwarded-Proto"]?.isSameIgnoringCase("https") == true { return true }
        return headers["Host"].flatMap(Authority.init(_:)).map { !$0.isLocal } ?? true
    }
}

/// A host with its port, as `Host` and `Origin` write it.
struct Authority: Sendable, Equatable {
    /// In lower case; an IPv6 address in its brackets.
    let host: String
    let port: String?
    /// That of the scheme, where one was given.
    var usualPort: String?

    init?(_ text: String) {
        guard !text.isEmpty, !text.contains(where: { "/@?# \t,".contains($0) }) else { return nil }
        let end: String.Index
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            end = text.index(after: close)
        } else {
            end = text.firstIndex(of: ":") ?? text.endIndex
        }
        let rest = text[end...]
        guard rest.isEmpty || rest.first == ":" && rest.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        // A dot at the end names the same host.
        host = String(text[..<end].lowercased().trimmingDot)
        port = rest.count > 1 ? String(rest.dropFirst()) : nil
        guard !host.isEmpty else { return nil }
    }

    /// Of an origin, such as `https://app.example`.
    init?(origin: String) {
        for (scheme, usual) in [("https://", "443"), ("http://", "80")] where origin.hasPrefix(scheme) {
            guard let authority = Authority(String(origin.dropFirst(scheme.count))) else { return nil }
            self = authority.withoutPort(usual)
            usualPort = usual
            return
        }
        return nil
    }

    private init(host: String, port: String?) { (self.host, self.port) = (host, port) }

    func withoutPort(_ usual: String?) -> Authority {
        Authority(host: host, port: port == usual ? nil : port)
    }

    static func == (left: Authority, right: Authority) -> Bool { left.host == right.host && left.port == right.port }

    var isLocal: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host.hasPrefix("127.") && isAddress
    }

    /// An IP address, which no name leads to: whoever is asked by it was meant.
    var isAddress: Bool {
        if host.hasPrefix("[") {
            return host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                !part.isEmpty && part.count <= 3 && part.allSatisfy { $0.isASCII && $0.isNumber }
                    && Int(part).map { $0 <= 255 } ?? false
            }
    }
}

extension String {
    fileprivate var trimmingDot: Substring { hasSuffix(".") ? dropLast() : self[...] }
}

/// The host names that a request may use (`--host`). A page whose name was made to lead here (DNS rebinding) uses its
/// own.
public struct HostNames: Sendable {
    private let names: Set<String>

    public init(_ names: [String]) { self.names = Set(names.map { $0.lowercased() }) }

    /// Whether a name may be given: a host without a port.
    public static func accepts(_ name: String) -> Bool { Authority(name).map { $0.port == nil } ?? false }

    /// Every `Host`, and whom the target itself names.
    func know(_ head: HTTPRequest) -> Bool {
        var given = head.headers.all("Host")
        let scheme = "http://"
        if head.target.prefix(scheme.count).isSameIgnoringCase(scheme) {
            given.append(String(head.target.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }))
        }
        return given.allSatisfy { text in
            guard let authority = Authority(text) else { return false }
            return authority.isAddress || authority.isLocal || names.contains(authority.host)
        }
    }
}

/// The origins whose pages may use a person's token (`--origin`) and put the settings page into a frame.
public struct OriginNames: Sendable {
    public let all: [String]

    public init(_ origins: [String]) { all = origins.map { $0.lowercased() } }

    /// Whether an origin may be given: scheme and host, and nothing behind them.
    public static func accepts(_ origin: String) -> Bool { Authority(origin: origin.lowercased()) != nil }

    func hold(_ origin: String) -> Bool { all.contains(origin.lowercased()) }
}
