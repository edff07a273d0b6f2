internal import COpenSSL

/// What proves that a message comes from someone who knows a secret.
public enum Authentication {
    /// HMAC-SHA256 (RFC 2104).
    public static func hmacSHA256(_ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: Digest.size)
        let isDone = out.withUnsafeMutableBytes { out in
            belfry_hmac_sha256(key.baseAddress, key.count, message.baseAddress, message.count, out.baseAddress)
        }
        precondition(isDone == 1, "libcrypto failed to authenticate")
        return out
    }

    /// HMAC-SHA256 of bytes that lie in arrays.
    public static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        message.withUnsafeBytes { message in key.withUnsafeBytes { hmacSHA256(message, key: $0) } }
    }

    /// HMAC-SHA1, for those who sign with nothing better.
    public static func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 20)
        precondition(
            belfry_hmac_sha1(key, key.count, message, message.count, &out) == 1, "libcrypto failed to authenticate")
        return out
    }

    /// Whether two secrets are the same, in a time that tells nothing of where they differ.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        // Compared by their authenticators under a key of the moment, so that not even a length is told.
        let key = randomIdentity()
        return withUnsafeBytes(of: key) { key in
            let (left, right) = (
                left.withUnsafeBytes { hmacSHA256($0, key: key) }, right.withUnsafeBytes { hmacSHA256($0, key: key) }
            )
            return CRYPTO_memcmp(left, right, Digest.size) == 0
        }
    }
}
