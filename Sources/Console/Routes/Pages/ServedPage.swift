internal import Hashing
internal import Pages
internal import Synchronization

/// The pages that were asked for so far, packed once.
struct ServedPages: Sendable {
    static let all = ServedPages()

    private final class Kept: Sendable {
        let pages = Mutex<[String: ServedPage]>([:])
    }

    private let kept = Kept()

    subscript(path: String) -> ServedPage? {
        guard let file = Pages.file(at: path) else { return nil }
        // All addresses of the console are one page.
        let key = file.role == .console ? "/" : path
        if let page = kept.pages.withLock({ $0[key] }) { return page }
        let page = ServedPage(file)
        kept.pages.withLock { $0[key] = page }
        return page
    }
}

/// A page or a part of one, as it goes over the wire.
struct ServedPage: Sendable {
    private let file: PageFile
    private let packed: [UInt8]
    private let digest: String

    var isConsole: Bool { file.role == .console }

    init(_ file: PageFile) {
        self.file = file
        packed = Deflater.gzip(file.bytes)
        digest = Hexadecimal.text(Digest(of: file.bytes).bytes[..<12])
    }

    func response(to request: HTTPRequest, framedBy origins: [String]) -> HTTPResponse {
        let isPacked = Self.takesGzip(request.headers)
        // Bytes that differ have tags that differ (RFC 9110, 8.8.3).
        let tag = "\"\(digest)\(isPacked ? "-gzip" : "")\""
        var headers = HTTPHeaders([
            ("ETag", tag), ("Vary", "Accept-Encoding"), ("Cache-Control", "no-cache"),
            ("Content-Security-Policy", policy(framedBy: origins)), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
        ])
        // The settings page is for frames elsewhere.
        if file.role != .settings { headers.append("Cross-Origin-Resource-Policy", "same-origin") }
        if Self.has(tag, request.headers) { return HTTPResponse(status: 304, headers: headers) }
        headers.append("Content-Type", file.mediaType)
        if isPacked { headers.append("Content-Encoding", "gzip") }
        return HTTPResponse(status: 200, headers: headers, body: isPacked ? packed : file.bytes)
    }

    /// Nothing of another host, no script or style that stands in a page, no markup made of text.
    private func policy(framedBy origins: [String]) -> String {
        let ancestors: String
        switch file.role {
        case .settings: ancestors = origins.isEmpty ? "'none'" : origins.joined(separator: " ")
        case .console, .asset: ancestors = "'none'"
        }
        return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
            + "base-uri 'none'; form-action 'self'; frame-ancestors \(ancestors); require-trusted-types-for 'script'"
    }

    private static func has(_ tag: String, _ headers: HTTPHeaders) -> Bool {
        headers.all("If-None-Match").joined(separator: ",").split(separator: ",").map(\.withoutBlanksAround)
            .contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }

    private static func takesGzip(_ headers: HTTPHeaders) -> Bool {
        let accepted = headers.all("Accept-Encoding").joined(separator: ",").split(separator: ",").map { MediaType($0) }
        guard
            let coding = ["gzip", "x-gzip", "*"].lazy.compactMap({ name in accepted.first { $0.name == name } }).first
        else { return false }
        return coding["q"].map { (Double($0) ?? 0) > 0 } ?? true
    }
}
