internal import Hashing

/// The token that whoever comes over TCP must show (RFC 6750). The Unix socket needs none: its permissions tell.
public struct Bearer: Sendable {
    /// Why a text is no token.
    public enum Problem: Error, Equatable, CustomStringConvertible {
        case empty
        case tooLong(bytes: Int)
        case unfit

        public var description: String {
            switch self {
            case .empty: "the token is empty"
            case .tooLong(let bytes): "the token has \(bytes) bytes; at most \(Bearer.bytesMax) are taken"
            case .unfit: "the token holds spaces, line breaks or other characters that do not fit a header"
            }
        }
    }

    fileprivate static let bytesMax = 4096
    private let token: [UInt8]

    /// - Parameter text: what the token's file holds; one line end at its end is no part of the token.
    public init(_ text: [UInt8]) throws(Problem) {
        var token = text[...]
        if token.last == 0x0A { token.removeLast() }
        if token.last == 0x0D { token.removeLast() }
        guard !token.isEmpty else { throw .empty }
        guard token.count <= Self.bytesMax else { throw .tooLong(bytes: token.count) }
        guard token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .unfit }
        self.token = Array(token)
    }

    /// Asks for the token before anything else. Who shows none is told what is for strangers.
    public func guarding(_ handler: HTTPHandler) -> HTTPHandler {
        var guarded = handler
        guarded.atOnce = { head in
            guard let refusal = refusal(of: head) else { return handler.atOnce(head) }
            return handler.toStrangers(head) ?? refusal
        }
        return guarded
    }

    func refusal(of head: HTTPRequest) -> HTTPResponse? {
        let given = head.headers.all("Authorization")
        guard given.count == 1, let (scheme, credentials) = Self.parts(given[0]), scheme.isSameIgnoringCase("Bearer")
        else { return Self.unauthorized("this address needs a token; send it as `Authorization: Bearer TOKEN`") }
        guard Authentication.areEqual(Array(credentials.utf8), token) else {
            return Self.unauthorized("this is not the token")
        }
        return nil
    }

    private static func parts(_ value: String) -> (scheme: String, credentials: String)? {
        let value = value.withoutBlanksAround
        guard let space = value.firstIndex(of: " ") else { return nil }
        return (String(value[..<space]), value[space...].withoutBlanksAround)
    }

    private static func unauthorized(_ problem: String) -> HTTPResponse {
        .error(401, problem, [("WWW-Authenticate", "Bearer")])
    }
}
