internal import CCurl
internal import Foundation

/// Opens a connection that calls will share, and does no more: libcurl looks the name up, asks proxies, tries addresses, shakes
/// hands and looks at the certificate. The connection lives as long as its handle stays with its pool.
final class Opening: Transfer {
    /// Where libcurl's thread writes whether the other side speaks HTTP/2.
    private final class Word {
        let speaksHTTP2 = UnsafeMutablePointer<CInt>.allocate(capacity: 1)

        init() { speaksHTTP2.initialize(to: 0) }
        deinit { speaksHTTP2.deallocate() }
    }

    private let word = Word()

    /// How long the other side may acknowledge nothing: a server that has gone without a word is found out.
    private static let silenceMs: UInt32 = 10_000

    /// The proxy that the environment names for https.
    private static var proxy: UnsafePointer<CChar>? {
        (getenv("https_proxy") ?? getenv("HTTPS_PROXY")).map { UnsafePointer($0) }
    }

    init(_ place: SharedPlace, connectMs: Int) throws(HTTPFailure) {
        super.init(answerBytesMax: 0)
        keep(word)
        let route = HTTPCall.Route(caFile: place.caFile, mustBePublic: place.mustBePublic)
        // Of https libcurl would take HTTP/2 into its own hands. Of this it knows no more than that it is encrypted.
        try setUp(url: "gophers://\(place.hostAndPort)/", .init(connectMs: connectMs, totalMs: 0), route, nil)
        try check(belfry_curl_only_connect(easy, place.mustBePublic ? nil : Self.proxy))
        try check(belfry_curl_ask_for_h2(easy, word.speaksHTTP2))
    }

    var speaksHTTP2: Bool { word.speaksHTTP2.pointee != 0 }

    /// Of a connection that stands; `nil` where it has gone again.
    func socket() -> curl_socket_t? {
        let socket = belfry_curl_socket(easy)
        guard socket != belfry_curl_refuse() else { return nil }
        belfry_curl_end_when_silent(socket, Self.silenceMs)
        return socket
    }
}
