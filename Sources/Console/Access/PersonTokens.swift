internal import CivilTime
internal import Hashing
internal import Notices

/// The number that a log gave a person. It is never given to anybody else.
public struct PersonNumber: Sendable, Equatable {
    /// The log's own number.
    public var log: Int
    public var number: UInt32

    public init(log: Int, number: UInt32) { (self.log, self.number) = (log, number) }
}

/// The tokens of persons (`V2`): what the app's server hands to a phone or a page, so that it may speak for one person.
///
/// A token is signed and not kept: `bp1.USER.ID.MADE.ENDS.SIGNATURE`, the user in hexadecimal, the instants in milliseconds,
/// the signature HMAC-SHA256 under the worker's own secret over all of that and the log's identity. So a token of one log is
/// none of another's, and one that reads otherwise than it was written, by a single bit or by the case of a letter, is none.
///
/// The id begins with the person's mark, where the log knew them when it was made. An erasure revokes by that mark: it follows from
/// the person's number in the log, and nobody can tell from it, or from a guessed user, who that was (`G9`).
public struct PersonTokens: Sendable {
    /// So long a token lasts at most, in seconds; what is revoked is forgotten after that.
    public static let secondsMax = 31_536_000
    public static let secondsMin = 60
    public static let secondsUsual = 86_400

    /// The newest first: tokens are made with it, and those that were made with an older one hold.
    private let secrets: [[UInt8]]
    private let log: [UInt8]

    /// - Parameter log: the identity of the log.
    public init(secrets: [[UInt8]], log: (UInt64, UInt64)) {
        precondition(!secrets.isEmpty, "tokens are signed with a secret")
        self.secrets = secrets
        self.log = Array("\(log.0)\n\(log.1)".utf8)
    }

    struct Content: Sendable, Equatable {
        var user: String
        var id: String
        var madeAt: Instant
        var endsAt: Instant

        /// `nil` for one that was made before the log knew the person, or by a version that knew no marks.
        var mark: String? {
            id.utf8.count == PersonTokens.markedIDLength ? String(id.prefix(PersonTokens.markLength)) : nil
        }
    }

    func text(of content: Content) -> String { text(of: content, secrets[0]) }

    /// What a token says; `nil` for one that is none of these. Whether it has ended or is revoked is not asked.
    func content(of token: String) -> Content? {
        guard token.utf8.count <= Self.tokenBytesMax else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == Self.mark, let name = Hexadecimal.bytes(parts[1]),
            let user = String(validating: name, as: UTF8.self), Identifier.isAccepted(user),
            let made = Int64(parts[3]), let ends = Int64(parts[4])
        else { return nil }
        let content = Content(
            user: user, id: String(parts[2]), madeAt: Instant(milliseconds: made), endsAt: Instant(milliseconds: ends))
        // Every secret is asked, whichever knows it: so the time tells nothing.
        let given = Array(token.utf8)
        let signers = secrets.filter { Authentication.areEqual(given, Array(text(of: content, $0).utf8)) }
        return signers.isEmpty ? nil : content
    }

    static let mark = "bp1"

    /// Whether a text begins as every person's token does, which says nothing of whether it is one.
    static func mayBeOne(_ text: String) -> Bool { text.hasPrefix("\(mark).") }

    /// A user's id of 128 bytes, in hexadecimal, and the rest.
    private static let tokenBytesMax = 512

    private func text(of content: Content, _ secret: [UInt8]) -> String {
        let user = Hexadecimal.text(content.user.utf8)
        let said = "\(Self.mark).\(user).\(content.id).\(content.madeAt.milliseconds).\(content.endsAt.milliseconds)"
        let signature = Authentication.hmacSHA256(Array("person\n".utf8) + log + Array("\n\(said)".utf8), key: secret)
        return "\(said).\(Hexadecimal.text(signature))"
    }

    // MARK: Ids and marks

    private static let markLength = 16
    private static let unmarkedIDLength = 16
    private static let markedIDLength = markLength + unmarkedIDLength

    static func newID(marked mark: String?) -> String { (mark ?? "") + Hexadecimal.text(randomBytes(8)) }

    static func isID(_ text: String) -> Bool {
        [unmarkedIDLength, markedIDLength].contains(text.utf8.count) && Hexadecimal.bytes(text) != nil
    }

    static func isMark(_ text: String) -> Bool { text.utf8.count == markLength && Hexadecimal.bytes(text) != nil }

    /// What stands for a person in their tokens, and in the file once they are erased. Whoever has the log sees whose number it is, and
    /// the log shows as well that this number was erased. The key keeps holders of tokens from reading their number.
    func mark(of person: PersonNumber) -> String {
        let text = Array("number\n\(person.log)\n\(person.number)".utf8)
        return Hexadecimal.text(Authentication.hmacSHA256(text, key: log)[..<8])
    }

    /// What stands for a person where it is kept what they have revoked. A guessed user is soon tried with it, so it is kept of nobody
    /// who was erased.
    func name(of user: String) -> String {
        Hexadecimal.text(Authentication.hmacSHA256(Array("revoked\n\(user)".utf8), key: log)[..<16])
    }
}
