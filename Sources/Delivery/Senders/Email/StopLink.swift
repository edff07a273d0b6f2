internal import Hashing

/// The link at the end of every mail that stops them (`N6`): for one kind, or for all email. It needs no sign-in, never
/// expires, and is signed, so that nobody can stop somebody else's.
public struct StopLink: Sendable, Equatable {
    public let user: String
    /// `nil` for all email.
    public let kind: String?

    public init(user: String, kind: String?) {
        self.user = user
        self.kind = kind
    }

    /// What stands behind `/u/`: who and what, then the signature. Letters, digits, `-`, `_` and one dot.
    public func token(secret: [UInt8]) -> String {
        let named = Array("\(user)\n\(kind ?? "")".utf8)
        return Base64.encodeURL(named) + "." + Base64.encodeURL(Self.signature(of: named, secret))
    }

    /// Reads a token back; `nil` for one that was not signed with any of the secrets.
    public init?(token: String, secrets: [[UInt8]]) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard token.utf8.count <= Self.tokenBytesMax, parts.count == 2, let named = Base64.decodeURL(parts[0]),
            let signature = Base64.decodeURL(parts[1]),
            // Every secret is asked, whichever knows it: so the time tells nothing.
            secrets.filter({ Authentication.areEqual(signature, Self.signature(of: named, $0)) }).count > 0
        else { return nil }
        let words = String(decoding: named, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard words.count == 2, !words[0].isEmpty else { return nil }
        user = String(words[0])
        kind = words[1].isEmpty ? nil : String(words[1])
    }

    /// Two ids of 128 bytes, in base64url, and a signature.
    private static let tokenBytesMax = 512
    /// 128 bits are not guessed over a network.
    private static let signatureBytes = 16

    private static func signature(of named: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        Array(Authentication.hmacSHA256(Array("unsubscribe\0".utf8) + named, key: secret)[..<signatureBytes])
    }
}
