public import CivilTime
public import Hashing
public import Notices

/// The tokens of operators by name, as `--tokens FILE` holds them: hashed, so that whoever reads the file can use none.
///
/// ```
/// # name  role  ends  SHA-256 of the token
/// anna operate 2026-12-31T00:00:00.000Z 9f86d081884c7d65…
/// grafana read - 60303ae22b998861…
/// ```
///
/// A token has 256 random bits, so a plain hash is as good as one that is slow to make: there is nothing to guess.
public struct OperatorTokens: Sendable, Equatable {
    public struct Entry: Sendable, Equatable {
        public var name: String
        public var role: Role
        /// `nil` for one that does not end.
        public var endsAt: Instant?
        public var digest: Digest
    }

    /// What is wrong with a line.
    public struct Problem: Error, Equatable, CustomStringConvertible {
        public var line: Int
        public var text: String
        public var description: String { "line \(line): \(text)" }
    }

    public private(set) var entries: [Entry] = []

    public init() {}

    // MARK: The file

    /// More than any team has.
    public static let entriesMax = 1_000

    public init(_ bytes: [UInt8]) throws(Problem) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Problem(line: 1, text: "is not UTF-8") }
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            do throws(FieldError) { try add(try Self.entry(words)) } catch {
                throw Problem(line: number, text: "\(error)")
            }
        }
    }

    private static func entry(_ words: [Substring]) throws(FieldError) -> Entry {
        guard words.count == 4 else {
            throw FieldError(
                "takes four words: name, role, when it ends (or -), and the hash; `belfry token make` writes them")
        }
        guard let role = Role(rawValue: String(words[1])) else {
            throw FieldError("\(quoted(String(words[1]))) is not one of \(Role.names)")
        }
        var endsAt: Instant?
        if words[2] != "-" {
            do throws(InstantError) { endsAt = try Instant(rfc3339: words[2]) } catch {
                throw FieldError("\(quoted(String(words[2]))) is neither an instant nor -")
            }
        }
        guard let digest = Digest(hexadecimal: words[3]) else {
            throw FieldError("the fourth word is not a SHA-256 of 64 hexadecimal digits")
        }
        return Entry(name: String(words[0]), role: role, endsAt: endsAt, digest: digest)
    }

    /// The whole file.
    public var text: String {
        "# The tokens of Belfry's operators. `belfry token` changes this file; a running worker reads it again by itself.\n"
            + "# name  role  ends  SHA-256 of the token\n"
            + entries.map { entry in
                "\(entry.name) \(entry.role.rawValue) \(entry.endsAt.map { "\($0)" } ?? "-") \(entry.digest)\n"
            }.joined()
    }

    // MARK: Changing

    public mutating func add(_ entry: Entry) throws(FieldError) {
        guard Identifier.isAccepted(entry.name) else {
            throw FieldError("\(quoted(entry.name)) is not \(Identifier.allowed)")
        }
        guard !Self.ownNames.contains(entry.name) else {
            throw FieldError("\(quoted(entry.name)) is how the worker's own is called")
        }
        guard !entries.contains(where: { $0.name == entry.name }) else {
            throw FieldError("there is a token called \(quoted(entry.name)) already")
        }
        guard !entries.contains(where: { $0.digest == entry.digest }) else {
            throw FieldError("the token of \(quoted(entry.name)) is another's too")
        }
        guard entries.count < Self.entriesMax else { throw FieldError("there are \(Self.entriesMax) tokens already") }
        entries.append(entry)
    }

    private static let ownNames = ["socket", "worker"]

    /// Whether there was one.
    public mutating func revoke(_ name: String) -> Bool {
        let count = entries.count
        entries.removeAll { $0.name == name }
        return entries.count < count
    }

    /// A new token, to be shown once.
    public static func newToken() -> String { "bo_" + Hexadecimal.text(randomBytes(32)) }

    // MARK: Asking

    /// Whose token it is, if it has not ended.
    func entry(of token: String, at now: Instant) -> Entry? {
        let digest = Digest(of: Array(token.utf8))
        return entries.first { $0.digest == digest && $0.isAlive(at: now) }
    }
}

extension OperatorTokens.Entry {
    public init(name: String, role: Role, endsAt: Instant?, token: String) {
        self.init(name: name, role: role, endsAt: endsAt, digest: Digest(of: Array(token.utf8)))
    }

    public func isAlive(at now: Instant) -> Bool { endsAt.map { now < $0 } ?? true }
}

extension Role {
    /// For messages.
    public static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
