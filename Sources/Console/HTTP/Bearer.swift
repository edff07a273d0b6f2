internal import Hashing

/// The token that a client must send over TCP (RFC 6750). The Unix socket needs none: its permissions protect it.
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

    /// Whether it is this token, asked in a time that tells nothing.
    func `is`(_ text: String) -> Bool { Authentication.areEqual(Array(text.utf8), token) }

    var digest: Digest { Digest(of: token) }

    /// The token that a request shows.
    static func shown(by head: HTTPRequest) -> String? {
        let given = head.headers.all("Authorization")
        guard given.count == 1, let (scheme, credentials) = parts(given[0]), scheme.isSameIgnoringCase("Bearer")
        else { return nil }
        return credentials
    }

    private static func parts(_ value: String) -> (scheme: String, credentials: String)? {
        let value = value.withoutBlanksAround
        guard let space = value.firstIndex(of: " ") else { return nil }
        return (String(value[..<space]), value[space...].withoutBlanksAround)
    }
}
