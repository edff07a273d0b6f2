internal import Hashing

/// Reads a secret from the file that the senders' document names.
enum NamedSecret {
    private static let bytesMax = 64 << 10
    /// What can be guessed is no secret.
    private static let signingBytesMin = 32

    /// - Parameter path: where in the document the file is named.
    static func bytes(_ file: String, for path: String) throws(SendersError) -> [UInt8] {
        let secret: SystemFiles.Secret
        do throws(SystemFailure) { secret = try SystemFiles.readSecret(file, bytesMax: bytesMax) } catch {
            throw SendersError(path, "names a file that cannot be read: cannot \(error)")
        }
        switch secret {
        case .bytes(let bytes):
            guard !bytes.isEmpty else { throw SendersError(path, "names \(file), which is empty") }
            return bytes
        case .notAFile:
            throw SendersError(path, "names \(file), which is no regular file")
        case .open:
            throw SendersError(path, "names \(file), which others may read or write; chmod o=,g-w \(file)")
        case .foreign:
            throw SendersError(path, "names \(file), which belongs to another user of this machine")
        }
    }

    /// One word on one line, such as a password.
    static func word(_ file: String, for path: String) throws(SendersError) -> String {
        let text = String(decoding: try bytes(file, for: path), as: UTF8.self).trimmed
        guard !text.isEmpty, !text.unicodeScalars.contains(where: Mailbox.isControl) else {
            throw SendersError(path, "names \(file), which does not hold one line")
        }
        return text
    }

    static func key(_ file: String, for path: String, _ algorithm: SigningKey.Algorithm) throws(SendersError)
        -> SigningKey
    {
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
    static func signingSecrets(_ file: String, for path: String) throws(SendersError) -> [[UInt8]] {
        let text = String(decoding: try bytes(file, for: path), as: UTF8.self)
        let secrets = text.split(whereSeparator: \.isNewline).map { Array($0.trimmed.utf8) }.filter { !$0.isEmpty }
        guard !secrets.isEmpty, secrets.allSatisfy({ $0.count >= signingBytesMin }) else {
            throw SendersError(
                path, "names \(file), which does not hold secrets of at least \(signingBytesMin) characters, one a line"
            )
        }
        return secrets
    }
}
