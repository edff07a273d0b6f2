internal import Hashing

/// Reads the secrets that the senders' document names by file, and keeps what is to be said of those files.
struct NamedSecrets {
    /// Of files that more people may read, or change, than need to.
    private(set) var warnings: [SendersError] = []
    /// Of all that was read, in the order it was.
    private(set) var digest = Digest.zero

    private static let bytesMax = 64 << 10
    /// What can be guessed is no secret.
    private static let signingBytesMin = 32

    /// - Parameter path: where in the document the file is named.
    mutating func bytes(_ file: String, for path: String) throws(SendersError) -> [UInt8] {
        let secret: SecretFile
        do throws(SecretFileError) { secret = try SecretFile(file, bytesMax: Self.bytesMax) } catch {
            let cure = if case .anybodyWrites = error { SendersError.lock } else { String?.none }
            throw SendersError(path, "names a file that is of no use: \(error)", cure: cure)
        }
        guard !secret.bytes.isEmpty else { throw SendersError(path, "names \(file), which is empty") }
        if let warning = secret.warning { warn(SendersError(path, "needs care: \(warning)")) }
        note(secret.bytes)
        return secret.bytes
    }

    /// What else the senders hang on.
    mutating func note(_ bytes: [UInt8]) { digest = Digest(of: digest.bytes + bytes) }

    /// What was read for one part, behind what was read before it.
    mutating func add(_ part: NamedSecrets) {
        for warning in part.warnings { warn(warning) }
        note(part.digest.bytes)
    }

    /// A file may be read for several parts.
    private mutating func warn(_ warning: SendersError) {
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    /// One word on one line, such as a password.
    mutating func word(_ file: String, for path: String) throws(SendersError) -> String {
        let text = String(decoding: try bytes(file, for: path), as: UTF8.self).trimmed
        guard !text.isEmpty, !text.unicodeScalars.contains(where: Mailbox.isControl) else {
            throw SendersError(path, "names \(file), which does not hold one line")
        }
        return text
    }

    mutating func key(
        _ file: String, for path: String, _ algorithm: SigningKey.Algorithm
    ) throws(SendersError) -> SigningKey {
        let pem = try bytes(file, for: path)
        let key: SigningKey
        do throws(SigningKeyError) { key = try SigningKey(pem: pem) } catch {
            throw SendersError(path, "names \(file), which \(error)")
        }
        guard key.algorithm == algorithm else {
            throw SendersError(path, "names \(file), which holds a key of another kind: it takes EC P-256")
        }
        return key
    }

    /// One a line, the newest first: what was signed with the older ones is still known.
    mutating func signingSecrets(_ file: String, for path: String) throws(SendersError) -> [[UInt8]] {
        let text = String(decoding: try bytes(file, for: path), as: UTF8.self)
        let secrets = text.split(whereSeparator: \.isNewline).map { Array($0.trimmed.utf8) }.filter { !$0.isEmpty }
        // Zeros are what a power cut leaves of a file that was not synced.
        guard !secrets.isEmpty, secrets.allSatisfy({ $0.count >= Self.signingBytesMin && !$0.contains(0) }) else {
            throw SendersError(
                path,
                "names \(file), which does not hold secrets of at least \(Self.signingBytesMin) characters, one a line"
            )
        }
        return secrets
    }
}
