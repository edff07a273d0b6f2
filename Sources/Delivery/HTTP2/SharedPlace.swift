/// Whom connections lead to, and what must be true of them: calls to one place share them.
struct SharedPlace: Hashable {
    /// Host and port, as the URL has them.
    var authority: String
    var caFile: String?
    var mustBePublic: Bool

    /// With the port that https has.
    var hostAndPort: String {
        let port = authority.utf8.lastIndex(of: UInt8(ascii: ":"))
        let bracket = authority.utf8.lastIndex(of: UInt8(ascii: "]"))
        guard let port, bracket.map({ $0 < port }) ?? true else { return authority + ":443" }
        return authority.hasSuffix(":") ? authority + "443" : authority
    }

    /// Where a call goes, and the path it asks for; `nil` for a URL of anything but https.
    static func of(_ call: HTTPCall) -> (place: SharedPlace, path: String)? {
        guard call.url.hasPrefix("https://"), call.url.utf8.allSatisfy(HTTPAddress.isOfURL) else { return nil }
        let rest = call.url.utf8.dropFirst("https://".utf8.count)
        let slash = UInt8(ascii: "/"), question = UInt8(ascii: "?"), hash = UInt8(ascii: "#"), at = UInt8(ascii: "@")
        let end = rest.firstIndex { $0 == slash || $0 == question || $0 == hash } ?? rest.endIndex
        let authority = String(rest[..<end]) ?? ""
        // A password would be a header, which nobody who shares connections sends that way.
        guard !authority.isEmpty, !authority.utf8.contains(at) else { return nil }
        let path = String(rest[end...].prefix { $0 != hash }) ?? ""
        return (
            SharedPlace(
                authority: authority.lowercased(), caFile: call.route.caFile, mustBePublic: call.route.mustBePublic),
            path.hasPrefix("/") ? path : "/" + path
        )
    }
}
