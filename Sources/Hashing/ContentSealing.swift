internal import COpenSSL

/// The parts of "Message Encryption for Web Push" (RFC 8291) that libcrypto does.
public enum ContentSealing {
    public static let tagBytes = 16

    /// ECDH over P-256: what a private key and somebody else's public point (65 bytes) have in common. `nil` where the
    /// point is none of the curve.
    public static func agreement(_ key: SigningKey, with point: [UInt8]) -> [UInt8]? {
        guard key.algorithm == .es256, point.count == 65, let other = belfry_p256_from(point, nil) else { return nil }
        defer { EVP_PKEY_free(other) }
        var secret = [UInt8](repeating: 0, count: 32)
        return belfry_p256_agree(key.handle, other, &secret) == 1 ? secret : nil
    }

    /// HKDF-SHA256 (RFC 5869) for at most 32 bytes: one round of its expansion.
    public static func hkdfSHA256(salt: [UInt8], secret: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        precondition(count <= Digest.size, "more than one round of HKDF")
        let pseudorandom = Authentication.hmacSHA256(secret, key: salt)
        return Array(Authentication.hmacSHA256(info + [1], key: pseudorandom)[..<count])
    }

    /// AES-128-GCM: the sealed bytes, then the tag.
    public static func aes128gcm(_ plain: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        precondition(key.count == 16 && nonce.count == 12, "AES-128-GCM takes 16 and 12 bytes")
        var sealed = [UInt8](repeating: 0, count: plain.count + tagBytes)
        precondition(belfry_seal_aes128gcm(key, nonce, plain, plain.count, &sealed) == 1, "libcrypto failed to seal")
        return sealed
    }
}
