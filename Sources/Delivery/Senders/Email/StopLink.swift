public import CivilTime
internal import Hashing
public import Notices

/// The link at the end of every mail that stops them (`N6`): for one kind, or for all email. It needs no sign-in, never
/// expires, and is signed, so that nobody can stop somebody else's.
public struct StopLink: Sendable, Equatable {
    public let user: String
    /// `nil` for all email.
    public let kind: String?
    /// When the job of its mail was emitted: whoever comes with the id after an erasure is somebody else (`E4`). `nil` in
    /// mails that were sent before links said so.
    public let at: Instant?

    public init(user: String, kind: String?, at: Instant?) {
        self.user = user
        self.kind = kind
        self.at = at
    }

    /// Of a job's mail. A locked kind cannot be stopped, all other email can. Of a mail that came in place of another channel
    /// (`N4`) the kind is stopped too: it gives way to mail no more.
    init?(of order: Order, isLocked: Bool) {
        guard let user = order.user else { return nil }
        self.init(user: user, kind: isLocked ? nil : order.job.kind.text, at: order.at)
    }

    /// As it stands in the mail.
    func url(at publicURL: String, secret: [UInt8]) -> String { "\(publicURL)/u/\(token(secret: secret))" }

    /// The fields of RFC 2369 and RFC 8058 by which a mail program stops mails for its reader.
    static func fields(_ url: String) -> [(name: String, value: String)] {
        [("List-Unsubscribe", "<\(url)>"), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")]
    }

    /// Whom it stops the mails of.
    public var addressee: Addressee { at.map { .known(at: $0) } ?? .onlyOne }

    /// What stands behind `/u/`: who, what and when, then the signature. Letters, digits, `-`, `_` and one dot.
    public func token(secret: [UInt8]) -> String {
        let named = Array(
            ([user, kind ?? ""] + (at.map { ["\($0.milliseconds)"] } ?? [])).joined(separator: "\n").utf8)
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
        guard words.count == 2 || words.count == 3, !words[0].isEmpty else { return nil }
        user = String(words[0])
        kind = words[1].isEmpty ? nil : String(words[1])
        at = words.count == 3 ? Int64(words[2]).map { Instant(milliseconds: $0) } : nil
        guard words.count == 2 || at != nil else { return nil }
    }

    /// Two ids of 128 bytes and a number, in base64url, and a signature.
    private static let tokenBytesMax = 512
    /// 128 bits are not guessed over a network.
    private static let signatureBytes = 16

    private static func signature(of named: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        Array(Authentication.hmacSHA256(Array("unsubscribe\0".utf8) + named, key: secret)[..<signatureBytes])
    }
}
