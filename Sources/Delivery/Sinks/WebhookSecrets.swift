public import CivilTime
internal import Hashing

/// The secrets that a receiver knows, so that it can tell who a job comes from (Standard Webhooks 1.0).
///
/// While a secret is being changed there are several: each signs, and the receiver looks for one it knows.
public struct WebhookSecrets: Sendable {
    private let keys: [[UInt8]]
    /// What is to be said of the file that they were read from.
    public private(set) var warning: String?

    private static let prefix = "whsec_"
    private static let fileBytesMax = 64 << 10
    private static let countMax = 16
    /// What Standard Webhooks asks for: shorter ones can be guessed.
    private static let keyBytes = 24...64

    /// One secret a line, the newest first: `whsec_` and Base64, or anything else without blanks as it stands.
    public init(_ text: String) throws(WebhookSecretError) {
        var keys: [[UInt8]] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmed
            if line.isEmpty { continue }
            keys.append(try Self.key(line, number: index + 1))
        }
        guard !keys.isEmpty else { throw .none }
        guard keys.count <= Self.countMax else { throw .tooMany(keys.count) }
        self.keys = keys
    }

    private static func key(_ line: String, number: Int) throws(WebhookSecretError) -> [UInt8] {
        guard line.hasPrefix(prefix) else {
            guard !line.contains(where: \.isWhitespace) else { throw .blanks(line: number) }
            guard line.utf8.count >= keyBytes.lowerBound else { throw .weak(line: number, bytes: line.utf8.count) }
            return Array(line.utf8)
        }
        // Whoever made one up may have ended it anyhow, and the libraries of receivers take it.
        guard let key = Base64.decode(line.dropFirst(prefix.count), mayEndOddly: true) else {
            throw .notBase64(line: number)
        }
        guard key.count >= keyBytes.lowerBound else { throw .weak(line: number, bytes: key.count) }
        guard key.count <= keyBytes.upperBound else { throw .tooLong(line: number, bytes: key.count) }
        return key
    }

    public static func read(_ path: String) throws(WebhookSecretError) -> WebhookSecrets {
        let file: SecretFile
        do throws(SecretFileError) { file = try SecretFile(path, bytesMax: fileBytesMax) } catch { throw .file(error) }
        var secrets = try WebhookSecrets(String(decoding: file.bytes, as: UTF8.self))
        secrets.warning = file.warning
        return secrets
    }

    /// The value of `webhook-signature`: one of each secret, with spaces between them.
    public func signature(id: String, at instant: Instant, body: [UInt8]) -> String {
        let message = Array("\(id).\(instant.wholeSeconds).".utf8) + body
        return keys.map { key in
            let code = message.withUnsafeBytes { message in
                key.withUnsafeBytes { Authentication.hmacSHA256(message, key: $0) }
            }
            return "v1," + Base64.encode(code)
        }.joined(separator: " ")
    }
}

/// Why there is no secret to sign with. Never carries any of it.
public enum WebhookSecretError: Error, Sendable, Equatable {
    case file(SecretFileError)
    case none
    case notBase64(line: Int)
    case blanks(line: Int)
    case weak(line: Int, bytes: Int)
    case tooLong(line: Int, bytes: Int)
    case tooMany(Int)
}

extension WebhookSecretError: CustomStringConvertible {
    static let howTo = "`echo \"whsec_$(openssl rand -base64 32)\"` makes one"

    public var description: String {
        switch self {
        case .file(let error):
            "\(error)"
        case .none:
            "the file holds no secret; write one a line. \(Self.howTo)"
        case .notBase64(let line):
            "line \(line) is no secret: what follows whsec_ must be Base64. \(Self.howTo)"
        case .blanks(let line):
            "line \(line) is no secret: there is a blank in it. \(Self.howTo)"
        case .weak(let line, let bytes):
            "line \(line) is too short for a secret: \(bytes) bytes, and it takes 24. \(Self.howTo)"
        case .tooLong(let line, let bytes):
            "line \(line) is too long for a secret: \(bytes) bytes, and 64 are the most. \(Self.howTo)"
        case .tooMany(let count):
            "the file holds \(count) secrets; keep those that are in use, at most 16"
        }
    }
}
